"""Changes of a followed folder that the store does not take yet."""

import pytest

from agents import folders
from agents.models import WatchedFolder
from memories import store
from memories.commands import Create, Delete, Lock, Pause
from memories.models import MemoryStore
from tests.support.folders import Folder, path
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_directory_that_cannot_be_looked_into_waits_with_the_reason(disk: Folder) -> None:
    deep = disk.root / "memories" / "/".join(["d"] * 32)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("x")

    said = disk.look(4)

    assert said == [f"waits {'/'.join(['d'] * 32)}: it lies 32 levels deep, and a path has at most 32"]


def test_a_locked_file_waits_and_is_taken_once_it_may(disk: Folder) -> None:
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


def test_a_locked_file_that_is_renamed_waits_whole_and_keeps_its_identity(disk: Folder) -> None:
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


def test_a_paused_store_takes_nothing_and_all_of_it_afterwards(disk: Folder) -> None:
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
    disk: Folder, name: str, data: bytes, reason: str
) -> None:
    disk.put("a.md", "tea\n")
    disk.put(name, data)

    said = disk.look(10)

    assert [line for line in said if reason in line] == [line for line in said if line.startswith("waits ")]
    assert len(said) == 2
    (disk.root / "memories" / name).unlink()
    disk.look()
    assert WatchedFolder.objects.get().waiting_count == 0


def test_a_full_store_takes_what_fits_and_the_rest_when_there_is_room(disk: Folder) -> None:
    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_files=1)
    disk.put("a.md", "tea\n")
    disk.put("b.md", "milk\n")
    disk.look()
    assert set(disk.files) == {"a.md"}

    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_files=2)
    disk.look(60, seconds=10)

    assert set(disk.files) == {"a.md", "b.md"}


def test_of_two_spellings_of_one_path_the_second_waits(disk: Folder) -> None:
    disk.put("cafe\u0301.md", "decomposed\n")
    disk.put("caf\u00e9.md", "composed\n")

    said = disk.look()

    assert disk.files == {"caf\u00e9.md": "decomposed\n"}
    assert "waits caf\u00e9.md: its path is that of cafe\u0301.md, once letters are composed" in said


def test_a_rename_to_where_nothing_can_lie_leaves_the_file_and_is_made_once_it_can(disk: Folder) -> None:
    old = disk.put("a.md", "tea\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    store.apply(disk.memory.pk, Create(path("notes"), "a file here\n"), actor=PERSON)
    (disk.place / "notes").mkdir()
    old.rename(disk.place / "notes" / "a.md")

    said = disk.look(100)

    assert disk.files == {"a.md": "tea\n", "notes": "a file here\n", "stays.md": "stays\n"}
    assert len(said) == 1
    assert said[0].startswith("waits notes/a.md: ")
    assert disk.history("a.md") == [("created", "folder")]
    disk.restart()
    assert disk.look(10) == said

    store.apply(disk.memory.pk, Delete(path("notes")), actor=PERSON)
    disk.look(60, seconds=10)

    assert disk.history("notes/a.md") == [("created", "folder"), ("renamed", "folder")]
    assert WatchedFolder.objects.get().waiting_count == 0


def test_a_rename_over_a_locked_file_leaves_both_and_is_made_once_it_may(disk: Folder) -> None:
    old = disk.put("a.md", "tea\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    store.apply(disk.memory.pk, Create(path("b.md"), "mine\n"), actor=PERSON)
    store.apply(disk.memory.pk, Lock(path("b.md")), actor=PERSON)
    old.rename(disk.place / "b.md")
    disk.look(10)
    assert disk.files == {"a.md": "tea\n", "b.md": "mine\n", "stays.md": "stays\n"}

    store.apply(disk.memory.pk, Lock(path("b.md"), on=False), actor=PERSON)
    disk.look(60, seconds=10)

    assert disk.files == {"b.md": "tea\n", "stays.md": "stays\n"}


def test_a_file_renamed_and_edited_to_what_the_store_cannot_hold_stays_where_it_was(disk: Folder) -> None:
    old = disk.put("a.md", "tea\nmilk\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_bytes=20)
    new = old.rename(disk.place / "b.md")
    new.write_text("tea\nmilk\nsugar\nwater\n")

    said = disk.look(10)

    assert len(said) == 1
    assert said[0].startswith("waits b.md: ")
    assert disk.files == {"a.md": "tea\nmilk\n", "stays.md": "stays\n"}
    assert disk.history("a.md") == [("created", "folder")]

    MemoryStore.objects.filter(pk=disk.memory.pk).update(max_bytes=2000)
    disk.look(60, seconds=10)

    assert disk.history("b.md") == [("created", "folder"), ("renamed", "folder"), ("modified", "folder")]
