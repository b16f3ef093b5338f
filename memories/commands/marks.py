"""Marks that only people set: pinned files never expire, locked ones and paused stores stay as they are for agents."""

from dataclasses import dataclass

from memories import replies
from memories.commands.effects import Effects, Mark
from memories.commands.snapshot import Covers, Snapshot
from memories.paths import MemoryPath
from memories.refusals import PathMissing


@dataclass(frozen=True, slots=True)
class Pin:
    """Keep a file from ever expiring, or let it expire again."""

    path: MemoryPath
    on: bool = True

    def covers(self) -> Covers:
        return Covers((self.path,), above=False)

    def run(self, seen: Snapshot) -> Effects:
        return _marked(seen, self.path, "pinned", self.on)


@dataclass(frozen=True, slots=True)
class Lock:
    """Close a file to changes by agents, or open it again."""

    path: MemoryPath
    on: bool = True

    def covers(self) -> Covers:
        return Covers((self.path,), above=False)

    def run(self, seen: Snapshot) -> Effects:
        return _marked(seen, self.path, "locked", self.on)


@dataclass(frozen=True, slots=True)
class Pause:
    """Close the whole store to changes by agents, or open it again."""

    on: bool = True

    def covers(self) -> Covers:
        return Covers((MemoryPath.ROOT,), above=False)

    def run(self, seen: Snapshot) -> Effects:
        changed = seen.totals.paused != self.on
        return Effects(replies.paused(self.on), (Mark(None, "paused", not self.on, self.on),) if changed else ())


def _marked(seen: Snapshot, path: MemoryPath, name: str, on: bool) -> Effects:
    entry = seen.file_at(path)
    if entry is None:
        raise PathMissing(replies.missing(path))
    changed = getattr(entry, name) != on
    return Effects(replies.marked(path, name, on), (Mark(entry, name, not on, on),) if changed else ())
