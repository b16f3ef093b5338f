"""Deletions that somebody accepts: what that person saw to be missing, and nothing else."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from agents import folders
from agents.models import WatchedFolder
from memories import store
from memories.commands import Lock
from memories.models import MemoryVersion
from tests.support.folders import Folder, path
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)


def accept(disk: Folder, user: User) -> None:
    """Accept what the page shows now."""
    until = folders.status(WatchedFolder.objects.get()).missing_until
    assert until
    assert folders.accept_deletions(disk.agent, user, until)


def heard(disk: Folder) -> None:
    """Let the follower hear of it, as its loop asks the row."""
    row = WatchedFolder.objects.get()
    if row.accepted_at:
        disk.follower.holdings.accept(row.accepted_at, row.accepted_by)


def gone(disk: Folder, *names: str) -> None:
    for name in names:
        (disk.place / name).unlink()


@pytest.fixture
def missing(disk: Folder) -> list[str]:
    """Return the names of twelve files of 22 that went at once; the others stay."""
    names = [f"many/{number}.md" for number in range(12)]
    for name in [*names, *(f"{number}.md" for number in range(10))]:
        disk.put(name, f"{name}\n")
    disk.look()
    gone(disk, *names)
    disk.look()
    assert folders.status(WatchedFolder.objects.get()).gone == tuple(sorted(names))
    return names


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

    accept(disk, mara)
    heard(disk)
    disk.look()

    assert set(disk.files) == {"d.md"}
    assert WatchedFolder.objects.get().problem == ""
    assert WatchedFolder.objects.get().accepted_at is None
    deleted = MemoryVersion.objects.filter(operation="deleted").latest("seq")
    assert deleted.change_set.reason == "Deletions accepted by mara"
    assert not folders.accept_deletions(disk.agent, mara, timezone.now())


def test_what_goes_while_somebody_decides_is_judged_for_itself(disk: Folder, missing: list[str], mara: User) -> None:
    accept(disk, mara)
    gone(disk, *(f"{number}.md" for number in range(10)))
    heard(disk)

    disk.look()

    assert set(disk.files) == {f"{number}.md" for number in range(10)}
    shown = folders.status(WatchedFolder.objects.get())
    assert shown.gone == tuple(f"{number}.md" for number in range(10))
    assert WatchedFolder.objects.get().accepted_at is None


def test_what_went_missing_after_the_page_was_made_is_not_accepted_with_it(
    disk: Folder, missing: list[str], mara: User
) -> None:
    seen = folders.status(WatchedFolder.objects.get()).missing_until
    assert seen
    gone(disk, *(f"{number}.md" for number in range(10)))
    disk.look()

    folders.accept_deletions(disk.agent, mara, seen)
    heard(disk)
    disk.look()

    assert set(disk.files) == {f"{number}.md" for number in range(10)}


def test_a_file_that_was_back_meanwhile_and_went_again_was_not_accepted(
    disk: Folder, missing: list[str], mara: User
) -> None:
    seen = folders.status(WatchedFolder.objects.get()).missing_until
    assert seen
    for name in missing:
        disk.put(name, f"{name}\n")
    disk.look()
    gone(disk, *missing)
    disk.look()

    assert not folders.accept_deletions(disk.agent, mara, seen)
    assert not folders.accept_deletions(disk.agent, mara, seen - timedelta(days=1))
    disk.look()

    assert set(missing) <= set(disk.files)


def test_other_changes_of_that_look_do_not_claim_to_be_accepted(disk: Folder, missing: list[str], mara: User) -> None:
    accept(disk, mara)
    heard(disk)
    disk.put("0.md", "changed\n")
    gone(disk, "1.md")

    disk.look()

    reasons = dict(MemoryVersion.objects.filter(number=2).values_list("path", "change_set__reason"))
    assert {reasons[f"/memories/{name}"] for name in missing} == {"Deletions accepted by mara"}
    assert {reasons["/memories/0.md"], reasons["/memories/1.md"]} == {""}


def test_an_accepted_deletion_that_is_refused_is_made_once_it_may_also_by_another_process(
    disk: Folder, missing: list[str], mara: User
) -> None:
    store.apply(disk.memory.pk, Lock(path(missing[0])), actor=PERSON)
    accept(disk, mara)
    disk.restart()

    said = disk.look(10)

    assert [line for line in said if line.startswith("waits ")] == [line for line in said if missing[0] in line]
    assert set(disk.files) == {missing[0], *(f"{number}.md" for number in range(10))}

    store.apply(disk.memory.pk, Lock(path(missing[0]), on=False), actor=PERSON)
    disk.look(60, seconds=10)

    assert missing[0] not in disk.files
    row = WatchedFolder.objects.get()
    assert (row.accepted_at, row.problem, row.waiting_count) == (None, "", 0)


def test_accepting_at_the_start_means_what_is_gone_then(disk: Folder, missing: list[str]) -> None:
    disk.put("late/a.md", "tea\n")
    disk.look()
    gone(disk, "late/a.md", *(f"{number}.md" for number in range(5)))
    disk.restart()
    disk.follower.holdings.accept_all("memdash watch")
    disk.look(1)
    gone(disk, *(f"{number}.md" for number in range(5, 10)))

    disk.look()

    assert set(disk.files) == {f"{number}.md" for number in range(5, 10)}
    assert "Deletions accepted by memdash watch" in MemoryVersion.objects.values_list("change_set__reason", flat=True)
