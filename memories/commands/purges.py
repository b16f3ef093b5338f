"""Taking files out of the trash for good."""

from dataclasses import dataclass
from typing import Final

from memories import replies
from memories.commands.effects import Effects, Wipe
from memories.commands.snapshot import Covers, Snapshot
from memories.paths import MemoryPath
from memories.refusals import PathMissing

MOST: Final = 200
"""Files that one command purges: what it holds the store for is bounded."""


@dataclass(frozen=True, slots=True)
class Purge:
    """Let files of the trash be gone for good, by their ids; those that are not there any more are passed over.

    That each was there, who changed it and when stays on record. PathMissing when none of them is in the trash.
    """

    file_ids: tuple[int, ...]

    def covers(self) -> Covers:
        if len(self.file_ids) > MOST:
            raise ValueError(f"One command purges {MOST} files at most.")
        return Covers((MemoryPath.ROOT,), above=False, doomed=self.file_ids)

    def run(self, seen: Snapshot) -> Effects:
        if not seen.doomed:
            raise PathMissing(replies.NOT_IN_TRASH)
        return Effects(replies.purged(len(seen.doomed)), tuple(map(Wipe, seen.doomed)))
