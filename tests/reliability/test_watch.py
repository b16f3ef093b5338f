"""``memdash watch`` beside programs that write, rename, delete and are cut off, and killed itself at any moment."""

import random
import re
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from operator import eq
from pathlib import Path

import pytest

from tests.support.server import Process, up
from tests.support.shell import memdash
from tests.support.watching import VERSIONS, Watched, migrate

KEPT = 30
"""Files that stay as they are, so that it is never everything that goes at once."""


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("migrated") / "data"
    migrate(data)
    return data


@pytest.fixture
def watched(tmp_path: Path, migrated: Path) -> Watched:
    return Watched(tmp_path, migrated)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[tuple[Watched, Process]]:
    """A folder that one process follows all the while; each test has a directory of its own there."""
    watched = Watched(tmp_path_factory.mktemp("shared"), migrated)
    watched.put("kept/a.md", "kept\n")
    watched.put("kept/b.md", "kept\n")
    with watched.watching() as process:
        yield watched, process


@pytest.fixture
def followed(shared: tuple[Watched, Process]) -> Watched:
    return shared[0]


def test_what_a_program_does_to_its_files_becomes_versions_within_moments(watched: Watched) -> None:
    for name in ("a.md", "b.md", "c.md"):
        watched.put(name, f"{name}\n")
    with watched.watching() as process:
        said = "".join(process.said)
        assert "taken a.md, version 1\n" in said
        assert "In all 3 taken.\n" in said

        target = watched.put("notes/new.md", "new\n")
        waits = [watched.soon(lambda: "notes/new.md" in watched.stored())]
        target.write_text("new\nand longer\n")
        waits.append(watched.soon(lambda: watched.stored() == watched.on_disk()))
        target.rename(watched.memories / "renamed.md")
        waits.append(watched.soon(lambda: "renamed.md" in watched.stored()))
        (watched.memories / "b.md").unlink()
        waits.append(watched.soon(lambda: "b.md" not in watched.stored()))
        process.wait_for(re.compile(r"^deleted b.md, version 2$"))

        code, _ = process.stop()

    assert code == 0
    assert process.rest.endswith("Stopped.\n")
    assert "INFO" not in process.rest
    # Each took a second or so; the slack is for a machine that has more to do.
    assert sorted(waits)[len(waits) // 2] < 5
    assert watched.history("renamed.md") == ["renamed"]
    assert watched.history("notes/new.md") == ["created", "modified"]
    assert watched.stored() == watched.on_disk()


def test_programs_that_save_by_temporary_files_or_in_pieces_make_one_version_each(followed: Watched) -> None:
    target = followed.put("saved/a.md", "tea\n")
    followed.soon(lambda: "saved/a.md" in followed.stored())
    # As vim saves: the old one aside, a new one in its place, the old one gone.
    followed.put("saved/.a.md.swp", "swap")
    followed.put("saved/4913", "")
    target.rename(target.with_name("a.md~"))
    target.write_text("tea, by an editor\n")
    target.with_name("a.md~").unlink()
    followed.soon(lambda: followed.stored("saved/")["saved/a.md"] == followed.on_disk()["saved/a.md"])

    # As the SDK's tool saves.
    for number in range(3):
        draft = followed.put(f"saved/.tmp-{number}-01234567-89ab-cdef-0123-456789abcdef", "tea, by the tool\n")
        draft.rename(target)
    followed.soon(lambda: followed.stored()["saved/a.md"] == followed.on_disk()["saved/a.md"])

    with target.with_name("slow.md").open("w") as file:
        for part in ("half ", "of ", "a ", "text\n"):
            file.write(part)
            file.flush()
            time.sleep(0.05)
    followed.soon(lambda: followed.stored().get("saved/slow.md") == followed.on_disk()["saved/slow.md"])
    target.with_name("4913").unlink()

    assert followed.history("saved/a.md") == ["created", "modified", "modified"]
    assert followed.history("saved/slow.md") == ["created"]
    assert set(followed.stored("saved/")) == {"saved/a.md", "saved/slow.md"}


def test_the_sdks_own_tool_is_followed(followed: Watched) -> None:
    from anthropic.tools import BetaLocalFilesystemMemoryTool

    tool = BetaLocalFilesystemMemoryTool(str(followed.folder))
    tool.call({"command": "create", "path": "/memories/notes/a.md", "file_text": "tea\n"})
    followed.soon(lambda: "notes/a.md" in followed.stored())
    tool.call({"command": "insert", "path": "/memories/notes/a.md", "insert_line": 1, "insert_text": "milk\n"})
    followed.soon(lambda: followed.stored("notes/") == followed.on_disk("notes"))
    tool.call({"command": "rename", "old_path": "/memories/notes", "new_path": "/memories/by-tool"})
    followed.soon(lambda: followed.stored("by-tool/") == followed.on_disk("by-tool"))
    tool.call({"command": "delete", "path": "/memories/by-tool/a.md"})
    followed.soon(lambda: not followed.stored("by-tool/"))

    assert followed.history("notes/a.md") == ["created", "modified"]
    assert followed.history("by-tool/a.md") == ["renamed", "deleted"]


def test_a_folder_that_is_moved_away_is_told_kept_and_followed_again_when_it_is_back(
    shared: tuple[Watched, Process],
) -> None:
    watched, process = shared
    watched.put("moved/a.md", "tea\n")
    watched.put("moved/b.md", "milk\n")
    watched.soon(lambda: len(watched.stored("moved/")) == 2)
    number = len(watched.stored())
    away = watched.folder.rename(watched.folder.with_name("away"))
    process.wait_for(re.compile(r"^problem: .*folder is not there\.$"))
    assert set(watched.stored("moved/")) == {"moved/a.md", "moved/b.md"}

    # An empty directory in its place, as a mount that failed leaves it.
    watched.memories.mkdir(parents=True)
    process.wait_for(re.compile(rf"^problem: {number} files are gone from the folder, perhaps by mistake"))
    watched.memories.rmdir()
    watched.folder.rmdir()
    away.rename(watched.folder)
    process.wait_for(re.compile(r"^The folder is in order again\.$"))
    watched.put("moved/a.md", "tea with milk\n")
    watched.soon(lambda: watched.stored("moved/") == watched.on_disk("moved"))

    assert watched.history("moved/b.md") == ["created"]
    assert watched.history("moved/a.md") == ["created", "modified"]


def test_only_one_process_follows_a_folder(followed: Watched) -> None:
    second = memdash("watch", str(followed.folder), "--agent", "Pipeline", data=followed.data)

    assert second.returncode == 1
    assert second.stderr.startswith("memdash: ")
    assert "is followed already, by process" in second.stderr


def test_the_process_that_serves_pages_follows_registered_folders(watched: Watched) -> None:
    watched.put("a.md", "tea\n")
    # As a page registers it.
    program = (
        "import django; django.setup();"
        "from django.contrib.auth.models import User; from agents import folders;"
        "from agents.making import create_agent; agent = create_agent(name='Pipeline', place='folder');"
        f"folders.register(agent, {str(watched.folder)!r}, User.objects.get())"
    )
    with up(watched.data) as server:
        registered = memdash("shell", "-v", "0", "-c", program, data=watched.data)
        assert registered.returncode == 0, registered.stderr
        watched.soon(lambda: watched.stored() == watched.on_disk(), 20)
        watched.put("b.md", "milk\n")
        watched.soon(lambda: watched.stored() == watched.on_disk(), 20)
        (claim,) = watched.ask("SELECT claim FROM agents_watchedfolder")
        assert f":{server.popen.pid}:" in claim[0]

        code, took = server.stop()

    assert (code, took < 6) == (0, True)
    assert watched.ask("SELECT claim FROM agents_watchedfolder") == [("",)]


def played(watched: Watched, rounds: int, seed: int) -> None:
    """Kill the process at random moments while a program works in the folder, and check what came of it."""
    dice = random.Random(seed)
    for number in range(KEPT):
        watched.put(f"kept/{number}.md", f"kept {number}\n")
    names = [f"work/{letter}.md" for letter in "abcdefgh"]
    writes = 0

    def act() -> None:
        nonlocal writes
        target = watched.memories / dice.choice(names)
        writes += 1
        match dice.randrange(5):
            case 0 if target.exists():
                target.unlink()
            case 1 if target.exists():
                target.rename(watched.memories / dice.choice(names))
            case 2:
                watched.put("work/draft.tmp", f"write {writes}\n").rename(target)
            case _:
                watched.put(f"{target.relative_to(watched.memories)}", f"write {writes}\n")

    for _ in range(rounds):
        with watched.watching() as process:
            # Killed in the middle of whatever it does just then.
            killer = threading.Timer(dice.uniform(0.3, 2.5), process.popen.kill)
            killer.start()
            while process.popen.poll() is None:
                act()
                time.sleep(dice.uniform(0.0, 0.3))
            killer.join()
        for _ in range(dice.randrange(4)):
            act()
    with watched.watching() as process:
        watched.soon(lambda: watched.stored() == watched.on_disk(), 30)
        code, _ = process.stop(signal.SIGTERM)
    assert code == 0

    versions = watched.ask(VERSIONS)
    assert {kind for _, _, _, kind, _ in versions} == {"folder"}
    # A change that was taken again would be the same text twice in a row, or one version more than there were changes;
    # a file renamed over another counts as two.
    texts: dict[int, list[str]] = defaultdict(list)
    for file, _, operation, _, digest in versions:
        if operation in ("created", "modified"):
            texts[file].append(digest)
    assert not [digests for digests in texts.values() if any(map(eq, digests, digests[1:]))]
    assert len(versions) - KEPT <= 2 * writes
    assert {watched.history(f"kept/{number}.md") == ["created"] for number in range(KEPT)} == {True}


def test_a_killed_watcher_loses_nothing_and_doubles_nothing(watched: Watched) -> None:
    played(watched, rounds=4, seed=11)


@pytest.mark.postgres
def test_a_killed_watcher_on_postgresql_loses_nothing_and_doubles_nothing(tmp_path: Path, postgres_url: str) -> None:
    played(Watched(tmp_path, DATABASE_URL=postgres_url), rounds=2, seed=12)
