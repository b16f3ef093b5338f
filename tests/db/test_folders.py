"""What following a folder makes of each change on disk, look by look."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from agents import folders
from agents.folders import claims
from agents.folders.claims import Claim, ClaimLost
from agents.folders.disk import Disk as OnDisk
from agents.folders.following import Follower
from agents.making import create_agent
from agents.models import Agent, FolderFile, Place, WatchedFolder
from memories import store
from memories.actors import ActorKind
from memories.commands import Create, Delete, Lock, Overwrite, Pause, Rename
from memories.models import MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.transfer.looking import RootGone
from tests.support.stores import PERSON, assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)


class Disk:
    """A folder with a follower whose clock the test turns."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        self.agent = create_agent(name="Pipeline", place=Place.FOLDER)
        self.memory = self.agent.store
        self.now = 1000.0
        (root / "memories").mkdir(parents=True)
        self.row = folders.claim_in_shell(self.agent, root, "memdash watch")
        self.start()

    def start(self) -> None:
        """Begin anew, as a process does that knows only the rows."""
        claim = claims.take(self.row.pk)
        assert claim
        self.claim = claim
        self.row = WatchedFolder.objects.select_related("agent__store").get(pk=self.row.pk)
        self.follower = Follower(self.row, claim, self, Event())

    def restart(self) -> None:
        self.claim.release()
        self.start()

    def file(self, line: str) -> None:
        self.said.append(line)

    def folder(self, line: str, *, is_bad: bool) -> None:
        self.said.append(f"problem: {line}" if is_bad else line)

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.root / "memories" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def look(self, times: int = 3, seconds: float = 1.0) -> list[str]:
        """Look so often, with so much time between, and return what was said."""
        before = len(self.said)
        for _ in range(times):
            self.now += seconds
            self.follower.look(self.now)
        return self.said[before:]

    @property
    def files(self) -> dict[str, str]:
        return {path.removeprefix("/memories/"): data.decode() for path, data in files_of(self.memory).items()}

    def history(self, path: str) -> list[tuple[str, str]]:
        entry = self.memory.entries.live().get(path=f"/memories/{path}")
        return list(entry.versions.order_by("number").values_list("operation", "actor_kind"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "folder")
    yield disk
    assert_sound(disk.memory)


def path(name: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{name}")


def sha(disk: Disk, name: str) -> str:
    return str(MemoryVersion.objects.filter(store=disk.memory, path=f"/memories/{name}").latest("seq").sha256)


def edit(disk: Disk, name: str, text: str) -> None:
    store.apply(disk.memory.pk, Overwrite(path(name), text, sha(disk, name)), actor=PERSON)


def test_new_changed_renamed_and_deleted_files_become_versions_of_the_folder(disk: Disk) -> None:
    disk.put("notes/a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.put("c.md", "sugar\n")
    assert disk.look() == ["taken b.md, version 1", "taken c.md, version 1", "taken notes/a.md, version 1"]

    changed = disk.put("notes/a.md", "tea\nwith milk\n")
    os.utime(changed, ns=(1_700_000_000_123_456_000, 1_700_000_000_123_456_000))
    (disk.root / "memories" / "b.md").rename(disk.root / "memories" / "notes" / "milk.md")
    (disk.root / "memories" / "c.md").unlink()
    said = disk.look()

    assert said == [
        "deleted c.md, version 2",
        "renamed b.md to notes/milk.md, version 2",
        "taken notes/a.md, version 2",
    ]
    assert disk.files == {"notes/a.md": "tea\nwith milk\n", "notes/milk.md": "milk\n"}
    assert disk.history("notes/milk.md") == [("created", "folder"), ("renamed", "folder")]
    version = MemoryVersion.objects.get(store=disk.memory, path="/memories/notes/a.md", number=2)
    assert version.authored_at.timestamp() == 1_700_000_000.123456
    assert (version.actor_label, version.agent_id) == ("folder", disk.agent.pk)
    assert disk.look() == []


def test_a_directory_that_is_renamed_keeps_its_files_identities_copies_among_them(disk: Disk) -> None:
    for number in range(12):
        disk.put(f"old/{number}.md", "the same in all of them\n")
    disk.look()
    before = dict(disk.memory.entries.live().files().values_list("uuid", "path"))

    (disk.root / "memories" / "old").rename(disk.root / "memories" / "new")
    disk.look()

    after = dict(disk.memory.entries.live().files().values_list("uuid", "path"))
    assert after == {uuid: old.replace("/old/", "/new/") for uuid, old in before.items()}
    assert MemoryVersion.objects.filter(operation="renamed").values("change_set").distinct().count() == 1


def test_a_file_that_is_renamed_and_edited_at_once_is_known_by_its_inode_and_its_lines(disk: Disk) -> None:
    old = disk.put("a.md", "tea\nmilk\nsugar\n")
    disk.put("other.md", "stays\n")
    disk.look()

    new = old.rename(old.with_name("b.md"))
    with new.open("a") as file:
        file.write("water\n")
    disk.look()

    assert disk.history("b.md") == [("created", "folder"), ("renamed", "folder"), ("modified", "folder")]
    assert disk.files["b.md"] == "tea\nmilk\nsugar\nwater\n"


def test_a_file_deleted_and_another_made_is_no_rename_whatever_its_inode(disk: Disk) -> None:
    old = disk.put("a.md", "tea\nmilk\nsugar\n")
    disk.put("other.md", "stays\n")
    disk.look()
    inode = old.stat().st_ino

    old.unlink()
    # Many file systems give the number to the next file at once; where this one does not, nothing is proved.
    new = disk.put("b.md", "rice\nbeans\n")
    said = disk.look()

    assert said == ["deleted a.md, version 2", "taken b.md, version 1"], (inode, new.stat().st_ino)


def test_a_file_that_is_still_being_written_is_taken_once_and_whole(disk: Disk) -> None:
    disk.put("index.md", "first\n")
    disk.look()
    target = disk.put("a.md", "")
    for part in ("half of ", "the text, ", "then the rest\n"):
        with target.open("a") as file:
            file.write(part)
        os.utime(target, ns=(time.time_ns() + 10**12,) * 2)
        disk.look(1, seconds=0.1)

    assert "a.md" not in disk.files
    disk.look()

    assert disk.files["a.md"] == "half of the text, then the rest\n"
    assert disk.history("a.md") == [("created", "folder")]


def test_a_text_that_ends_within_a_character_is_waited_for_longer(disk: Disk) -> None:
    whole = "größer\n".encode()
    disk.put("a.md", whole[:3])
    disk.look(2, seconds=1.0)
    assert disk.files == {}
    assert disk.said == []

    disk.put("a.md", whole)
    disk.look()

    assert disk.files == {"a.md": "größer\n"}
    disk.put("b.md", whole[:3])
    assert any("neither UTF-8 text" in line for line in disk.look(6, seconds=1.0))


def test_saving_by_way_of_temporary_files_is_one_change_and_they_are_never_taken(disk: Disk) -> None:
    target = disk.put("a.md", "tea\n")
    disk.look()
    for name in (".a.md.swp", "4913", ".tmp-12-01234567-89ab-cdef-0123-456789abcdef", "#a.md#", ".goutputstream-X1"):
        disk.put(name, "at work")
    disk.look()

    backup = target.rename(target.with_name("a.md~"))
    disk.put("a.md.tmp", "tea, by vim\n").rename(target)
    disk.look()
    backup.unlink()
    disk.look()

    assert disk.files == {"a.md": "tea, by vim\n"}
    assert disk.history("a.md") == [("created", "folder"), ("modified", "folder")]


def test_everything_gone_at_once_is_told_and_deleted_only_when_somebody_says_so(disk: Disk, mara: User) -> None:
    for name in ("a.md", "b.md", "c.md"):
        disk.put(name, f"{name}\n")
    disk.look()

    for file in (disk.root / "memories").iterdir():
        file.unlink()
    disk.look()
    disk.put("d.md", "new\n")
    disk.look()
    disk.restart()
    disk.look()

    assert set(disk.files) == {"a.md", "b.md", "c.md", "d.md"}
    shown = folders.status(WatchedFolder.objects.get())
    assert (shown.missing, shown.files) == (3, 1)
    assert "3 files are gone" in shown.problem

    assert folders.accept_deletions(disk.agent, mara)
    disk.follower.accepts = "Deletions accepted by mara"
    disk.look()

    assert set(disk.files) == {"d.md"}
    assert WatchedFolder.objects.get().problem == ""
    assert WatchedFolder.objects.get().accepted_at is None
    deleted = MemoryVersion.objects.filter(operation="deleted").latest("seq")
    assert deleted.change_set.reason == "Deletions accepted by mara"
    assert not folders.accept_deletions(disk.agent, mara)


def test_files_that_come_back_are_followed_again_without_anybody_saying_so(disk: Disk) -> None:
    for number in range(20):
        disk.put(f"many/{number}.md", f"{number}\n")
    disk.look()
    (disk.root / "memories" / "many").rename(disk.root / "aside")
    said = disk.look()
    assert said == [
        "problem: 20 files are gone from the folder, too many at once. Nothing was deleted here. Once they are back all"
        " is well; if they were deleted on purpose, accept that."
    ]

    (disk.root / "aside").rename(disk.root / "memories" / "many")
    disk.put("many/3.md", "changed meanwhile\n")
    said = disk.look()

    assert "The folder is in order again." in said
    assert disk.files["many/3.md"] == "changed meanwhile\n"
    assert len(disk.files) == 20
    assert not FolderFile.objects.filter(missing_since__isnull=False).exists()


def test_more_than_half_of_many_files_gone_are_held_and_a_few_are_deleted(disk: Disk) -> None:
    for number in range(40):
        disk.put(f"{number}.md", f"{number}\n")
    disk.look()
    for number in range(15):
        (disk.root / "memories" / f"{number}.md").unlink()
    disk.look()
    assert len(disk.files) == 25

    for number in range(15, 30):
        (disk.root / "memories" / f"{number}.md").unlink()
    disk.look()

    assert len(disk.files) == 25
    assert disk.follower.missing == 15


def test_a_root_that_vanishes_is_told_and_nothing_is_deleted(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    disk.look()
    disk.root.rename(disk.root.with_name("away"))
    said = disk.look()

    assert said == [f"problem: {disk.root} is not there."]
    assert disk.files == {"a.md": "tea\n"}
    disk.restart()
    assert disk.look() == said
    assert WatchedFolder.objects.get().problem_since is not None

    disk.root.with_name("away").rename(disk.root)
    disk.put("b.md", "milk\n")

    assert set(disk.look()) == {"taken b.md, version 1", "The folder is in order again."}
    assert WatchedFolder.objects.get().problem == ""


@contextmanager
def as_anybody() -> Iterator[None]:
    """Be a user to whom a closed directory is closed; root may read everything."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.parametrize("closed", ["", "memories"])
def test_a_root_that_cannot_be_read_is_told_apart_from_an_empty_one(closed: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "folder"
        (place / "memories").mkdir(parents=True)
        for directory in (Path(name), place, place / "memories"):
            directory.chmod(0o755)
        (place / "memories" / "a.md").write_text("tea\n")
        disk = OnDisk(WatchedFolder(path=str(place), layout="memories"), Claim(0, ""))
        (place / closed).chmod(0)
        try:
            with as_anybody(), pytest.raises(RootGone, match="cannot be read: Permission denied"):
                disk.look()
        finally:
            (place / closed).chmod(0o755)

        (place / "memories" / "closed").mkdir(mode=0)
        with as_anybody():
            assert disk.look()
        assert disk.place is not None
        # What lies in a closed directory is not known to be gone.
        assert disk.closed == {"closed": "it cannot be read: Permission denied"}
        assert disk.away(["/memories/a.md", "/memories/b.md", "/memories/closed/c.md"]) == ["/memories/b.md"]


def test_memories_that_vanishes_from_the_folder_is_no_reason_to_read_what_lies_beside_it(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    (disk.root / "README.md").write_text("no memory\n")
    disk.look()
    (disk.root / "memories").rename(disk.root / "elsewhere")

    assert disk.look() == [f"problem: {disk.root / 'memories'} is not there."]
    assert disk.files == {"a.md": "tea\n"}


def test_a_directory_that_cannot_be_looked_into_waits_with_the_reason(disk: Disk) -> None:
    deep = disk.root / "memories" / "/".join(["d"] * 32)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("x")

    said = disk.look(4)

    assert said == [f"waits {'/'.join(['d'] * 32)}: it lies 32 levels deep, and a path has at most 32"]


def test_what_a_person_changed_is_not_set_back_by_a_file_that_stays_as_it_is(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.put("c.md", "sugar\n")
    disk.look()
    edit(disk, "a.md", "coffee\n")
    store.apply(disk.memory.pk, Delete(path("b.md")), actor=PERSON)
    store.apply(disk.memory.pk, Rename(path("c.md"), path("d.md")), actor=PERSON)

    assert disk.look() == []
    (disk.root / "memories" / "a.md").touch()
    disk.restart()
    assert disk.look() == []

    assert disk.files == {"a.md": "coffee\n", "d.md": "sugar\n"}


def test_a_change_on_disk_goes_over_a_persons_and_says_so(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    edit(disk, "a.md", "coffee\n")
    edit(disk, "b.md", "cream\n")

    disk.put("a.md", "tea\ngreen\n")
    (disk.root / "memories" / "b.md").unlink()
    said = disk.look()

    assert said == ["deleted b.md, version 3, over version 2 by mia", "taken a.md, version 3, over version 2 by mia"]
    assert disk.files == {"a.md": "tea\ngreen\n", "stays.md": "stays\n"}
    assert disk.history("a.md") == [("created", "folder"), ("modified", "person"), ("modified", "folder")]
    change_set = MemoryVersion.objects.get(path="/memories/a.md", number=3).change_set
    assert change_set.reason == "The folder's change, over version 2 by mia, which the folder did not know."


def test_a_rename_on_disk_keeps_what_a_person_wrote(disk: Disk) -> None:
    old = disk.put("a.md", "tea\n")
    disk.look()
    edit(disk, "a.md", "coffee\n")
    old.rename(old.with_name("b.md"))

    assert disk.look() == ["renamed a.md to b.md, version 3"]
    assert disk.files == {"b.md": "coffee\n"}
    assert disk.look() == []


def test_a_rename_to_where_a_person_made_a_file_goes_over_it(disk: Disk) -> None:
    old = disk.put("a.md", "tea\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    store.apply(disk.memory.pk, Create(path("b.md"), "mine\n"), actor=PERSON)
    old.rename(old.with_name("b.md"))

    assert disk.look() == ["renamed a.md to b.md, version 2, over version 1 by mia"]
    assert disk.files == {"b.md": "tea\n", "stays.md": "stays\n"}


def test_a_file_set_back_on_disk_is_a_change_like_any_other(disk: Disk) -> None:
    disk.put("a.md", "one\n")
    disk.look()
    disk.put("a.md", "two\n")
    disk.look()
    disk.put("a.md", "one\n")

    assert disk.look() == ["taken a.md, version 3"]


def test_a_persons_own_files_are_never_deleted_for_not_being_on_disk(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    store.apply(disk.memory.pk, Create(path("mine.md"), "mine\n"), actor=PERSON)

    disk.look()
    disk.restart()
    disk.look()

    assert set(disk.files) == {"a.md", "mine.md"}


def test_what_was_there_before_the_folder_is_met_as_an_import_meets_it(disk: Disk) -> None:
    for name in ("same.md", "edited.md", "deleted.md", "moved.md", "other.md"):
        store.apply(disk.memory.pk, Create(path(name), f"{name}\n"), actor=PERSON)
        disk.put(name, f"{name}\n")
    edit(disk, "edited.md", "edited since\n")
    store.apply(disk.memory.pk, Delete(path("deleted.md")), actor=PERSON)
    store.apply(disk.memory.pk, Rename(path("moved.md"), path("there.md")), actor=PERSON)
    disk.put("other.md", "from the disk\n")

    said = disk.look()

    assert said == [
        "kept deleted.md: it was deleted here",
        "kept edited.md: the store had this as version 1 and has changed it since",
        "kept moved.md: it was renamed here to /memories/there.md",
        "taken other.md, version 2, over version 1 by mia",
    ]
    disk.put("deleted.md", "written again\n")
    assert disk.look() == ["taken deleted.md, version 1, it had been taken away here"]


def test_a_locked_file_waits_and_is_taken_once_it_may(disk: Disk) -> None:
    target = disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.look()
    store.apply(disk.memory.pk, Lock(path("a.md")), actor=PERSON)
    disk.put("a.md", "coffee\n")
    disk.put("b.md", "cream\n")

    said = disk.look()

    assert said[0].startswith("waits a.md: /memories/a.md is locked by a person")
    assert said[1:] == ["taken b.md, version 2"]
    (waiting,) = folders.status(WatchedFolder.objects.get()).waiting
    assert waiting[0] == "a.md"
    target.rename(target.with_name("c.md"))
    disk.look(8)
    assert disk.files == {"a.md": "tea\n", "b.md": "cream\n", "c.md": "coffee\n"}

    store.apply(disk.memory.pk, Lock(path("a.md"), on=False), actor=PERSON)
    disk.look(60, seconds=10)

    assert disk.files == {"c.md": "coffee\n", "b.md": "cream\n"}
    assert WatchedFolder.objects.get().waiting_count == 0


def test_a_locked_file_that_is_renamed_waits_whole_and_keeps_its_identity(disk: Disk) -> None:
    target = disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.look()
    store.apply(disk.memory.pk, Lock(path("a.md")), actor=PERSON)
    target.rename(target.with_name("c.md"))
    disk.look(10)
    assert disk.files == {"a.md": "tea\n", "b.md": "milk\n"}

    store.apply(disk.memory.pk, Lock(path("a.md"), on=False), actor=PERSON)
    disk.look(60, seconds=10)

    assert disk.history("c.md") == [("created", "folder"), ("renamed", "folder")]


def test_a_paused_store_takes_nothing_and_all_of_it_afterwards(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    store.apply(disk.memory.pk, Pause(), actor=PERSON)

    said = disk.look(6)

    assert said == ["problem: What agents change is paused by mia. Changes of the folder wait until that ends."]
    store.apply(disk.memory.pk, Pause(on=False), actor=PERSON)
    assert disk.look() == ["taken a.md, version 1", "The folder is in order again."]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("latin.md", b"caf\xe9\n", "neither UTF-8 text"),
        ("big.md", b"x" * (1024 * 1024 + 1), "at most 1,048,576"),
        (" blank.md", b"x", "begins or ends with a blank"),
    ],
)
def test_what_a_store_cannot_hold_waits_with_the_reason_and_is_told_once(
    disk: Disk, name: str, data: bytes, reason: str
) -> None:
    disk.put("a.md", "tea\n")
    disk.put(name, data)

    said = disk.look(10)

    assert [line for line in said if reason in line] == [line for line in said if line.startswith("waits ")]
    assert len(said) == 2
    (disk.root / "memories" / name).unlink()
    disk.look()
    assert WatchedFolder.objects.get().waiting_count == 0


def test_a_full_store_takes_what_fits_and_the_rest_when_there_is_room(disk: Disk) -> None:
    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_files=1)
    disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.look()
    assert set(disk.files) == {"a.md"}

    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_files=2)
    disk.look(60, seconds=10)

    assert set(disk.files) == {"a.md", "b.md"}


def test_of_two_spellings_of_one_path_the_second_waits(disk: Disk) -> None:
    disk.put("cafe\u0301.md", "decomposed\n")
    disk.put("caf\u00e9.md", "composed\n")

    said = disk.look()

    assert disk.files == {"caf\u00e9.md": "decomposed\n"}
    assert "waits caf\u00e9.md: its path is that of cafe\u0301.md, once letters are composed" in said


def test_links_and_what_lies_behind_them_are_never_read(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    (disk.root / "memories" / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(disk.root / "memories" / "pipe")

    said = disk.look()

    assert sorted(said) == [
        "waits link.md: it is a symbolic link, which is not followed",
        "waits pipe: it is no regular file",
    ]
    assert disk.files == {}


def test_a_manifest_says_which_paths_the_files_stand_for(disk: Disk) -> None:
    disk.put("a_b.md", "tea\n")
    (disk.root / "memdash-manifest.json").write_text('{"format": 1, "paths": {"a_b.md": "/memories/a:b.md"}}')

    disk.look()

    assert disk.files == {"a:b.md": "tea\n"}


def test_a_process_whose_claim_is_taken_writes_nothing_more(disk: Disk) -> None:
    disk.look()
    WatchedFolder.objects.update(claim="elsewhere:1:0")
    disk.put("a.md", "tea\n")

    with pytest.raises(ClaimLost):
        disk.look()

    assert disk.files == {}


def test_one_process_at_a_time_follows_a_folder_and_a_dead_one_is_no_hindrance(disk: Disk) -> None:
    assert claims.take(disk.row.pk) is None

    later = timezone.now() + timedelta(hours=1)
    machine = os.uname().nodename
    WatchedFolder.objects.update(claim=f"{machine}:999999999:0", claimed_until=later)
    assert claims.take(disk.row.pk) is not None

    WatchedFolder.objects.update(claim="elsewhere:1:0", claimed_until=later)
    assert claims.take(disk.row.pk) is None
    WatchedFolder.objects.update(claimed_until=timezone.now())
    assert claims.take(disk.row.pk) is not None


def test_a_directory_without_memories_is_followed_itself_and_stays_so(tmp_path: Path) -> None:
    agent = create_agent(name="Plain", place=Place.FOLDER)
    (tmp_path / "plain").mkdir()
    row = folders.claim_in_shell(agent, tmp_path / "plain", "memdash watch")
    claim = claims.take(row.pk)
    assert claim

    class Silent:
        def file(self, line: str) -> None: ...

        def folder(self, line: str, *, is_bad: bool) -> None: ...

    follower = Follower(row, claim, Silent(), Event())
    follower.look(1.0)
    assert WatchedFolder.objects.get().layout == ""
    (tmp_path / "plain" / "a.md").write_text("tea\n")
    for now in (2.0, 3.0):
        follower.look(now)
    (tmp_path / "plain" / "memories").mkdir()
    (tmp_path / "plain" / "memories" / "b.md").write_text("milk\n")
    for now in (4.0, 5.0):
        follower.look(now)

    assert set(files_of(agent.store)) == {"/memories/a.md", "/memories/memories/b.md"}


@pytest.fixture
def operator(quick_passwords: None) -> User:
    return User.objects.create_superuser("ada")


def test_a_folder_is_registered_once_and_reads_of_its_store_are_unknown_from_then_on(
    tmp_path: Path, operator: User
) -> None:
    agent = create_agent(name="Pipeline", place=Place.FOLDER)
    row = folders.register(agent, str(tmp_path), operator)

    assert folders.register(agent, f"{tmp_path}/.", operator) == row
    assert (row.path, row.in_background, row.added_by) == (str(tmp_path.resolve()), True, "ada")
    agent.store.refresh_from_db()
    assert agent.store.unseen_since is not None
    assert not folders.status(row).is_in_order

    assert folders.unregister(agent)
    assert not folders.unregister(agent)
    agent.store.refresh_from_db()
    assert agent.store.unseen_since is None


def test_folders_that_cannot_be_followed_are_refused_with_the_reason(
    tmp_path: Path, operator: User, mara: User, settings: Any
) -> None:
    agent = create_agent(name="Pipeline", place=Place.FOLDER)
    other = create_agent(name="Other", place=Place.FOLDER)
    here = create_agent(name="Here")
    (tmp_path / "file").write_text("x")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    folders.register(other, str(tmp_path / "a"), operator)

    def refusal(agent: Agent, folder: object) -> str:
        with pytest.raises(folders.FolderRefused) as refused:
            folders.register(agent, str(folder), operator)
        return str(refused.value)

    assert "whole path" in refusal(agent, "a/b")
    assert "whole path" in refusal(agent, "~nobody-at-all/b")
    assert "is not there" in refusal(agent, "/a\0b")
    assert "is not there" in refusal(agent, tmp_path / "nowhere")
    assert "not a directory" in refusal(agent, tmp_path / "file")
    assert "memdash's own data" in refusal(agent, settings.MEMDASH_DATA)
    assert "memdash's own data" in refusal(agent, "/")
    assert "folder of Other already" in refusal(agent, tmp_path / "a")
    assert "another kind (runs here)" in refusal(here, tmp_path / "b")
    assert "has the folder" in refusal(other, tmp_path / "b")
    with pytest.raises(PermissionDenied):
        folders.register(agent, str(tmp_path / "b"), mara)
    assert WatchedFolder.objects.count() == 1


def test_what_the_folder_writes_is_by_its_own_kind_of_actor(disk: Disk) -> None:
    disk.put("a.md", "tea\n")
    disk.look()

    assert set(MemoryVersion.objects.values_list("actor_kind", flat=True)) == {ActorKind.FOLDER}
