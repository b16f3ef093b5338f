"""Which files have come to rest: nobody is in the middle of writing them."""

import time
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from memories.transfer.looking import Facts

QUIET: Final = 0.5
"""Seconds for which a file has to stay as it is before it is taken."""

CUT_SHORT: Final = 3.0
"""The same where the text ends in the middle of a character, so that somebody is likely to go on with it."""


class _Seen(NamedTuple):
    facts: Facts
    since: float


class Resting:
    """Remembers since when files that changed are as they are, and since when files are gone."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._gone: frozenset[str] = frozenset()
        self._gone_since = 0.0

    def __len__(self) -> int:
        return len(self._seen)

    def at_rest(self, changed: Mapping[str, Facts], now: float) -> list[str]:
        """Return which of the files that changed may be read; the others are asked for again by calling again.

        A file is at rest when two looks :data:`QUIET` seconds apart found it the same, or when the system says that
        it was last touched so long ago.
        """
        self._seen = {
            name: seen if (seen := self._seen.get(name)) and seen.facts == facts else _Seen(facts, now)
            for name, facts in changed.items()
        }
        clock = time.time_ns()
        return [name for name, seen in self._seen.items() if now - seen.since >= QUIET or _old(seen.facts, clock)]

    def age(self, name: str, now: float) -> float:
        """Return for how many seconds the file has been seen as it is."""
        seen = self._seen.get(name)
        return now - seen.since if seen else 0.0

    def are_gone(self, gone: Collection[str], now: float) -> bool:
        """Return whether these files, and no others, have been gone for long enough: no more are going, none came back.

        So the deletion of many is seen as one, and a file that is replaced is not taken for deleted.
        """
        if self._gone != gone:
            self._gone, self._gone_since = frozenset(gone), now
        return now - self._gone_since >= QUIET


def _old(facts: Facts, clock: int) -> bool:
    quiet = int(QUIET * 1_000_000_000)
    return quiet < clock - facts.changed_ns and quiet < clock - facts.modified_ns
