"""Paused stores: agents and tokens go on reading, and only people may change anything."""

from collections.abc import Sequence

from memories import replies
from memories.actors import Actor
from memories.commands import Change, Totals
from memories.refusals import Paused


def check(changes: Sequence[Change], totals: Totals, actor: Actor) -> None:
    """Raise Paused when an agent would change a store that a person has paused."""
    if changes and totals.paused and actor.bound_by_locks:
        raise Paused(replies.PAUSED)
