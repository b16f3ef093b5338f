"""What was comes back: earlier texts, deleted files; and what a person has paused stays as it is for agents."""

from dataclasses import replace
from hashlib import sha256

import pytest

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, Exactly, Overwrite, Pause, Pin, Restore, StrReplace, Undelete, View
from memories.diffs import Hunk
from memories.models import ChangeSet, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, PathMissing, PathTaken, Paused
from tests.support.stores import assert_sound, files_of

NOTES = MemoryPath("/memories/a/notes.md")
OTHER = MemoryPath("/memories/a/other.md")


def entry_of(store: MemoryStore, path: MemoryPath) -> int:
    return store.entries.live().at(path).get().pk


def test_a_version_comes_back_as_a_new_one_whose_lines_name_their_place_in_it(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\nmilk\n"), actor=agent)
    memory.apply(store.pk, StrReplace(NOTES, "tea", "coffee"), actor=agent)

    back = memory.apply(store.pk, Restore(NOTES, 1, b"tea\nmilk\n"), actor=person)
    again = memory.apply(store.pk, Restore(NOTES, 1, b"tea\nmilk\n"), actor=person)

    made = MemoryVersion.objects.get(store=store, number=3)
    assert (made.operation, made.origin, made.spans) == ("restored", 1, [[0, 1, 0, 1, 0]])
    assert back.versions[0].hunks == (Hunk(0, 1, 0, 1, 0),)
    assert again.versions == ()
    assert files_of(store) == {NOTES.text: b"tea\nmilk\n"}
    assert_sound(store)


def test_a_deleted_file_leaves_the_trash_as_the_same_file(store: MemoryStore, agent: Actor, person: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=agent)
    file_id = entry_of(store, NOTES)
    memory.apply(store.pk, Delete(NOTES), actor=agent)
    memory.apply(store.pk, Create(NOTES, "another\n"), actor=agent)

    with pytest.raises(PathTaken):
        memory.apply(store.pk, Undelete(file_id, NOTES), actor=person)
    memory.apply(store.pk, Undelete(file_id, OTHER), actor=person)

    assert files_of(store) == {NOTES.text: b"another\n", OTHER.text: b"tea\n"}
    assert entry_of(store, OTHER) == file_id
    made = MemoryVersion.objects.get(entry=file_id, number=3)
    assert (made.operation, made.origin, made.moved_from, made.spans) == ("restored", 1, NOTES.text, [[0, 0, 0, 1, 0]])
    with pytest.raises(PathMissing):
        memory.apply(store.pk, Undelete(file_id, MemoryPath("/memories/c.md")), actor=person)
    assert_sound(store)


def test_an_act_meant_for_one_file_spares_another_that_took_its_place(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=agent)
    file_id = entry_of(store, NOTES)
    memory.apply(store.pk, StrReplace(NOTES, "tea", "milk"), actor=agent)

    with pytest.raises(ContentChanged):
        memory.apply(store.pk, Exactly(Delete(NOTES), NOTES, file_id, version=1), actor=person)
    memory.apply(store.pk, Delete(NOTES), actor=agent)
    memory.apply(store.pk, Create(NOTES, "another\n"), actor=agent)
    with pytest.raises(PathMissing):
        memory.apply(store.pk, Exactly(Delete(NOTES), NOTES, file_id), actor=person)

    assert files_of(store) == {NOTES.text: b"another\n"}


@pytest.mark.parametrize("kind", [ActorKind.AGENT, ActorKind.TOKEN, ActorKind.FOLDER])
def test_a_paused_store_can_be_read_by_agents_and_changed_by_people_only(
    store: MemoryStore, agent: Actor, person: Actor, kind: ActorKind
) -> None:
    agent = replace(agent, kind=kind)
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=agent)

    memory.apply(store.pk, Pause(), actor=person)
    with pytest.raises(Paused, match=r"^Error: a person has paused changes to this memory. Reading still works\.$"):
        memory.apply(store.pk, StrReplace(NOTES, "tea", "milk"), actor=agent)
    assert "tea" in str(memory.look(store.pk, View(NOTES), actor=agent).answer)
    memory.apply(store.pk, Overwrite(NOTES, "mine\n", sha256(b"tea\n").hexdigest()), actor=person)
    store.refresh_from_db()
    assert store.paused_at
    assert store.paused_by == person.label

    memory.apply(store.pk, Pause(on=False), actor=person)
    memory.apply(store.pk, StrReplace(NOTES, "mine", "ours"), actor=agent)

    assert files_of(store) == {NOTES.text: b"ours\n"}


def test_a_mark_is_on_record_as_a_change_set_of_its_own(store: MemoryStore, agent: Actor, person: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=agent)

    pinned = memory.apply(store.pk, Pin(NOTES), actor=person)
    again = memory.apply(store.pk, Pin(NOTES), actor=person)

    assert again.change_set is None
    assert pinned.change_set
    assert ChangeSet.objects.get(uuid=pinned.change_set).marks == [[entry_of(store, NOTES), "pinned", False, True]]
