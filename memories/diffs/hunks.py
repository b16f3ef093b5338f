"""Hunks: which lines of a text a change replaced, and what follows from that."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Hunk:
    """``old_count`` lines from ``old_start`` became ``new_count`` lines from ``new_start``; the first line is 0."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int

    @property
    def old_end(self) -> int:
        return self.old_start + self.old_count

    @property
    def new_end(self) -> int:
        return self.new_start + self.new_count

    def moved(self, by: int) -> "Hunk":
        """Return the same hunk in texts that have ``by`` more lines before it."""
        return Hunk(self.old_start + by, self.old_count, self.new_start + by, self.new_count)


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their ends, so that joining them gives ``text`` back.

    A line ends on ``"\\n"`` and nothing else. Only the last line can lack its end.
    """
    # StringIO splits as fast as str.split and, told so, on the line feed alone; str.splitlines knows ten other ends.
    return list(StringIO(text, newline="\n"))


def patched(old: str, hunks: Iterable[Hunk], new_lines: Sequence[str]) -> str:
    """Return ``old`` with each hunk's lines taken from ``new_lines``; the hunks stand in order."""
    return "".join(carried(split_lines(old), hunks, lambda number: new_lines[number]))


def carried(kept: Sequence[T], hunks: Iterable[Hunk], fresh: "Fresh[T]") -> list[T]:
    """Return what belongs to each new line: what belonged to the old one, or ``fresh(number)`` where a hunk put it."""
    result: list[T] = []
    done = 0
    for hunk in hunks:
        result += kept[done : hunk.old_start]
        result += map(fresh, range(hunk.new_start, hunk.new_end))
        done = hunk.old_end
    result += kept[done:]
    return result
