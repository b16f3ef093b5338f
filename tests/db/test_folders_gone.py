"""What following a folder makes of files that are gone, and of a folder that is."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from agents import folders
from agents.folders.claims import Claim
from agents.folders.disk import Disk as OnDisk
from agents.models import FolderFile, WatchedFolder
from memories.models import MemoryVersion
from memories.transfer.opening import NoSource
from tests.support.folders import Folder

pytestmark = pytest.mark.django_db(transaction=True)


def test_everything_gone_at_once_is_told_and_deleted_only_when_somebody_says_so(disk: Folder, mara: User) -> None:
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


def test_files_that_come_back_are_followed_again_without_anybody_saying_so(disk: Folder) -> None:
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


def test_more_than_half_of_many_files_gone_are_held_and_a_few_are_deleted(disk: Folder) -> None:
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


def test_a_root_that_vanishes_is_told_and_nothing_is_deleted(disk: Folder) -> None:
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
            with as_anybody(), pytest.raises(NoSource, match="cannot be read: Permission denied"), disk.look():
                pass
        finally:
            (place / closed).chmod(0o755)

        (place / "memories" / "closed").mkdir(mode=0)
        with as_anybody(), disk.look() as has_files:
            assert has_files
        assert disk.place is not None
        # What lies in a closed directory is not known to be gone.
        assert disk.closed == {"closed": "it cannot be read: Permission denied"}
        assert disk.away(["/memories/a.md", "/memories/b.md", "/memories/closed/c.md"]) == ["/memories/b.md"]


def test_memories_that_vanishes_from_the_folder_is_no_reason_to_read_what_lies_beside_it(disk: Folder) -> None:
    disk.put("a.md", "tea\n")
    (disk.root / "README.md").write_text("no memory\n")
    disk.look()
    (disk.root / "memories").rename(disk.root / "elsewhere")

    assert disk.look() == [f"problem: {disk.root / 'memories'} is not there."]
    assert disk.files == {"a.md": "tea\n"}
