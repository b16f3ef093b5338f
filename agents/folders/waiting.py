"""Changes of a folder that could not be taken yet: why, and when each is tried again."""

from collections.abc import Collection
from typing import Final, NamedTuple

from memories.paths import MemoryPath
from memories.transfer.looking import Facts
from memories.transfer.source import shown

AGAIN_SECONDS: Final = 2.0
LONGEST_SECONDS: Final = 300.0
"""A file that could not be taken is tried again after the first, then after twice as long, up to the second."""

LISTED: Final = 50
"""So many files that wait are named where people see them."""

NAME: Final = 300
"""Characters that are kept of such a name."""


class _Entry(NamedTuple):
    """A change of a file that stands as ``facts`` say, or is gone; with ``came_from`` it lay there before."""

    facts: Facts | None
    why: str
    again: float
    delay: float
    came_from: str


class Waiting:
    """Changes that wait, by the file's name below the root, or by its path when it is gone."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def is_due(self, key: str, facts: Facts | None, now: float) -> bool:
        """Return whether the file may be tried: it does not wait, has changed since, or has waited long enough."""
        entry = self._entries.get(key)
        return entry is None or entry.facts != facts or entry.again <= now

    def is_any_due(self, now: float) -> bool:
        """Return whether a file has waited long enough."""
        return any(entry.again <= now for entry in self._entries.values())

    def partners(self, now: float) -> set[str]:
        """Return the paths that files came from which wait under their new ones."""
        return {entry.came_from for entry in self._entries.values() if entry.again > now}

    def add(self, key: str, facts: Facts | None, why: str, now: float, came_from: str = "") -> bool:
        """Have a file wait, for twice as long if it has waited for the same; return whether that is news."""
        before = self._entries.get(key)
        is_known = before is not None and (before.facts, before.why) == (facts, why)
        delay = min(2 * before.delay, LONGEST_SECONDS) if before and is_known else AGAIN_SECONDS
        self._entries[key] = _Entry(facts, why, now + delay, delay, came_from)
        return not is_known

    def remove(self, key: str) -> None:
        """Let go of a file that has been taken."""
        self._entries.pop(key, None)

    def keep(self, there: Collection[str]) -> None:
        """Let go of all but these."""
        self._entries = {key: entry for key, entry in self._entries.items() if key in there}

    def listed(self) -> list[list[str]]:
        """Return the first of them, each with its reason."""
        return [[name_of(key)[:NAME], entry.why] for key, entry in list(self._entries.items())[:LISTED]]


def name_of(key: str) -> str:
    """Return a name below the root, or the path of a file that is gone, as people read it."""
    return shown(MemoryPath(key).relative if key.startswith("/") else key)
