"""Locked files: agents and tokens may read them, and only people may change them."""

from collections.abc import Sequence

from memories import replies
from memories.actors import Actor
from memories.commands import Change
from memories.paths import MemoryPath
from memories.refusals import Locked


def check(changes: Sequence[Change], actor: Actor) -> None:
    """Raise Locked, which names the file, when an agent's change touches a locked one, be it within a directory."""
    if not actor.bound_by_locks:
        return
    for change in changes:
        if change.entry and change.entry.locked:
            raise Locked(replies.locked(MemoryPath(change.entry.path)))
