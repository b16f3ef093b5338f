"""What following a folder makes of changes on disk, look by look."""

import os
import time
from pathlib import Path
from threading import Event

import pytest

from agents import folders
from agents.folders import claims
from agents.folders.following import Follower
from agents.making import create_agent
from agents.models import Place, WatchedFolder
from memories.actors import ActorKind
from memories.models import MemoryVersion
from tests.support.folders import Folder
from tests.support.stores import files_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_new_changed_renamed_and_deleted_files_become_versions_of_the_folder(disk: Folder) -> None:
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


def test_a_directory_that_is_renamed_keeps_its_files_identities_copies_among_them(disk: Folder) -> None:
    for number in range(12):
        disk.put(f"old/{number}.md", "the same in all of them\n")
    disk.look()
    before = dict(disk.memory.entries.live().files().values_list("uuid", "path"))

    (disk.root / "memories" / "old").rename(disk.root / "memories" / "new")
    disk.look()

    after = dict(disk.memory.entries.live().files().values_list("uuid", "path"))
    assert after == {uuid: old.replace("/old/", "/new/") for uuid, old in before.items()}
    assert MemoryVersion.objects.filter(operation="renamed").values("change_set").distinct().count() == 1


def test_a_file_that_is_renamed_and_edited_at_once_is_known_by_its_inode_and_its_lines(disk: Folder) -> None:
    old = disk.put("a.md", "tea\nmilk\nsugar\n")
    disk.put("other.md", "stays\n")
    disk.look()

    new = old.rename(old.with_name("b.md"))
    with new.open("a") as file:
        file.write("water\n")
    disk.look()

    assert disk.history("b.md") == [("created", "folder"), ("renamed", "folder"), ("modified", "folder")]
    assert disk.files["b.md"] == "tea\nmilk\nsugar\nwater\n"


def test_a_file_deleted_and_another_made_is_no_rename_whatever_its_inode(disk: Folder) -> None:
    old = disk.put("a.md", "tea\nmilk\nsugar\n")
    disk.put("other.md", "stays\n")
    disk.look()
    inode = old.stat().st_ino

    old.unlink()
    # Many file systems give the number to the next file at once; where this one does not, nothing is proved.
    new = disk.put("b.md", "rice\nbeans\n")
    said = disk.look()

    assert said == ["deleted a.md, version 2", "taken b.md, version 1"], (inode, new.stat().st_ino)


def test_a_file_that_is_still_being_written_is_taken_once_and_whole(disk: Folder) -> None:
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


def test_a_text_that_ends_within_a_character_is_waited_for_longer(disk: Folder) -> None:
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


def test_saving_by_way_of_temporary_files_is_one_change_and_they_are_never_taken(disk: Folder) -> None:
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


def test_a_file_set_back_on_disk_is_a_change_like_any_other(disk: Folder) -> None:
    disk.put("a.md", "one\n")
    disk.look()
    disk.put("a.md", "two\n")
    disk.look()
    disk.put("a.md", "one\n")

    assert disk.look() == ["taken a.md, version 3"]


def test_a_manifest_says_which_paths_the_files_stand_for(disk: Folder) -> None:
    disk.put("a_b.md", "tea\n")
    (disk.root / "memdash-manifest.json").write_text('{"format": 1, "paths": {"a_b.md": "/memories/a:b.md"}}')

    disk.look()

    assert disk.files == {"a:b.md": "tea\n"}


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


def test_what_the_folder_writes_is_by_its_own_kind_of_actor(disk: Folder) -> None:
    disk.put("a.md", "tea\n")
    disk.look()

    assert set(MemoryVersion.objects.values_list("actor_kind", flat=True)) == {ActorKind.FOLDER}
