"""Import and export: a directory comes in and goes out equal, and nothing outside it is read or written."""

import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agents.models import Agent
from memories import store
from memories.actors import ActorKind
from memories.commands import Create, Delete, Overwrite
from memories.models import ChangeSet, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.transfer.outgoing import Export
from tests.support.stores import PERSON, assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
LONG_AGO = 1_700_000_000_123_456_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory as the SDK's tool lays it out, with two files."""
    (tmp_path / "source" / "memories" / "notes").mkdir(parents=True)
    put(tmp_path / "source", "memories/index.md", b"tea\r\nno newline at the end")
    put(tmp_path / "source", "memories/notes/a.md", "größer\n".encode())
    return tmp_path / "source"


def put(folder: Path, name: str, data: bytes, modified: int = LONG_AGO) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, ns=(modified, modified))


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def imported(folder: Path, *options: str) -> list[str]:
    return run("import_memory", folder, "--agent", "Helper", *options).splitlines()


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in folder.rglob("*")
        if not file.is_dir()
    }


def test_a_thousand_files_come_back_equal_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for number in range(1000):
        data = f"file {number}\n".encode() * (number % 50)
        put(source, f"memories/d{number % 7}/e{number % 3}/note {number}.md", data, LONG_AGO + number * 1_000_000_000)

    first = imported(source)
    memory = MemoryStore.objects.get()
    seq = memory.seq
    second = imported(source)
    run("export_memory", tmp_path / "copy", "--agent", "Helper")

    assert first[-1] == "In all 1,000 taken, 0 already there, 0 skipped."
    assert second[-1] == "In all 0 taken, 1,000 already there, 0 skipped."
    assert contents(tmp_path / "copy") == contents(source)
    memory.refresh_from_db()
    assert (memory.seq, memory.file_count) == (seq, 1000)
    assert ChangeSet.objects.count() == 1
    assert_sound(memory)


def test_an_import_makes_agent_and_store_and_keeps_bytes_times_and_author(folder: Path) -> None:
    lines = imported(folder)

    agent = Agent.objects.get()
    assert (agent.name, agent.store.name) == ("Helper", "Helper")
    assert files_of(agent.store) == {
        "/memories/index.md": b"tea\r\nno newline at the end",
        "/memories/notes/a.md": "größer\n".encode(),
    }
    version = MemoryVersion.objects.earliest("seq")
    assert (version.actor_kind, version.authored_at.timestamp()) == (ActorKind.IMPORT, LONG_AGO / 1e9)
    assert lines[:2] == ["taken          index.md", "taken          notes/a.md"]


def test_a_directory_without_memories_is_read_itself(tmp_path: Path) -> None:
    put(tmp_path / "plain", "a.md", b"a\n")

    imported(tmp_path / "plain")

    assert files_of(MemoryStore.objects.get()) == {"/memories/a.md": b"a\n"}


def test_a_dry_run_says_what_an_import_would_and_writes_nothing(folder: Path) -> None:
    put(folder, "memories/bad.bin", b"\xff\x00")

    rehearsed = imported(folder, "--dry-run")
    assert not Agent.objects.exists()
    assert not MemoryStore.objects.exists()
    done = imported(folder)

    assert rehearsed[:-1] == done[:-1]
    assert rehearsed[-1] == "Dry run, nothing written. Would be 2 taken, 0 already there, 1 skipped."


def test_a_changed_file_becomes_a_new_version(folder: Path) -> None:
    imported(folder)
    put(folder, "memories/index.md", b"coffee\n")

    lines = imported(folder)

    assert lines == [
        "taken          index.md",
        "already there  notes/a.md",
        "In all 1 taken, 1 already there, 0 skipped.",
    ]
    assert files_of(MemoryStore.objects.get())["/memories/index.md"] == b"coffee\n"


def test_what_was_changed_here_since_is_not_set_back_by_importing_again(folder: Path) -> None:
    imported(folder)
    memory = MemoryStore.objects.get()
    path = MemoryPath.parse("/memories/notes/a.md")
    digest = MemoryVersion.objects.get(path=str(path)).sha256
    store.apply(memory.pk, Overwrite(path, "kleiner\n", expected_sha256=digest), actor=PERSON)

    lines = imported(folder)

    assert lines[1] == "skipped        notes/a.md: the store had this as version 1 and has changed it since"
    assert files_of(memory)[str(path)] == b"kleiner\n"


def test_images_are_known_by_their_content(folder: Path, tmp_path: Path) -> None:
    put(folder, "memories/chart.txt", PNG)
    put(folder, "memories/fake.png", b"just text\n")

    imported(folder)
    run("export_memory", tmp_path / "copy", "--agent", "helper")

    media = dict(MemoryStore.objects.get().entries.filter(kind="file").values_list("path", "media"))
    assert media["/memories/chart.txt"] == "image/png"
    assert media["/memories/fake.png"] == "text/plain"
    assert contents(tmp_path / "copy") == contents(folder)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (b"latin.md", b"caf\xe9\n", "neither UTF-8 text"),
        (b"nul.md", b"a\0b", "neither UTF-8 text"),
        (b"big.md", b"x" * (1024 * 1024 + 1), "at most 1,048,576"),
        (b" blank.md", b"x", "begins or ends with a blank"),
        (b"a\x1b[31m.md", b"x", "control character"),
        (b"name\xff.md", b"x", "cannot be used"),
        (b"%2e%2e%2fx.md", b"x", "percent signs"),
        (b".tmp-12-01234567-89ab-cdef-0123-456789abcdef", b"x", "cut off"),
    ],
)
def test_what_a_store_cannot_hold_is_skipped_with_the_reason(
    folder: Path, name: bytes, data: bytes, reason: str
) -> None:
    Path(os.fsdecode(os.fsencode(folder / "memories") + b"/" + name)).write_bytes(data)

    lines = imported(folder)

    (skipped,) = [line for line in lines if line.startswith("skipped")]
    assert reason in skipped
    assert skipped.isprintable()
    assert lines[-1] == "In all 2 taken, 0 already there, 1 skipped."
    assert MemoryStore.objects.get().file_count == 2


def test_links_pipes_and_what_lies_behind_them_are_never_read(folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "secret", "key.md", b"secret")
    (folder / "memories" / "link.md").symlink_to(tmp_path / "secret" / "key.md")
    (folder / "memories" / "linked").symlink_to(tmp_path / "secret")
    (folder / "memories" / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "memories" / "pipe")

    lines = imported(folder)

    skipped = sorted(line.removeprefix("skipped        ") for line in lines if line.startswith("skipped"))
    link = "it is a symbolic link, which is not followed"
    assert skipped == [f"broken: {link}", f"link.md: {link}", f"linked: {link}", "pipe: it is no regular file"]
    assert len(files_of(MemoryStore.objects.get())) == 2


def test_a_memories_directory_that_is_a_link_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", "a.md", b"a")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "memories").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CommandError, match="symbolic link"):
        imported(tmp_path / "source")


def test_of_two_spellings_of_one_path_the_second_is_skipped(tmp_path: Path) -> None:
    put(tmp_path, "memories/cafe\u0301.md", b"decomposed")
    put(tmp_path, "memories/caf\u00e9.md", b"composed")

    lines = imported(tmp_path)

    assert lines[0] == "taken          cafe\u0301.md: as /memories/caf\u00e9.md"
    assert lines[1].startswith("skipped        caf\u00e9.md: its path is that of cafe\u0301.md")


def test_a_full_store_takes_what_fits_and_says_so_in_a_dry_run_too(folder: Path) -> None:
    imported(folder)
    MemoryStore.objects.update(max_files=3)
    put(folder, "memories/x.md", b"x")
    put(folder, "memories/y.md", b"y")

    rehearsed = imported(folder, "--dry-run")
    done = imported(folder)

    assert rehearsed[:-1] == done[:-1]
    assert done[1] == "taken          x.md"
    assert done[2].startswith("skipped        y.md: the store would hold 4 files")


def test_an_export_replaces_nothing(folder: Path, tmp_path: Path) -> None:
    imported(folder)
    put(tmp_path / "copy", "mine.txt", b"mine")

    with pytest.raises(CommandError, match="holds files already"):
        run("export_memory", tmp_path / "copy", "--agent", "Helper")

    assert list(contents(tmp_path / "copy")) == ["mine.txt"]


def test_an_export_stays_in_the_directory_that_it_began_in(folder: Path, tmp_path: Path) -> None:
    imported(folder)
    (tmp_path / "elsewhere" / "memories").mkdir(parents=True)
    writing = Export(MemoryStore.objects.get(), tmp_path / "out").write()
    first = next(writing)
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")

    names = {first, *writing}

    assert {name for name in names if (tmp_path / "moved" / name).is_file()} == names
    assert not list((tmp_path / "elsewhere" / "memories").iterdir())


def test_an_export_is_readable_by_its_owner_alone(folder: Path, tmp_path: Path) -> None:
    imported(folder)

    run("export_memory", tmp_path / "copy", "--agent", "Helper")

    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "copy").rglob("*") if not path.is_dir()}
    assert modes == {0o600}


ODD = (
    "a:b.md",
    "a?b.md",
    "con.md",
    "AUX.txt",
    "end.",
    "Case.md",
    "case.md",
    "Dir/x.md",
    "dir/x.md",
    "a_b.md",
    "50%.md",
)


def test_names_that_are_odd_elsewhere_come_back_as_they_were(tmp_path: Path) -> None:
    for name in ODD:
        put(tmp_path / "source", f"memories/{name}", name.encode())
    imported(tmp_path / "source")

    run("export_memory", tmp_path / "copy", "--agent", "Helper")

    assert contents(tmp_path / "copy") == contents(tmp_path / "source")


def test_a_portable_export_spells_them_otherwise_and_an_import_finds_the_true_paths(tmp_path: Path) -> None:
    for name in ODD:
        put(tmp_path / "source", f"memories/{name}", name.encode())
    imported(tmp_path / "source")

    run("export_memory", tmp_path / "copy", "--agent", "Helper", "--portable")
    run("import_memory", tmp_path / "copy", "--agent", "Second")

    names = [name.removeprefix("memories/") for name in contents(tmp_path / "copy")]
    assert len({name.casefold() for name in names}) == len(ODD) + 1
    assert not [name for name in names if set(name) & set('<>:"|?*') or name.endswith(".")]
    first, second = (Agent.objects.get(name=name).store for name in ("Helper", "Second"))
    assert files_of(first) == files_of(second)
    assert_sound(second)


def test_a_manifest_cannot_lead_out_of_the_store(folder: Path) -> None:
    (folder / "memdash-manifest.json").write_text(
        '{"format": 1, "paths": {"index.md": "/memories/../../etc/passwd", "notes/a.md": "/memories/b.md"}}'
    )

    lines = imported(folder)

    assert lines[0].startswith("skipped        index.md: the path /memories/../../etc/passwd cannot be used")
    assert list(files_of(MemoryStore.objects.get())) == ["/memories/b.md"]


@pytest.mark.parametrize("text", ["[]", "{", '{"format": 2, "paths": {}}', '{"format": 1, "paths": {"a": 1}}'])
def test_a_manifest_that_makes_no_sense_stops_the_import(folder: Path, text: str) -> None:
    (folder / "memdash-manifest.json").write_text(text)

    with pytest.raises(CommandError, match="manifest"):
        imported(folder)

    assert not MemoryStore.objects.exists()


def test_a_name_that_several_agents_bear_is_refused_with_their_slugs(folder: Path) -> None:
    imported(folder)
    twin = Agent.objects.get()
    twin.pk, twin.uuid, twin.slug = None, "0" * 32, "helper-2"
    twin.save(force_insert=True)

    with pytest.raises(CommandError, match=r"helper, helper-2"):
        imported(folder)


def test_an_export_holds_what_is_live(folder: Path, tmp_path: Path) -> None:
    imported(folder)
    memory = MemoryStore.objects.get()
    store.apply(memory.pk, Create(MemoryPath.parse("/memories/new.md"), "x"), actor=PERSON)
    store.apply(memory.pk, Delete(MemoryPath.parse("/memories/notes")), actor=PERSON)

    lines = run("export_memory", tmp_path / "copy", "--agent", "Helper")

    assert sorted(contents(tmp_path / "copy")) == ["memories/index.md", "memories/new.md"]
    assert lines.startswith("Wrote 2 files to ")
