"""Taking acts back: runs, people's changes, marks, and undoing itself."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from uuid import UUID

import pytest

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Insert, Lock, Pause, Pin, Rename, StrReplace, Undelete
from memories.models import ChangeSet, MemoryEntry, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, Refused
from memories.undo import Answer, Reason, Reply, Verdict
from tests.support.stores import assert_sound, files_of

A = MemoryPath("/memories/a.md")
B = MemoryPath("/memories/dir/b.md")
C = MemoryPath("/memories/c.md")
FIRST, SECOND, THIRD = (UUID(int=number) for number in (1, 2, 3))


def of_run(agent: Actor, run: UUID) -> Actor:
    return replace(agent, run_id=run, turn=1, change_set=f"run:{run}")


def do(store: MemoryStore, actor: Actor, *commands: Command) -> None:
    for command in commands:
        memory.apply(store.pk, command, actor=actor)


def run_of(store: MemoryStore, run: UUID) -> ChangeSet:
    return ChangeSet.objects.get(store=store, key=f"run:{run}")


def take_back(store: MemoryStore, change_set: ChangeSet, actor: Actor, **replies: Reply) -> ChangeSet:
    by_path = {MemoryPath(f"/memories/{name}.md").text: reply for name, reply in replies.items()}
    given = {entry.uuid: by_path[entry.path] for entry in MemoryEntry.objects.live().files() if entry.path in by_path}
    done = undo.undo(change_set, actor=actor, replies=given)
    assert_sound(store)
    return ChangeSet.objects.get(uuid=done.change_set)


def verdicts(change_set: ChangeSet) -> dict[str, Verdict]:
    return {made.entry.path: made.verdict for made in undo.plan(change_set)}


def test_a_run_goes_back_and_its_undo_too(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "tea\nmilk\n"), Create(B, "stays?\n"), Create(C, "old\n"))
    before = files_of(store)
    run = of_run(agent, FIRST)
    do(store, run, StrReplace(A, "tea", "coffee"), Delete(B), Rename(C, MemoryPath("/memories/x/d.md")))
    do(store, run, Create(MemoryPath("/memories/new.md"), "new\n"), Create(C, "another\n"))
    after = files_of(store)

    undone = take_back(store, run_of(store, FIRST), person)
    assert files_of(store) == before
    assert undone.undoes == run_of(store, FIRST).uuid
    assert undone.versions.count() == 5
    again = take_back(store, undone, person)

    assert files_of(store) == after
    assert take_back(store, again, person)
    assert files_of(store) == before


def test_what_others_did_later_in_other_lines_stays(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "one\ntwo\nthree\n"))
    do(store, of_run(agent, FIRST), StrReplace(A, "one", "ONE"))
    do(store, of_run(agent, SECOND), StrReplace(A, "three", "THREE"))
    do(store, of_run(agent, FIRST), StrReplace(A, "two", "TWO"))

    take_back(store, run_of(store, FIRST), person)

    assert files_of(store) == {A.text: b"one\ntwo\nTHREE\n"}
    newest = MemoryVersion.objects.filter(store=store).latest("seq")
    assert (newest.operation, newest.origin) == ("restored", 1)


def test_a_person_is_asked_where_later_words_stand_on_the_same_line(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(A, "one\ntwo\nthree\nfour\n"))
    run = of_run(agent, FIRST)
    do(store, run, StrReplace(A, "one\n", "ONE\n"), StrReplace(A, "two\n", "TWO\n"), StrReplace(A, "four", "FOUR"))
    do(store, person, StrReplace(A, "TWO", "TWO, by hand"))
    run_set = run_of(store, FIRST)
    assert verdicts(run_set) == {A.text: Verdict.ASKED}

    with pytest.raises(undo.AnswerMissing):
        take_back(store, run_set, person)
    rest = take_back(store, run_set, person, a=Reply(Answer.REST))
    assert files_of(store) == {A.text: b"ONE\nTWO, by hand\nthree\nfour\n"}
    take_back(store, rest, person)
    take_back(store, run_set, person, a=Reply(Answer.WHOLE))
    assert files_of(store) == {A.text: b"one\ntwo\nthree\nfour\n"}
    with pytest.raises(undo.NothingToUndo):
        take_back(store, run_set, person, a=Reply(Answer.KEEP))


def test_what_nothing_is_left_of_is_kept(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "one\ntwo\n"), Create(B, "b\n"), Create(C, "c\n"))
    do(store, of_run(agent, FIRST), StrReplace(A, "one", "ONE"), StrReplace(B, "b", "B"), Delete(C))
    do(store, of_run(agent, SECOND), StrReplace(A, "ONE", "another"), Delete(B))
    do(store, person, undelete_of(store, C))

    plans = undo.plan(run_of(store, FIRST))

    assert {made.entry.path: (made.verdict, made.reason) for made in plans} == {
        A.text: (Verdict.KEPT, Reason.REWRITTEN),
        B.text: (Verdict.KEPT, Reason.GONE),
        C.text: (Verdict.KEPT, Reason.BROUGHT_BACK),
    }


def undelete_of(store: MemoryStore, path: MemoryPath) -> Command:
    return Undelete(MemoryEntry.objects.get(store=store, path=path.text, state="trash").pk, path)


def test_a_file_that_the_run_made_and_others_wrote_in_is_asked_about(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, of_run(agent, FIRST), Create(A, "one\n"))
    do(store, of_run(agent, SECOND), Insert(A, 1, "two\n"))
    assert verdicts(run_of(store, FIRST)) == {A.text: Verdict.ASKED}

    take_back(store, run_of(store, FIRST), person, a=Reply(Answer.WHOLE))

    assert files_of(store) == {}


def test_a_name_is_asked_for_where_another_file_has_the_path(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "mine\n"))
    do(store, of_run(agent, FIRST), Delete(A))
    do(store, person, Create(A, "another\n"))
    (made,) = undo.plan(run_of(store, FIRST))
    assert (made.verdict, made.taken) == (Verdict.ASKED, A.text)

    undo.undo(run_of(store, FIRST), actor=person, replies={made.entry.uuid: Reply(Answer.WHOLE, C)})

    assert files_of(store) == {A.text: b"another\n", C.text: b"mine\n"}
    assert_sound(store)


def test_files_that_changed_places_go_back_to_their_own(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "a\n"), Create(C, "c\n"), Create(B, "b\n"))
    before = files_of(store)
    aside, inside = MemoryPath("/memories/aside"), MemoryPath("/memories/c.md/deep.md")
    run = of_run(agent, FIRST)
    do(store, run, Rename(A, aside), Rename(C, A), Rename(aside, C), Rename(C, aside), Rename(aside, inside))

    take_back(store, run_of(store, FIRST), person)

    assert files_of(store) == before


def test_marks_are_taken_back_with_their_act(store: MemoryStore, person: Actor) -> None:
    do(store, person, Create(A, "a\n"))
    acts = [memory.apply(store.pk, command, actor=person).change_set for command in (Pin(A), Lock(A), Pause())]

    undone = [take_back(store, ChangeSet.objects.get(uuid=act), person) for act in acts if act]

    entry, store = MemoryEntry.objects.live().at(A).get(), MemoryStore.objects.get(pk=store.pk)
    assert (entry.pinned, entry.locked, store.paused_at) == (False, False, None)
    take_back(store, undone[0], person)
    entry.refresh_from_db()
    assert entry.pinned


@pytest.mark.parametrize("changes", [(True, False), (True, False, True), (False, True, False)])
def test_a_mark_that_an_act_set_and_took_away_is_what_it_was_before(
    store: MemoryStore, person: Actor, changes: tuple[bool, ...]
) -> None:
    was = not changes[0]
    do(store, person, Create(A, "a\n"), Pin(A, was), Lock(A, was), Pause(was))
    bulk = replace(person, change_set="bulk")
    do(store, bulk, *(mark for on in changes for mark in (Pin(A, on), Lock(A, on), Pause(on))), Create(C, "c\n"))
    bulk_set = ChangeSet.objects.get(store=store, key="bulk")

    again = take_back(store, bulk_set, person)

    assert marks_of(store) == (was, was, was)
    assert files_of(store) == {A.text: b"a\n"}
    take_back(store, again, person)
    assert marks_of(store) == (changes[-1],) * 3
    assert files_of(store) == {A.text: b"a\n", C.text: b"c\n"}


def marks_of(store: MemoryStore) -> tuple[bool, bool, bool]:
    entry = MemoryEntry.objects.live().at(A).get(store=store)
    return entry.pinned, entry.locked, MemoryStore.objects.get(pk=store.pk).paused_at is not None


def test_what_changed_while_the_plan_was_looked_at_stops_it(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, person, Create(A, "one\ntwo\n"))
    do(store, of_run(agent, FIRST), StrReplace(A, "one", "ONE"))
    shown = undo.fingerprint(undo.plan(run_of(store, FIRST)))
    do(store, of_run(agent, SECOND), StrReplace(A, "two", "TWO"))

    with pytest.raises(ContentChanged):
        undo.undo(run_of(store, FIRST), actor=person, replies={}, shown=shown)

    assert files_of(store) == {A.text: b"ONE\nTWO\n"}


@pytest.mark.parametrize("seed", range(20))
def test_random_runs_and_their_undoing_return_byte_for_byte(
    store: MemoryStore, agent: Actor, person: Actor, seed: int
) -> None:
    random = Random(seed)
    do_at_random(store, person, random, 30)
    before = files_of(store)
    do_at_random(store, of_run(agent, FIRST), random, 40)
    after = files_of(store)

    undone = take_back(store, run_of(store, FIRST), person)
    assert files_of(store) == before
    take_back(store, undone, person)

    assert files_of(store) == after


def do_at_random(store: MemoryStore, actor: Actor, random: Random, acts: int) -> None:
    """Change files in few places, so that paths are left and taken again, as files and as directories."""
    for number in range(acts):
        try:
            memory.apply(store.pk, at_random(random, number), actor=actor)
        except Refused:
            continue


def at_random(random: Random, number: int) -> Command:
    path, other = (place(random) for _ in range(2))
    choices: Iterable[Command] = (
        Create(path, "".join(f"line {random.randrange(5)}\n" for _ in range(random.randrange(6)))),
        Create(path, f"only {number}"),
        Insert(path, 0, f"first of {number}"),
        StrReplace(path, "line 3", f"three of {number}"),
        Delete(path),
        Rename(path, other),
    )
    return random.choice(list(choices))


def place(random: Random) -> MemoryPath:
    return MemoryPath("/memories/" + "/".join(random.choice("ab") for _ in range(random.randint(1, 3))))
