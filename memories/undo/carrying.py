"""The commands by which files become again what they were."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import uuid4

from memories import store
from memories.actors import Actor
from memories.commands import Command, Delete, Label, MarkFiles, Meant, Note, Pause, Rename, Restore, Undelete
from memories.commands.words import fingerprint
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.undo.answers import move_of
from memories.undo.places import in_order
from memories.undo.plans import FilePlan, Target
from memories.undo.trails import Content, batches

ASIDE: Final = "/memories/.undo-"


def carry_out(
    tx: store.Transaction, targets: Sequence[tuple[FilePlan, Target]], actor: Actor, content: Content
) -> None:
    """Make of each file what it shall be, one after the other; the paths of all are free in the end.

    What leaves the store or shrinks comes first, so that a store near its limits has room for the rest.
    """
    by_id = {made.entry.pk: (made, target) for made, target in sorted(targets, key=_growth)}
    places: dict[int, str] = {}
    for move, steps_aside in in_order([move_of(made, target) for made, target in by_id.values()]):
        place = places.get(move.file, move.at)
        if steps_aside:
            places[move.file] = f"{ASIDE}{uuid4().hex}"
            tx.apply(Rename(MemoryPath(place), MemoryPath(places[move.file])), actor=actor)
            continue
        made, target = by_id[move.file]
        for command in _commands(made.entry, place, target, content):
            tx.apply(command, actor=actor)


def _growth(planned: tuple[FilePlan, Target]) -> int:
    """Return how many bytes the file will have brought into the store; one that comes or goes counts a byte more."""
    made, target = planned
    size = target.before.size if target.before else -1
    return size - (made.entry.size if made.trail.is_live else -1)


def _commands(entry: MemoryEntry, place: str, target: Target, content: Content) -> Iterator[Command]:
    """Yield what makes of a file that lives at ``place``, or nowhere, what it shall be."""
    there = MemoryPath(target.path or place)
    if not target.before:
        yield Delete(there)
        return
    if not place:
        yield Undelete(entry.pk, there)
    elif place != there.text:
        yield Rename(MemoryPath(place), there)
    if target.text is not None or target.before.blob_id != entry.blob_id:
        yield Restore(there, target.before.number, content(target.before.blob_id), target.text)


def unmark(tx: store.Transaction, change_set: ChangeSet, actor: Actor) -> None:
    """Take back the marks that are still as the act left them, each to what it was before the act.

    Of labels, those that the act put on and that are still there go, and those it took off come back.
    """
    before: dict[tuple[int | None, str], Any] = {}
    left: dict[tuple[int | None, str], Any] = {}
    for pk, name, was, became in change_set.marked:
        before.setdefault((pk, name), was)
        left[pk, name] = became
    files: dict[int, MemoryEntry] = {}
    for some in batches({pk for pk, _ in left if pk is not None}):
        files |= MemoryEntry.objects.live().in_bulk(some)
    is_paused = MemoryStore.objects.filter(pk=change_set.memory_id, paused_at__isnull=False).exists()
    marked: dict[tuple[str, bool], list[Meant]] = defaultdict(list)
    for (pk, name), was in before.items():
        became = left[pk, name]
        if was == became:
            continue
        if pk is None:
            if is_paused is not was:
                tx.apply(Pause(was), actor=actor)
        elif pk in files and name in ("labels", "note"):
            # What may not come back, as where the file has all the labels it may have, stays as it is.
            tx.attempt(_unsaid(files[pk], name, was, became), actor=actor)
        elif pk in files and getattr(files[pk], name) is not was:
            marked[name, was].append(Meant(files[pk].pk, files[pk].path, files[pk].version))
    # Together: each mark of its own would write down anew all that the change set has set so far.
    for (name, was), these in marked.items():
        tx.apply(MarkFiles(tuple(these), name, was), actor=actor)


def _unsaid(entry: MemoryEntry, name: str, was: Any, became: Any) -> Command:
    """Return the command that gives a file back the labels or the note it had."""
    path = MemoryPath(entry.path)
    if name == "labels":
        return Label(path, add=tuple(set(was) - set(became)), remove=tuple(set(became) - set(was)))
    # Compared with the note that is there now, in the transaction that would change it.
    return Note(path, was, shown=fingerprint(became))
