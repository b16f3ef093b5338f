"""Replacing what a page has shown, in all stores or in none."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from memories import store
from memories.actors import Actor
from memories.commands import RewriteFiles
from memories.models import MemoryEntry
from memories.refusals import ContentChanged, Refused
from memories.replacing.plans import FileHits, Plan
from memories.undo import TOGETHER
from memories.undo.trails import batches


class NothingChosen(Refused):
    """No file is left in which anything would be replaced."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """What was done: the public ids of the change sets, one for each store, and how much it was."""

    change_sets: tuple[UUID, ...]
    hits: int
    files: int


def carry_out(plan: Plan, taken: Collection[UUID], *, actor: Actor) -> Replaced:
    """Replace in the files of the plan whose public ids are ``taken``: one change set in each store, made together.

    Raises ContentChanged or PathMissing when a file is another by now, StoreFull for what does not fit; nothing was
    changed then, in no store.
    """
    files = [file for file in plan.files if file.uuid in taken]
    if not files:
        raise NothingChosen("No file is chosen, so nothing was replaced.")
    by_store: dict[int, list[FileHits]] = defaultdict(list)
    for file in files:
        by_store[file.memory.pk].append(file)
    wanted = plan.wanted
    actor = replace(actor, change_set=f"{TOGETHER}{uuid4()}", reason=f"{wanted.find} → {wanted.put}")
    made: list[UUID] = []
    with store.locked_together(by_store) as stores:
        _refuse_locked(files)
        for store_id, tx in stores.items():
            command = RewriteFiles(tuple(file.rewrite(wanted) for file in by_store[store_id]))
            outcome = tx.apply(command, actor=actor)
            if outcome.change_set:
                made.append(outcome.change_set)
    return Replaced(tuple(made), sum(len(file.hits) for file in files), len(files))


def _refuse_locked(files: Collection[FileHits]) -> None:
    for some in batches(file.meant.id for file in files):
        if locked := MemoryEntry.objects.filter(pk__in=some, locked=True).first():
            raise ContentChanged(f"{locked.path} was locked meanwhile. Nothing was replaced.")
