"""Taking an act back: planned while others go on writing, done under the store's lock if the plan still holds."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Protocol
from uuid import UUID, uuid4

from django.db.models import QuerySet

from memories import replies as words
from memories import store
from memories.actors import Actor
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.refusals import Busy, ContentChanged, Refused
from memories.undo.answers import Replies, Settled, settle
from memories.undo.carrying import carry_out, unmark
from memories.undo.plans import COMPARED, Answer, Effort, FilePlan, fingerprint, plan_file
from memories.undo.trails import Content, batches, contents_of, trails_of, versions_of

TRIES: Final = 3
"""How often a plan is made anew since the files changed meanwhile."""

TOGETHER: Final = "together:"
"""How the key begins that the change sets of an act over several stores share, one in each of them."""


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


class Aim(Protocol):
    """What shall go back: how its files are planned for, and what else there is to do."""

    @property
    def store_id(self) -> int: ...

    def plans(self, content: Content) -> list[FilePlan]:
        """Return what would become of each file, in the order of their paths; TooMuch beyond the limits."""

    def has_gone_on(self, seq: int) -> bool:
        """Say whether files came to it after the store's ``seq``."""

    def finish(self, tx: store.Transaction, actor: Actor) -> None:
        """Do what is left once the files are back."""


@dataclass(frozen=True, slots=True)
class Act:
    """An act that shall be taken back."""

    change_set: ChangeSet

    @property
    def store_id(self) -> int:
        return self.change_set.memory_id

    def plans(self, content: Content) -> list[FilePlan]:
        effort = Effort(COMPARED)
        return [plan_file(trail, content, effort) for trail in trails_of(self.change_set)]

    def has_gone_on(self, seq: int) -> bool:
        return versions_of(self.change_set).filter(seq__gt=seq).exists()

    def finish(self, tx: store.Transaction, actor: Actor) -> None:
        unmark(tx, self.change_set, actor)


def plan(aim: ChangeSet | Aim) -> list[FilePlan]:
    """Return what taking an act back, or another aim, would do to each file, in the order of their paths.

    Raises TooMuch for one that is too large for one undo.
    """
    aim = Act(aim) if isinstance(aim, ChangeSet) else aim
    plans = aim.plans(contents_of(aim.store_id))
    return settle(aim.store_id, plans, {}).asked(plans)


def undo(
    change_set: ChangeSet, *, actor: Actor, replies: Replies, others: Answer | None = None, shown: str = ""
) -> Undone:
    """Take ``change_set`` back as one act; see :func:`reach`."""
    actor = replace(actor, change_set=f"undo:{uuid4()}", undoes=change_set.uuid)
    return reach(Act(change_set), actor=actor, replies=replies, others=others, shown=shown)


def reach(aim: Aim, *, actor: Actor, replies: Replies, others: Answer | None = None, shown: str = "") -> Undone:
    """Do in one transaction what ``aim`` plans, as the change set of ``actor``, which can be taken back itself.

    ``others`` is the answer for files without a reply of their own that are asked about.
    ``shown`` is the fingerprint of the plan that the person saw; ContentChanged is raised once that is no longer the
    plan, AnswerMissing where the replies leave a file open, TooMuch for an act that is too large, Busy when its files
    keep changing, NothingToUndo when nothing is left to do. Nothing was changed then.
    """
    for _ in range(TRIES):
        seq = _seq(aim)
        plans = plan(aim)
        if shown and shown != fingerprint(plans):
            raise ContentChanged("A file changed while you looked; nothing was done. This is how it stands now.")
        with store.locked(aim.store_id) as tx:
            if _holds(aim, plans, seq):
                settled = settle(aim.store_id, plans, replies, others)
                done = _carried_out(tx, aim, settled, actor)
                return Undone(done, len(settled.targets), len(plans) - len(settled.targets))
    raise Busy(words.BUSY)


def siblings_of(change_set: ChangeSet) -> QuerySet[ChangeSet]:
    """Return the change sets of the same act in all stores, this one too."""
    if not (change_set.key or "").startswith(TOGETHER):
        return ChangeSet.objects.filter(pk=change_set.pk)
    return ChangeSet.objects.filter(key=change_set.key).order_by("store")


def undo_together(change_sets: Sequence[ChangeSet], *, actor: Actor, shown: str = "") -> list[Undone]:
    """Take back in one transaction what one act did in several stores, as change sets that share a key again.

    Files that only a person can decide about are kept; they stay to be asked about where each store's part is undone.
    ``shown`` is the fingerprint of :func:`fingerprint_together` that the person saw. Raises as :func:`undo` does, and
    NothingToUndo only where nothing is left in any of the stores; nothing was changed then.
    """
    key, aims = f"{TOGETHER}{uuid4()}", [Act(each) for each in change_sets]
    for _ in range(TRIES):
        seqs = [_seq(aim) for aim in aims]
        plans = [plan(aim) for aim in aims]
        if shown and shown != fingerprint_together(plans):
            raise ContentChanged("A file changed while you looked; nothing was done. This is how it stands now.")
        with store.locked_together(aim.store_id for aim in aims) as stores:
            if all(map(_holds, aims, plans, seqs)):
                done = []
                for aim, made in zip(aims, plans, strict=True):
                    settled = settle(aim.store_id, made, {}, Answer.KEEP)
                    by = replace(actor, change_set=key, undoes=aim.change_set.uuid)
                    with suppress(NothingToUndo):
                        uuid = _carried_out(stores[aim.store_id], aim, settled, by)
                        done.append(Undone(uuid, len(settled.targets), len(made) - len(settled.targets)))
                if not done:
                    raise NothingToUndo("Nothing of this is left to undo.")
                return done
    raise Busy(words.BUSY)


def fingerprint_together(plans: Sequence[Sequence[FilePlan]]) -> str:
    """Return a text that changes whenever a file of any of the plans does."""
    return sha256(";".join(map(fingerprint, plans)).encode()).hexdigest()


def _seq(aim: Aim) -> int:
    return MemoryStore.objects.values_list("seq", flat=True).get(pk=aim.store_id)


def _holds(aim: Aim, plans: Sequence[FilePlan], seq: int) -> bool:
    """Say whether neither the aim nor its files went on since the store's ``seq``; one query where nothing did."""
    if _seq(aim) == seq:
        return True
    if aim.has_gone_on(seq):
        return False
    changed = MemoryEntry.objects.filter(changed_seq__gt=seq)
    return not any(changed.filter(pk__in=some).exists() for some in batches(made.entry.pk for made in plans))


def _carried_out(tx: store.Transaction, aim: Aim, settled: Settled, actor: Actor) -> UUID:
    """Do what is settled, and return the public id of the change set that came of it."""
    for made in settled.open:
        if made.taken:
            raise AnswerMissing(f"{made.taken} is taken; give {made.entry.path} another name.")
        raise AnswerMissing(f"{made.entry.path} was changed later; say what shall become of it.")
    carry_out(tx, settled.targets, actor, contents_of(aim.store_id))
    aim.finish(tx, actor)
    done = ChangeSet.objects.filter(store=aim.store_id, key=actor.change_set).first()
    if done is None:
        raise NothingToUndo("Nothing of this is left to undo.")
    return done.uuid
