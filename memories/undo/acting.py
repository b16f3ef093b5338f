"""Taking an act back: planned while others go on writing, done under the store's lock if the plan still holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID, uuid4

from memories import replies as words
from memories import store
from memories.actors import Actor
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.refusals import Busy, ContentChanged, Refused
from memories.undo.answers import Replies, Settled, settle
from memories.undo.carrying import carry_out, unmark
from memories.undo.plans import COMPARED, Answer, Effort, FilePlan, fingerprint, plan_file
from memories.undo.trails import batches, contents_of, trails_of, versions_of

TRIES: Final = 3
"""How often a plan is made anew since the files changed meanwhile."""


class NothingToUndo(Refused):
    """Nothing of the act is left that could be taken back."""


class AnswerMissing(Refused):
    """Nobody has said what shall become of a file that somebody else changed since, or under which name it comes."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the change set that did it, and how many files went back and were kept."""

    change_set: UUID
    back: int
    kept: int

    @property
    def files(self) -> int:
        """Return how many files the act had changed; none where it set marks only."""
        return self.back + self.kept


def plan(change_set: ChangeSet) -> list[FilePlan]:
    """Return what taking ``change_set`` back would do to each file it changed, in the order of their paths.

    Raises TooMuch for an act that is too large for one undo.
    """
    content, effort = contents_of(change_set.memory_id), Effort(COMPARED)
    plans = [plan_file(trail, content, effort) for trail in trails_of(change_set)]
    return settle(change_set.memory_id, plans, {}).asked(plans)


def undo(
    change_set: ChangeSet, *, actor: Actor, replies: Replies, others: Answer | None = None, shown: str = ""
) -> Undone:
    """Take ``change_set`` back in one transaction, as a change set that can be taken back itself.

    ``others`` is the answer for files without a reply of their own that are asked about.
    ``shown`` is the fingerprint of the plan that the person saw; ContentChanged is raised once that is no longer the
    plan, AnswerMissing where the replies leave a file open, TooMuch for an act that is too large, Busy when its files
    keep changing, NothingToUndo when nothing is left to do. Nothing was changed then.
    """
    actor = replace(actor, change_set=f"undo:{uuid4()}", undoes=change_set.uuid)
    for _ in range(TRIES):
        seq = _seq(change_set)
        plans = plan(change_set)
        if shown and shown != fingerprint(plans):
            raise ContentChanged("A file changed while you looked; nothing was undone. This is how it stands now.")
        with store.locked(change_set.memory_id) as tx:
            if _holds(change_set, plans, seq):
                settled = settle(change_set.memory_id, plans, replies, others)
                done = _take_back(tx, change_set, settled, actor)
                return Undone(done, len(settled.targets), len(plans) - len(settled.targets))
    raise Busy(words.BUSY)


def _seq(change_set: ChangeSet) -> int:
    return MemoryStore.objects.values_list("seq", flat=True).get(pk=change_set.memory_id)


def _holds(change_set: ChangeSet, plans: Sequence[FilePlan], seq: int) -> bool:
    """Say whether neither the act nor its files went on since the store's ``seq``; one query where nothing did."""
    if _seq(change_set) == seq:
        return True
    if versions_of(change_set).filter(seq__gt=seq).exists():
        return False
    changed = MemoryEntry.objects.filter(changed_seq__gt=seq)
    return not any(changed.filter(pk__in=some).exists() for some in batches(made.entry.pk for made in plans))


def _take_back(tx: store.Transaction, change_set: ChangeSet, settled: Settled, actor: Actor) -> UUID:
    """Do what is settled, and return the public id of the change set that came of it."""
    for made in settled.open:
        if made.taken:
            raise AnswerMissing(f"{made.taken} is taken; give {made.entry.path} another name.")
        raise AnswerMissing(f"{made.entry.path} was changed later; say what shall become of it.")
    carry_out(tx, settled.targets, actor, contents_of(change_set.memory_id))
    unmark(tx, change_set, actor)
    done = ChangeSet.objects.filter(store=change_set.memory_id, key=actor.change_set).first()
    if done is None:
        raise NothingToUndo("Nothing of this is left to undo.")
    return done.uuid
