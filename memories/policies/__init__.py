"""Rules on every change, asked inside the write path before anything is written."""

from memories.actors import Actor
from memories.commands import Effects, Snapshot
from memories.policies import limits, locks


def check(effects: Effects, seen: Snapshot, actor: Actor) -> None:
    """Raise Refused when a rule forbids what ``effects`` would do."""
    locks.check(effects.changes, actor)
    limits.check(effects.changes, seen.totals)
