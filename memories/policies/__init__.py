"""Rules on every change, asked inside the write path before anything is written."""

from memories.actors import Actor
from memories.commands import Effects, Snapshot
from memories.policies import archives, limits, locks, pauses


def check(effects: Effects, seen: Snapshot, actor: Actor) -> None:
    """Raise Refused when a rule forbids what ``effects`` would do."""
    archives.check(effects.changes, seen.totals)
    pauses.check(effects.changes, seen.totals, actor)
    locks.check(effects.changes, actor)
    limits.check(effects.changes, seen.totals)
