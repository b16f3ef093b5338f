"""What following a folder makes of files that are gone, and of a folder that is."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.folders.claims import Claim
from agents.folders.disk import Disk as OnDisk
from agents.models import FolderFile, WatchedFolder
from memories.transfer.opening import NoSource
from tests.support.folders import Folder

pytestmark = pytest.mark.django_db(transaction=True)


def test_files_that_come_back_are_followed_again_without_anybody_saying_so(disk: Folder) -> None:
    for number in range(20):
        disk.put(f"many/{number}.md", f"{number}\n")
    disk.look()
    (disk.root / "memories" / "many").rename(disk.root / "aside")
    said = disk.look()
    assert said == [
        "problem: 20 files are gone from the folder, perhaps by mistake. Nothing was deleted here. Once they are back"
        " all is well; if they were deleted on purpose, accept that."
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
    assert disk.follower.holdings.missing == 15


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
        facts = (place / "memories").stat()
        root = f"{facts.st_dev}:{facts.st_ino}"
        disk = OnDisk(WatchedFolder(path=str(place), layout="memories", root=root), Claim(0, ""))
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


@contextmanager
def mounted(place: Path) -> Iterator[Path]:
    """Have another file system at a directory, as long as the block runs or somebody unmounts it."""
    mount = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True, text=True, check=False)
    if mount.returncode:
        pytest.skip(f"this system lets nobody mount: {mount.stderr.strip()}")
    try:
        yield place
    finally:
        if place.is_mount():
            subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("files_at", ["", "memories"])
@pytest.mark.parametrize("number", [1, 3])
def test_an_unmounted_disk_is_no_deletion_and_all_goes_on_once_it_is_back(
    tmp_path: Path, files_at: str, number: int
) -> None:
    disk = Folder(tmp_path / "folder", files_at)
    with mounted(disk.place):
        for name in range(number):
            disk.put(f"{name}.md", f"{name}\n")
        disk.look()
        kept = shutil.copytree(disk.place, tmp_path / "kept")
        held = disk.files
        # Refused if anything in it were open.
        subprocess.run(["umount", disk.place], check=True)

        (said,) = disk.look(10)
        disk.restart()
        disk.look(10)

        assert said.startswith("problem: ")
        assert disk.files == held
    with mounted(disk.place):
        shutil.copytree(kept, disk.place, dirs_exist_ok=True)
        disk.put("new.md", "new\n")

        assert "The folder is in order again." in disk.look()
        assert disk.files == held | {"new.md": "new\n"}
        assert disk.history("0.md") == [("created", "folder")]
        disk.claim.release()


def test_the_only_file_of_a_directory_that_stays_is_deleted_as_it_goes(disk: Folder) -> None:
    file = disk.put("a.md", "tea\n")
    disk.look()
    file.unlink()

    assert disk.look() == ["deleted a.md, version 2"]
