"""Purging: what was in the trash is gone for good, and the record of it stays sound."""

from pathlib import Path

import pytest
from django.db import connection

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Insert, Label, Note, Purge, StrReplace, Undelete
from memories.models import Blob, ChangeSet, Emptying, FileLabel, FileNote, MemoryEntry, MemoryStore, MemoryVersion
from memories.moments import file_at, files_at
from memories.paths import MemoryPath
from memories.refusals import PathMissing
from memories.store import drafts, purging
from memories.tasks import empty_trash
from memories.undo import Reason, Verdict
from tests.support.people import stranger
from tests.support.stores import assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)

A = MemoryPath("/memories/a.md")
B = MemoryPath("/memories/b.md")
MARKER = "Xq7-marker"


def do(store: MemoryStore, actor: Actor, *commands: Command) -> ChangeSet:
    for command in commands:
        outcome = memory.apply(store.pk, command, actor=actor)
    return ChangeSet.objects.get(uuid=outcome.change_set or "")


def file_in(store: MemoryStore, path: MemoryPath = A) -> MemoryEntry:
    return MemoryEntry.objects.filter(store=store, path=path.text).latest("pk")


def many_in_trash(store: MemoryStore, actor: Actor, count: int) -> None:
    with memory.locked(store.pk) as tx:
        for number in range(count):
            path = MemoryPath(f"/memories/{number:04}.md")
            tx.apply(Create(path, f"text {number}"), actor=actor)
            tx.apply(Delete(path), actor=actor)


def database_bytes() -> bytes:
    """Return all that SQLite has in its files; nothing for a database that is elsewhere."""
    if connection.vendor != "sqlite":
        return b""
    database = Path(connection.settings_dict["NAME"])
    return b"".join(path.read_bytes() for path in sorted(database.parent.glob(f"{database.name}*")))


def test_nothing_of_a_purged_file_is_left_but_the_record(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, agent, Create(A, f"{MARKER} one\n"), Insert(A, 1, f"{MARKER} two\n"), Create(B, "kept\n"))
    do(store, person, Label(A, add=(MARKER.lower(),)))
    do(store, person, Note(A, f"{MARKER} note"))
    entry = file_in(store)
    MemoryVersion.objects.filter(entry=entry, number=1).update(note=f"{MARKER} note on a version")
    drafts.keep(stranger().pk, entry, f"{MARKER} draft", mark="", base_version=2, base_sha256="")
    do(store, person, Delete(A))

    before = database_bytes()

    purging.purge(store.pk, (entry.pk,), actor=person)

    after = database_bytes()
    assert before.count(MARKER.encode()) >= 8 * (connection.vendor == "sqlite")
    assert MARKER.encode().lower() not in after.lower()
    assert (b"kept\n" in after) is bool(after)
    assert_sound(store)
    assert files_of(store) == {B.text: b"kept\n"}
    assert Blob.objects.count() == 1
    assert not FileLabel.objects.exists()
    assert not FileNote.objects.exists()
    assert [version.operation for version in entry.versions.order_by("number")] == [
        "created",
        "modified",
        "deleted",
        "purged",
    ]
    act = ChangeSet.objects.latest("pk")
    assert act.reason == "Purged 1 file from the trash."


def test_bytes_that_another_file_had_stay(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, agent, Create(A, "shared\n"), Create(B, "shared\n"), StrReplace(B, "shared", "other"), Delete(A))

    purging.purge(store.pk, (file_in(store).pk,), actor=person)

    assert_sound(store)
    assert sorted(Blob.objects.values_list("size", flat=True)) == [6, 7]


def test_a_purge_passes_over_what_came_back_and_what_others_have(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, agent, Create(A, "x"), Delete(A))
    entry = file_in(store)
    other = memory.create_store(name="Other")

    with pytest.raises(PathMissing):
        memory.apply(other.pk, Purge((entry.pk,)), actor=person)
    do(store, person, Undelete(entry.pk, A))
    with pytest.raises(PathMissing):
        memory.apply(store.pk, Purge((entry.pk,)), actor=person)

    assert files_of(store) == {A.text: b"x"}


def test_undo_says_that_a_purged_file_is_gone_for_good_and_does_the_rest(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    with memory.locked(store.pk) as tx:
        run = Actor(agent.kind, agent.label, change_set="bulk")
        for path in (A, B):
            tx.apply(Create(path, "x\n"), actor=run)
    deleted = do(store, person, Delete(A))
    purging.purge(store.pk, (file_in(store).pk,), actor=person)
    purged = ChangeSet.objects.latest("pk")

    bulk = ChangeSet.objects.get(key="bulk")
    assert {made.entry.path: (made.verdict, made.reason) for made in undo.plan(bulk)} == {
        A.text: (Verdict.KEPT, Reason.PURGED),
        B.text: (Verdict.GOES_BACK, None),
    }
    undo.undo(bulk, actor=person, replies={})
    assert files_of(store) == {}
    for act in (deleted, purged):
        assert [made.reason for made in undo.plan(act)] == [Reason.PURGED]
        with pytest.raises(undo.NothingToUndo):
            undo.undo(act, actor=person, replies={})
    assert_sound(store)


def test_a_moment_before_the_purge_knows_the_file_without_its_text(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, agent, Create(A, "x"), Delete(A))
    entry = file_in(store)
    purging.purge(store.pk, (entry.pk,), actor=person)
    store.refresh_from_db()

    assert [(file.path, file.blob_id) for file in files_at(store, 1)] == [(A.text, None)]
    assert files_at(store, store.seq) == []
    assert file_at(store, store.seq, entry.pk) is None


def test_emptying_goes_on_where_it_was_cut_off_and_leaves_what_was_deleted_later(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    many_in_trash(store, agent, 450)
    store.refresh_from_db()
    order = purging.begin(store, actor=person, upto_seq=store.seq)
    do(store, agent, Create(B, "later"), Delete(B))

    assert purging.go_on(order)
    order.refresh_from_db()
    assert (order.total, order.purged, order.finished_at) == (450, 200, None)
    # A message that comes twice, and a worker that takes over, do the rest.
    empty_trash()
    empty_trash()

    order.refresh_from_db()
    assert order.purged == 450
    assert order.finished_at
    assert [entry.path for entry in MemoryEntry.objects.filter(state="trash")] == [B.text]
    assert ChangeSet.objects.filter(key=f"empty:{order.uuid}").count() == 1
    assert not Emptying.objects.filter(finished_at=None).exists()
    assert_sound(store)
