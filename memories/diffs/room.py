"""How much of a diff one page has room for, in whatever unit the page counts: characters, or bytes of its HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memories.diffs.hunks import Hunk

LINE_CHARACTERS = 1_000
"""How much of one line a page shows."""

Kind = Literal["same", "changed", "fold"]


@dataclass(frozen=True, slots=True)
class Room:
    """What a ``page`` and one ``line`` of it may take. ``weigh`` says what a text takes.

    Beside its text a line takes ``row`` on each side it stands on, and ``cut`` when it is shown in part. ``mark`` is
    what each marked word takes, and ``fold`` a fold.
    """

    weigh: Callable[[str], int] = len
    page: int = 30_000
    line: int = LINE_CHARACTERS
    row: int = 0
    cut: int = 0
    mark: int = 0
    fold: int = 0


class Weights:
    """What the lines of two texts take on a page at most; each is weighed once, when it is asked for."""

    def __init__(self, old: Sequence[str], new: Sequence[str], room: Room) -> None:
        self.room = room
        self._old, self._new = old, new
        self._known: dict[tuple[bool, int], int] = {}

    def of(self, kind: Kind, lines: Hunk, at: int) -> int:
        """Return what the lines at place ``at`` of each side of a hunk take; those that stayed stand on both sides."""
        if kind == "same":
            return 2 * self._line(True, lines.new_start + at)
        old = self._line(False, lines.old_start + at) if at < lines.old_count else 0
        return old + (self._line(True, lines.new_start + at) if at < lines.new_count else 0)

    def _line(self, is_new: bool, number: int) -> int:
        known = self._known.get((is_new, number))
        if known is None:
            line = (self._new if is_new else self._old)[number]
            known = self._known[is_new, number] = self.room.row + self._text(line.removesuffix("\n"))
        return known

    def _text(self, text: str) -> int:
        weight = self.room.weigh(text)
        if len(text) > LINE_CHARACTERS:
            # Which part is shown is not known yet, so where characters differ in weight the worst counts.
            plain = weight == len(text)
            return self.room.cut + (min(LINE_CHARACTERS, self.room.line) if plain else self.room.line)
        return weight if weight <= self.room.line else self.room.cut + self.room.line
