"""Hunks: which lines of a text a change replaced, and what follows from that."""

from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Hunk(NamedTuple):
    """``old_count`` lines from ``old_start`` became ``new_count`` lines from ``new_start``; the first line is 0.

    Where a change brought lines back, ``source`` is the first of them in the version they come from.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    source: int | None = None

    @property
    def old_end(self) -> int:
        return self.old_start + self.old_count

    @property
    def new_end(self) -> int:
        return self.new_start + self.new_count


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their ends, so that joining them gives ``text`` back.

    A line ends on ``"\\n"`` and nothing else; only the last one may lack its end.
    """
    # As fast as str.split and, told so, splits on the line feed alone; str.splitlines knows ten other ends.
    return list(StringIO(text, newline="\n"))


def ended(text: str) -> str:
    """Return ``text`` with a newline at its end; an empty text has no line that could lack one."""
    return text + "\n" if text and not text.endswith("\n") else text


def carried(kept: Sequence[T], hunks: Iterable[Hunk], fresh: Callable[[int], T]) -> list[T]:
    """Return what belongs to each new line: what the old line had, or ``fresh(number)`` for a line a hunk brought.

    With the authors of the old lines this answers who wrote each new one, with the old lines themselves it applies a
    change. The hunks stand in order.
    """
    result: list[T] = []
    done = 0
    for hunk in hunks:
        result += kept[done : hunk.old_start]
        result += map(fresh, range(hunk.new_start, hunk.new_end))
        done = hunk.old_end
    result += kept[done:]
    return result
