"""Random acts of two, one of which is taken back with random answers: it ends, in a question or as it was said."""

from dataclasses import replace
from random import Random

import pytest

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Insert, Rename, StrReplace, Undelete
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.undo import Answer, FilePlan, Reply, Verdict
from tests.support.stores import assert_sound, files_of

ROUNDS = 4
"""Attempts: from the third on each file that is asked about gets a name that nobody else has."""


@pytest.mark.parametrize("seed", range(30))
def test_answers_at_random_end_in_an_undo_that_can_be_undone(
    store: MemoryStore, agent: Actor, person: Actor, seed: int
) -> None:
    random = Random(seed)
    for number in range(60):
        actor = random.choice((replace(agent, change_set="act"), person))
        try:
            memory.apply(store.pk, at_random(random, number), actor=actor)
        except Refused:
            continue
    before = files_of(store)
    act = ChangeSet.objects.get(store=store, key="act")

    done = answered(random, act, person)

    assert_sound(store)
    if done is None:
        assert files_of(store) == before
        return
    undo.undo(ChangeSet.objects.get(uuid=done.change_set), actor=person, replies={})
    assert_sound(store)
    assert files_of(store) == before


def answered(random: Random, act: ChangeSet, person: Actor) -> undo.Undone | None:
    """Take the act back, answering question after question; None where the answers leave nothing to do."""
    plans = undo.plan(act)
    replies = {made.entry.uuid: Reply(Answer.KEEP) for made in plans if random.random() < 0.2}
    for attempt in range(ROUNDS):
        asked = undo.asked_again(act.memory_id, plans, replies)
        for made in asked:
            if made.verdict is Verdict.ASKED and replies.get(made.entry.uuid) != Reply(Answer.KEEP):
                replies[made.entry.uuid] = reply_at_random(random, made, own_name=attempt > 1)
        try:
            return undo.undo(act, actor=person, replies=replies, shown=undo.fingerprint(plans))
        except undo.AnswerMissing:
            assert files_of(act.memory)
        except undo.NothingToUndo:
            return None
    pytest.fail("It asked again and again.")


def reply_at_random(random: Random, made: FilePlan, *, own_name: bool) -> Reply:
    path = place(random)
    if own_name:
        path = MemoryPath(f"/memories/named/{made.entry.pk}")
    return Reply(random.choice([*made.choices, Answer.KEEP]), path if made.taken else None)


def at_random(random: Random, number: int) -> Command:
    path, other = place(random), place(random)
    gone = MemoryEntry.objects.filter(state="trash").order_by("pk").values_list("pk", flat=True)
    choices: list[Command] = [
        Create(path, "".join(f"line {random.randrange(5)}\n" for _ in range(random.randrange(6)))),
        Create(path, f"only {number}\n"),
        Insert(path, 0, f"first of {number}"),
        StrReplace(path, "line 3", f"three of {number}"),
        Delete(path),
        Rename(path, other),
        Undelete(random.choice([0, *gone]), other),
    ]
    return random.choice(choices)


def place(random: Random) -> MemoryPath:
    return MemoryPath("/memories/" + "/".join(random.choice("ab") for _ in range(random.randint(1, 3))))
