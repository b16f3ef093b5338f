"""How the lines of a diff stand on a page: rows of two cells, in parts, with folds between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memories.diffs.alignment import equal_start
from memories.diffs.hunks import Hunk
from memories.diffs.words import Segment, pairs, word_marks

LINE_CHARACTERS = 1_000
"""How much of one line a page shows."""

OPENED_LINES = 20
"""How many lines a fold opens at a time."""

Kind = Literal["same", "changed", "fold"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of one side; ``number`` counts from 1."""

    number: int
    segments: tuple[Segment, ...]
    ended: bool = True
    """False for a last line without a final newline."""
    cut_before: int = 0
    cut_after: int = 0
    """How many characters of a long line are left out before and after the segments."""


@dataclass(frozen=True, slots=True)
class Row:
    """The old and the new form of a line; a side without one is None."""

    old: Cell | None
    new: Cell | None
    changed: bool

    @property
    def sign(self) -> str:
        """``"−"`` or ``"+"`` in a row that shows one side of a change, else ``""``."""
        if self.old and self.new:
            return ""
        return "−" if self.old else "+"

    @property
    def cell(self) -> Cell | None:
        """The cell whose text a unified row shows."""
        return self.new or self.old


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that belong together: lines that stayed, or one hunk (of a long one, a piece)."""

    kind: Kind
    split: tuple[Row, ...]

    @property
    def unified(self) -> tuple[Row, ...]:
        """The rows in one column: what was removed, then what was added."""
        if self.kind == "same":
            return self.split
        removed = tuple(Row(row.old, None, changed=True) for row in self.split if row.old)
        return removed + tuple(Row(None, row.new, changed=True) for row in self.split if row.new)


@dataclass(frozen=True, slots=True)
class Fold:
    """``count`` lines that stayed and are not shown; ``first`` and ``last`` are numbers of the new side, from 1."""

    first: int
    last: int
    kind: Kind = "fold"

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def all(self) -> str:
        """The lines to open to show everything folded, as an address carries them (``"6-95"``)."""
        return f"{self.first}-{self.last}"

    @property
    def step(self) -> str:
        """The lines to open next: those nearest to the change, at most ``OPENED_LINES``; ``""`` where that is all."""
        if self.count <= OPENED_LINES:
            return ""
        if self.first == 1:
            return f"{self.last - OPENED_LINES + 1}-{self.last}"
        return f"{self.first}-{self.first + OPENED_LINES - 1}"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a part or a fold lies, before any of its rows are made."""

    kind: Kind
    lines: Hunk

    def rows(self) -> int:
        """Return how many rows of a unified page it takes."""
        if self.kind == "fold":
            return 1
        return self.lines.new_count + (self.lines.old_count if self.kind == "changed" else 0)

    def characters(self, old: Sequence[str], new: Sequence[str]) -> int:
        """Return how many characters of text its rows show."""
        if self.kind == "fold":
            return 0
        texts = new[self.lines.new_start : self.lines.new_end]
        if self.kind == "changed":
            texts = [*old[self.lines.old_start : self.lines.old_end], *texts]
        return sum(min(len(text), LINE_CHARACTERS) for text in texts)

    def laid_out(self, old: Sequence[str], new: Sequence[str]) -> Part | Fold:
        """Return the rows, with word marks where lines changed in part."""
        lines = self.lines
        if self.kind == "fold":
            return Fold(lines.new_start + 1, lines.new_end)
        old_lines = old[lines.old_start : lines.old_end]
        new_lines = new[lines.new_start : lines.new_end]
        changed = self.kind == "changed"
        sides = pairs(old_lines, new_lines) if changed else [(number, number) for number in range(len(new_lines))]
        return Part(
            self.kind,
            tuple(
                _row(
                    None if old_number is None else (lines.old_start + old_number + 1, old_lines[old_number]),
                    None if new_number is None else (lines.new_start + new_number + 1, new_lines[new_number]),
                    changed=changed,
                )
                for old_number, new_number in sides
            ),
        )


def stretches(
    hunks: Sequence[Hunk],
    line_count: int,
    *,
    context: int,
    opened: Sequence[range] = (),
    outer: bool = True,
    longest: int,
) -> Iterator[Stretch]:
    """Yield the whole of a diff, in order: the hunks, ``context`` lines around each, and folds.

    ``line_count`` is that of the new side. ``opened`` are lines of the new side, from 1, that no fold hides. Without
    ``outer``, what lies before the first hunk and after the last is left out. What has more than ``longest`` lines on a
    side comes in pieces, so that a page may end within it.
    """
    old_at = new_at = 0
    for place, hunk in enumerate(hunks):
        same = Hunk(old_at, hunk.old_start - old_at, new_at, hunk.new_start - new_at)
        if outer or place:
            yield from _folded(same, head=context if place else 0, tail=context, opened=opened, longest=longest)
        yield from _pieces("changed", hunk, longest)
        old_at, new_at = hunk.old_end, hunk.new_end
    if outer:
        rest = Hunk(old_at, line_count - new_at, new_at, line_count - new_at)
        yield from _folded(rest, head=context if hunks else 0, tail=0, opened=opened, longest=longest)


def _folded(same: Hunk, *, head: int, tail: int, opened: Sequence[range], longest: int) -> Iterator[Stretch]:
    """Yield lines that stayed, folded but for the first ``head``, the last ``tail`` and the opened ones."""
    count = same.new_count
    visible = [range(head), range(count - tail, count)]
    visible += [range(lines.start - 1 - same.new_start, lines.stop - 1 - same.new_start) for lines in opened]
    at = 0
    for lines in sorted((*visible, range(count, count)), key=lambda lines: lines.start):
        start, stop = max(at, min(lines.start, count)), min(lines.stop, count)
        # A fold takes as much room as the one line it would hide.
        if start - at > 1:
            yield Stretch("fold", _within(same, at, start))
            at = start
        if stop > at:
            yield from _pieces("same", _within(same, at, stop), longest)
            at = stop


def _pieces(kind: Kind, lines: Hunk, longest: int) -> Iterator[Stretch]:
    for start in range(0, max(lines.old_count, lines.new_count), longest):
        yield Stretch(kind, _within(lines, start, start + longest))


def _within(lines: Hunk, start: int, end: int) -> Hunk:
    """Return the lines from ``start`` to ``end`` of each side of a hunk, as far as the side has them."""
    old_start, old_end = min(start, lines.old_count), min(end, lines.old_count)
    new_start, new_end = min(start, lines.new_count), min(end, lines.new_count)
    return Hunk(lines.old_start + old_start, old_end - old_start, lines.new_start + new_start, new_end - new_start)


def _row(old: tuple[int, str] | None, new: tuple[int, str] | None, *, changed: bool) -> Row:
    """Return the row of two numbered lines, as they are or as they changed."""
    if not (changed and old and new):
        return Row(old and _cell(*old), new and _cell(*new), changed)
    old_marks, new_marks = word_marks(old[1].removesuffix("\n"), new[1].removesuffix("\n"))
    # A change far into two long lines would otherwise show them as equal.
    first = max(0, equal_start(old[1], new[1]) - LINE_CHARACTERS // 2)
    return Row(_cell(*old, old_marks, first=first), _cell(*new, new_marks, first=first), changed)


def _cell(number: int, line: str, marks: Sequence[Segment] = (), *, first: int = 0) -> Cell:
    text = line.removesuffix("\n")
    ended = len(text) < len(line)
    if len(text) <= LINE_CHARACTERS:
        return Cell(number, tuple(marks or [Segment(text)]), ended)
    shown = text[first : first + LINE_CHARACTERS]
    return Cell(number, (Segment(shown),), ended, first, len(text) - first - len(shown))
