"""Nothing outside a followed folder is read, whatever is put in its place."""

import os
from pathlib import Path

import pytest

from agents import folders
from memories.transfer.looking import facts_of
from memories.transfer.opening import open_file
from tests.support.folders import Folder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a directory laid out as the followed one is, which must not be read."""
    place = tmp_path / "outside"
    (place / "memories" / "notes").mkdir(parents=True)
    (place / "memories" / "secret.md").write_text("secret\n")
    (place / "memories" / "notes" / "a.md").write_text("secret\n")
    return place


def put_link(place: Path, to: Path) -> None:
    place.rename(place.with_name("aside"))
    place.symlink_to(to)


def test_links_and_what_lies_behind_them_are_never_read(disk: Folder, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    (disk.root / "memories" / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(disk.root / "memories" / "pipe")

    said = disk.look()

    assert sorted(said) == [
        "waits link.md: it is a symbolic link, which is not followed",
        "waits pipe: it is no regular file",
    ]
    assert disk.files == {}


def test_a_root_that_becomes_a_link_is_told_and_nothing_is_taken_until_it_is_back(disk: Folder, outside: Path) -> None:
    disk.put("a.md", "tea\n")
    disk.look()
    put_link(disk.root, outside)

    words = f"problem: {disk.root} was replaced: {disk.root} is a symbolic link now, which is not followed."
    assert disk.look() == [words]
    disk.restart()
    assert disk.look() == [words]
    assert disk.files == {"a.md": "tea\n"}

    disk.root.unlink()
    disk.root.with_name("aside").rename(disk.root)
    disk.put("b.md", "milk\n")

    assert set(disk.look()) == {"taken b.md, version 1", "The folder is in order again."}


def test_a_directory_on_the_way_to_it_that_becomes_a_link_is_told_alike(tmp_path: Path, outside: Path) -> None:
    disk = Folder(tmp_path / "above" / "folder")
    disk.put("a.md", "tea\n")
    disk.look()
    outside.rename(outside.with_name("folder"))
    put_link(tmp_path / "above", tmp_path)

    assert disk.look() == [
        f"problem: {disk.root} was replaced: {tmp_path / 'above'} is a symbolic link now, which is not followed."
    ]
    assert disk.files == {"a.md": "tea\n"}


def test_a_command_that_begins_again_keeps_to_the_folder_that_was_named_before(disk: Folder, outside: Path) -> None:
    disk.claim.release()
    put_link(disk.root, outside)

    assert folders.claim_in_shell(disk.agent, disk.root, "memdash watch").path == str(disk.root)


def test_memories_that_becomes_a_link_is_told_and_nothing_is_taken(disk: Folder, outside: Path) -> None:
    disk.put("a.md", "tea\n")
    disk.look()
    put_link(disk.place, outside / "memories")

    (said,) = disk.look()

    assert f"{disk.place} is a symbolic link, which is not followed" in said
    assert disk.files == {"a.md": "tea\n"}


def test_a_manifest_that_is_a_link_is_told_and_not_read(disk: Folder, outside: Path) -> None:
    disk.put("a.md", "tea\n")
    (outside / "manifest").write_text('{"format": 1, "paths": {"a.md": "/memories/secret.md"}}')
    (disk.root / "memdash-manifest.json").symlink_to(outside / "manifest")

    (said,) = disk.look()

    assert said.startswith("problem: memdash-manifest.json cannot be read, or is a symbolic link")
    assert disk.files == {}


@pytest.mark.parametrize("of", ["root", "place"])
def test_a_link_put_there_between_the_look_and_the_reading_leads_nowhere(
    disk: Folder, outside: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    disk.put("notes/a.md", "tea\n")
    target: Path = getattr(disk, of)
    to = outside if of == "root" else outside / "memories"

    def exchanged(name: str, above: int) -> int:
        if not target.is_symlink():
            put_link(target, to)
        return open_file(name, above)

    monkeypatch.setattr("memories.transfer.source.open_file", exchanged)
    disk.look(1)

    assert set(disk.files.values()) <= {"tea\n"}


def test_a_directory_that_becomes_a_link_before_a_file_in_it_is_read_leads_nowhere(
    disk: Folder, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.put("a.md", "milk\n")
    disk.put("notes/a.md", "tea\n")
    notes = disk.place / "notes"

    def exchanged(name: str, directory: int) -> object:
        if not notes.is_symlink():
            put_link(notes, outside / "memories" / "notes")
        return facts_of(name, directory)

    monkeypatch.setattr("memories.transfer.source.facts_of", exchanged)
    disk.look(3)

    assert "secret\n" not in disk.files.values()


def test_nothing_is_open_between_two_looks_so_that_the_disk_can_be_taken_out(disk: Folder) -> None:
    disk.look()
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208  (no path, a count)
    disk.put("notes/a.md", "tea\n")
    disk.look()

    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
