"""Putting a store, or some of its files, back to a moment: everything that came after is what goes back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID, uuid4

from django.db.models import QuerySet

from memories import store
from memories.actors import Actor
from memories.models import MemoryEntry, MemoryStore, MemoryVersion
from memories.moments.files import newest_until
from memories.undo.acting import NothingToUndo, Undone, reach
from memories.undo.answers import Replies
from memories.undo.plans import Answer, Effort, FilePlan, Reason, Target, Verdict, plan_file
from memories.undo.trails import FILES, VERSIONS, Content, TooMuch, Trail, batches, too_much

KEY: Final = "put-back:"
"""What the keys of such change sets begin with."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment ``seq`` of a store as an aim, for all files or the ``only`` ones, by their public ids.

    Every change since then counts, whoever made it: the preview says who did. A file that was not there then stays
    unless it is asked for, and so does one whose text of then was blanked.
    """

    store_id: int
    seq: int
    only: frozenset[UUID] | None = None

    def plans(self, content: Content) -> list[FilePlan]:
        """Return what would become of each file that is not as it was then, in the order of their paths."""
        plans = (self._plan(trail, content) for trail in self._trails())
        return [
            made for made in plans if made.reason is not Reason.SAME and (made.trail.is_live or made.trail.was_live)
        ]

    def has_gone_on(self, seq: int) -> bool:
        return self._changed(seq).exists()

    def finish(self, tx: store.Transaction, actor: Actor) -> None:
        """Leave marks as they are: they belong to the present."""

    def _plan(self, trail: Trail, content: Content) -> FilePlan:
        made = plan_file(trail, content, Effort(0))
        if made.verdict is Verdict.GOES_BACK and not trail.before:
            return replace(made, verdict=Verdict.LATER, choices={Answer.WHOLE: Target()})
        return made

    def _trails(self) -> Iterator[Trail]:
        entries = {entry.pk: entry for entry in self._changed(self.seq).order_by("path", "pk")[: FILES + 1]}
        if len(entries) > FILES:
            raise TooMuch(too_much(f"More than {FILES:,} files changed since then", FILES, "files"))
        before: dict[int, MemoryVersion] = {}
        for some in batches(entries):
            newest = newest_until(self.store_id, self.seq).filter(entry__in=some)
            found = MemoryVersion.objects.filter(store=self.store_id, seq__in=newest).defer("spans")
            before |= {version.entry_id: version for version in found}
        numbers = {pk: before[pk].number if pk in before else 0 for pk in entries}
        since = sum(entry.version - numbers[pk] for pk, entry in entries.items())
        if since > VERSIONS:
            raise TooMuch(too_much(f"The files have had {since:,} versions since then", VERSIONS, "versions"))
        for pk, entry in entries.items():
            found_there = before.get(pk)
            made = tuple(range(numbers[pk] + 1, entry.version + 1))
            moved = found_there is not None and found_there.path != entry.path
            yield Trail(entry, found_there, made, moved, deleted=entry.state != "live")

    def _changed(self, seq: int) -> QuerySet[MemoryEntry]:
        files = MemoryEntry.objects.files().filter(store=self.store_id, changed_seq__gt=seq)
        return files if self.only is None else files.filter(uuid__in=self.only)


def put_back(
    memory: MemoryStore,
    seq: int,
    *,
    actor: Actor,
    replies: Replies,
    only: frozenset[UUID] | None = None,
    others: Answer | None = None,
    shown: str = "",
) -> Undone:
    """Put the store, or ``only`` some of its files, back to its moment ``seq`` in one change set.

    The rest is as with :func:`memories.undo.acting.reach`.
    """
    actor = replace(actor, change_set=f"{KEY}{uuid4()}", reason=f"put back to change {seq}")
    try:
        return reach(Moment(memory.pk, seq, only), actor=actor, replies=replies, others=others, shown=shown)
    except NothingToUndo:
        raise NothingToUndo("Nothing is left to put back; every file stays as it is.") from None
