"""What people changed here beside what changes in a followed folder."""

import pytest

from memories import store
from memories.commands import Create, Delete, Rename
from memories.models import MemoryVersion
from tests.support.folders import Folder, edit, path
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_a_person_changed_is_not_set_back_by_a_file_that_stays_as_it_is(disk: Folder) -> None:
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


def test_a_change_on_disk_goes_over_a_persons_and_says_so(disk: Folder) -> None:
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


def test_a_rename_on_disk_keeps_what_a_person_wrote(disk: Folder) -> None:
    old = disk.put("a.md", "tea\n")
    disk.look()
    edit(disk, "a.md", "coffee\n")
    old.rename(old.with_name("b.md"))

    assert disk.look() == ["renamed a.md to b.md, version 3"]
    assert disk.files == {"b.md": "coffee\n"}
    assert disk.look() == []


def test_a_rename_to_where_a_person_made_a_file_goes_over_it(disk: Folder) -> None:
    old = disk.put("a.md", "tea\n")
    disk.put("stays.md", "stays\n")
    disk.look()
    store.apply(disk.memory.pk, Create(path("b.md"), "mine\n"), actor=PERSON)
    old.rename(old.with_name("b.md"))

    assert disk.look() == ["renamed a.md to b.md, version 2, over version 1 by mia"]
    assert disk.files == {"b.md": "tea\n", "stays.md": "stays\n"}


def test_a_persons_own_files_are_never_deleted_for_not_being_on_disk(disk: Folder) -> None:
    disk.put("a.md", "tea\n")
    store.apply(disk.memory.pk, Create(path("mine.md"), "mine\n"), actor=PERSON)

    disk.look()
    disk.restart()
    disk.look()

    assert set(disk.files) == {"a.md", "mine.md"}


def test_what_was_there_before_the_folder_is_met_as_an_import_meets_it(disk: Folder) -> None:
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
