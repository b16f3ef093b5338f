"""Taking files across: decided on what was shown, done under the target's lock if that is still so."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID, uuid4

from memories import replies as words
from memories import store
from memories.actors import Actor
from memories.commands import Command, Delete, ImportFile, Rename, Restore, Undelete
from memories.models import Blob, ChangeSet, MemoryEntry, MemoryStore, State
from memories.moments import FileAt
from memories.paths import MemoryPath
from memories.refusals import Busy, ContentChanged, Locked, PathTaken, Refused
from memories.taking.comparing import Choice, Comparison, Side, compared
from memories.undo.answers import living
from memories.undo.places import Move, in_order, obstructed
from memories.undo.trails import Content, batches, contents_of

TRIES: Final = 3
ASIDE: Final = "/memories/.take-"
REASON: Final = 1024
CHANGED: Final = "A file changed while you looked; nothing was taken. This is how it stands now."


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken, and the change set by which it can be taken back."""

    change_set: UUID
    choices: tuple[Choice, ...]


def take(source: Side, target: Side, keys: Collection[str], *, actor: Actor, reason: str = "") -> Taken:
    """Make the target like the source in the differences with these keys, in one transaction, as one change set.

    ContentChanged is raised once one of them is no longer as it was shown, Locked and PathTaken for what cannot be
    taken, Busy when the target keeps changing. Nothing was changed then. The source never changes.
    """
    if not target.is_now:
        raise Refused("A moment in the past can only be a source; nothing was taken.")
    actor = replace(actor, change_set=f"take:{uuid4()}", reason=reason[:REASON])
    for _ in range(TRIES):
        seq = _seq(target.store)
        chosen = _chosen(compared(source, target), keys)
        with store.locked(target.store.pk) as tx:
            if _seq(target.store) == seq and not _locked_since(chosen):
                try:
                    _carry_out(tx, source, target, chosen, actor)
                except Blob.DoesNotExist:
                    # The source is not held: what was purged there meanwhile has no bytes any more.
                    raise ContentChanged(CHANGED) from None
                done = ChangeSet.objects.get(store=target.store, key=actor.change_set)
                return Taken(done.uuid, tuple(chosen))
    raise Busy(words.BUSY)


def _seq(memory: MemoryStore) -> int:
    return MemoryStore.objects.values_list("seq", flat=True).get(pk=memory.pk)


def _chosen(comparison: Comparison, keys: Collection[str]) -> list[Choice]:
    if not comparison.by_key.keys() >= set(keys):
        raise ContentChanged(CHANGED)
    chosen = [choice for choice in comparison.choices if choice.key in keys]
    for choice in chosen:
        if choice.refused:
            raise Locked(f"Nothing was taken: {choice.refused}.")
    if not chosen:
        raise Refused("Nothing is chosen.")
    return chosen


def _locked_since(chosen: Sequence[Choice]) -> bool:
    """Say whether somebody locked one of the files, which makes no change of the store."""
    files = [choice.difference.before.entry_id for choice in chosen if choice.difference.before]
    return any(MemoryEntry.objects.filter(pk__in=some, locked=True).exists() for some in batches(files))


def _carry_out(tx: store.Transaction, source: Side, target: Side, chosen: Sequence[Choice], actor: Actor) -> None:
    """Do what was chosen. What leaves or shrinks comes first, so that a store near its limits has room for the rest."""
    ordered = sorted(chosen, key=_growth)
    moves = {number: _move(number, choice) for number, choice in enumerate(ordered, 1)}
    stuck = obstructed(list(moves.values()), living(target.store.pk, list(moves.values())))
    if stuck:
        path = MemoryPath(moves[min(stuck)].to).relative
        raise PathTaken(f"Nothing was taken: something else is in the way of {path}. Choose that too, or leave it out.")
    own = _own_files(source, target, ordered)
    content = contents_of(source.store.pk)
    places: dict[int, str] = {}
    for move, steps_aside in in_order(list(moves.values())):
        place = places.get(move.file, move.at)
        if steps_aside:
            places[move.file] = f"{ASIDE}{uuid4().hex}"
            tx.apply(Rename(MemoryPath(place), MemoryPath(places[move.file])), actor=actor)
            continue
        for command in _commands(ordered[move.file - 1], place, own, content):
            tx.apply(command, actor=actor)


def _growth(choice: Choice) -> int:
    before, after = choice.difference
    return (after.size if after else -1) - (before.size if before else -1)


def _move(number: int, choice: Choice) -> Move:
    before, after = choice.difference
    return Move(number, before.path if before else "", after.path if after else "")


def _own_files(source: Side, target: Side, chosen: Sequence[Choice]) -> dict[int, str]:
    """Return the state of the files that the source shares with the target: those of one store at two moments."""
    if source.store.pk != target.store.pk:
        return {}
    files = [choice.difference.after.entry_id for choice in chosen if choice.difference.after]
    own: dict[int, str] = {}
    for some in batches(files):
        own |= dict(MemoryEntry.objects.filter(pk__in=some).values_list("pk", "state"))
    return own


def _commands(choice: Choice, place: str, own: dict[int, str], content: Content) -> Iterator[Command]:
    """Yield what makes of a file that lives at ``place``, or nowhere, what it is at the source."""
    before, after = choice.difference
    if after is None:
        yield Delete(MemoryPath(place))
        return
    there = MemoryPath(after.path)
    if place and place != after.path:
        yield Rename(MemoryPath(place), there)
    if before is None and own.get(after.entry_id) == State.TRASH:
        yield Undelete(after.entry_id, there)
        yield Restore(there, after.number, content(after.blob_id))
    elif before is None or before.sha256 != after.sha256:
        yield _written(there, before, after, content)


def _written(there: MemoryPath, before: FileAt | None, after: FileAt, content: Content) -> Command:
    """Return what writes the source's bytes: lines of the very same file keep the authors they had."""
    if before and before.entry_id == after.entry_id:
        return Restore(there, after.number, content(after.blob_id))
    return ImportFile(there, content(after.blob_id))
