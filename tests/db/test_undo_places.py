"""Taking acts back where paths are taken by now: nobody is led into a refusal, a name is asked for."""

from dataclasses import replace
from uuid import UUID

import pytest

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Rename, StrReplace
from memories.models import ChangeSet, MemoryEntry, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.undo import Answer, FilePlan, Reply, Verdict
from tests.support.stores import assert_sound, files_of


def at(name: str) -> MemoryPath:
    return MemoryPath(f"/memories/{name}")


def act(store: MemoryStore, actor: Actor, *commands: Command) -> ChangeSet:
    """Carry the commands out as one act, which may go on later."""
    for command in commands:
        memory.apply(store.pk, command, actor=replace(actor, change_set="act"))
    return ChangeSet.objects.get(store=store, key="act")


def do(store: MemoryStore, actor: Actor, *commands: Command) -> None:
    for command in commands:
        memory.apply(store.pk, command, actor=actor)


def planned(change_set: ChangeSet) -> dict[str, FilePlan]:
    return {MemoryPath(made.entry.path).relative: made for made in undo.plan(change_set)}


def answered(change_set: ChangeSet, **answers: Reply) -> dict[UUID, Reply]:
    plans = planned(change_set)
    return {plans[name].entry.uuid: reply for name, reply in answers.items()}


def contents(store: MemoryStore) -> dict[str, str]:
    assert_sound(store)
    return {MemoryPath(path).relative: data.decode() for path, data in files_of(store).items()}


def test_a_file_that_is_asked_about_gets_another_name_where_its_own_is_taken(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(at("a"), "one\n"))
    done = act(store, agent, Rename(at("a"), at("b")), StrReplace(at("b"), "one", "ONE"))
    do(store, person, StrReplace(at("b"), "ONE", "ONE, by hand"), Create(at("a"), "new\n"))
    assert (planned(done)["b"].verdict, planned(done)["b"].taken) == (Verdict.ASKED, "/memories/a")

    for reply in (Reply(Answer.WHOLE), Reply(Answer.WHOLE, at("a"))):
        with pytest.raises(undo.AnswerMissing, match="another name"):
            undo.undo(done, actor=person, replies=answered(done, b=reply))
    undo.undo(done, actor=person, replies=answered(done, b=Reply(Answer.WHOLE, at("old"))))

    assert contents(store) == {"a": "new\n", "old": "one\n"}


def test_a_name_is_not_for_an_answer_by_which_the_file_stays(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(at("a"), "one\nmid\ntwo\n"))
    changes = (StrReplace(at("b"), "one", "ONE"), StrReplace(at("b"), "two", "TWO"))
    done = act(store, agent, Rename(at("a"), at("b")), *changes)
    do(store, person, StrReplace(at("b"), "ONE", "ONE, by hand"), Rename(at("b"), at("c")), Create(at("a"), "new\n"))

    undo.undo(done, actor=person, replies=answered(done, c=Reply(Answer.REST, at("old"))))

    assert contents(store) == {"a": "new\n", "c": "ONE, by hand\nmid\ntwo\n"}


def test_a_file_that_stays_is_in_the_way_of_one_that_would_go_back(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(at("a"), "a\n"), Create(at("b"), "b\n"))
    done = act(store, agent, Rename(at("b"), at("c")), Rename(at("a"), at("b")))
    assert {made.verdict for made in undo.plan(done)} == {Verdict.GOES_BACK}
    kept = answered(done, b=Reply(Answer.KEEP))

    with pytest.raises(undo.AnswerMissing, match="/memories/b is taken; give /memories/c another name"):
        undo.undo(done, actor=person, replies=kept)
    asked = undo.asked_again(store.pk, undo.plan(done), kept)
    undo.undo(done, actor=person, replies=kept | answered(done, c=Reply(Answer.WHOLE, at("d"))))

    assert [(made.entry.path, made.verdict, made.taken) for made in asked] == [
        ("/memories/b", Verdict.GOES_BACK, ""),
        ("/memories/c", Verdict.ASKED, "/memories/b"),
    ]
    assert contents(store) == {"b": "a\n", "d": "b\n"}


def test_what_goes_back_where_it_is_leaves_no_path_free(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(at("a"), "a\n"))
    act(store, agent, Rename(at("a"), at("b")))
    do(store, person, Create(at("a"), "another\n"))
    done = act(store, agent, StrReplace(at("a"), "another", "changed"))

    made = planned(done)["b"]

    assert (made.verdict, made.taken) == (Verdict.ASKED, "/memories/a")
    undo.undo(done, actor=person, replies={made.entry.uuid: Reply(Answer.WHOLE, at("c"))})
    assert contents(store) == {"a": "another\n", "c": "a\n"}


def test_of_two_files_that_had_one_path_the_second_is_asked_about(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(at("a"), "first\n"))
    act(store, agent, Rename(at("a"), at("b")))
    do(store, person, Create(at("a"), "second\n"))
    done = act(store, agent, Rename(at("a"), at("c/d")))

    plans = planned(done)

    assert (plans["b"].verdict, plans["c/d"].verdict) == (Verdict.GOES_BACK, Verdict.ASKED)
    undo.undo(done, actor=person, replies={plans["c/d"].entry.uuid: Reply(Answer.WHOLE, at("e"))})
    assert contents(store) == {"a": "first\n", "e": "second\n"}


@pytest.mark.parametrize("there", ["a", "a/b/c"])
def test_a_file_above_or_files_below_are_in_the_way_too(
    store: MemoryStore, agent: Actor, person: Actor, there: str
) -> None:
    do(store, person, Create(at("a/b"), "old\n"))
    done = act(store, agent, Delete(at("a/b")))
    do(store, person, Create(at(there), "new\n"))

    (made,) = undo.plan(done)

    assert (made.verdict, made.taken) == (Verdict.ASKED, "/memories/a/b")
    named = {made.entry.uuid: Reply(Answer.WHOLE, at(f"{there}/deep"))}
    with pytest.raises(undo.AnswerMissing):
        undo.undo(done, actor=person, replies=named)
    undo.undo(done, actor=person, replies={made.entry.uuid: Reply(Answer.WHOLE, at("c"))})
    assert contents(store) == {there: "new\n", "c": "old\n"}


def test_files_without_an_answer_stay_with_all_that_waits_for_their_places(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    """A long row in which each file has moved one place on, and something new lies at the first place."""
    do(store, person, *(Create(at(f"{number:02}"), f"{number}\n") for number in range(12)))
    moves = [Rename(at(f"{number:02}"), at(f"{number + 1:02}")) for number in reversed(range(12))]
    done = act(store, agent, *moves, Create(at("made"), "made\n"))
    do(store, person, Create(at("00"), "new\n"))
    before = contents(store)

    undone = undo.undo(done, actor=person, replies={}, others=Answer.KEEP)

    assert (undone.back, undone.kept) == (1, 12)
    assert contents(store) == {path: text for path, text in before.items() if path != "made"}


def test_files_that_moved_on_go_back_in_a_version_each(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, *(Create(at(f"{number:02}"), f"{number}\n") for number in range(30)))
    before = contents(store)
    done = act(store, agent, *(Rename(at(f"{number:02}"), at(f"{number + 1:02}")) for number in reversed(range(30))))
    seq = MemoryStore.objects.get(pk=store.pk).seq

    undo.undo(done, actor=person, replies={})

    assert contents(store) == before
    assert MemoryVersion.objects.filter(store=store, seq__gt=seq).count() == 30


def test_an_undo_fits_a_store_that_is_full_before_and_after(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(at("a"), "large " * 10), Create(at("b"), "small"), Create(at("c"), "gone" * 10))
    before = contents(store)
    done = act(
        store,
        agent,
        StrReplace(at("a"), "large " * 10, "tiny"),
        StrReplace(at("b"), "small", "large " * 10 + "."),
        Delete(at("c")),
        Create(at("d"), "made" * 10),
    )
    held = MemoryStore.objects.get(pk=store.pk)
    MemoryStore.objects.filter(pk=store.pk).update(max_bytes=held.byte_count, max_files=held.file_count)

    undo.undo(done, actor=person, replies={})

    assert contents(store) == before
    assert not MemoryEntry.objects.live().filter(path__startswith="/memories/.").exists()
