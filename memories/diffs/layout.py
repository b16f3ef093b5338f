"""How the lines of a diff stand on a page: rows of two cells, in parts, with folds between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.diffs.alignment import equal_start
from memories.diffs.hunks import Hunk
from memories.diffs.room import LINE_CHARACTERS, Kind, Room, Weights
from memories.diffs.words import Segment, pairs, word_marks

OPENED_LINES = 20
"""How many lines a fold opens at a time."""


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

    def weight(self, room: Room) -> int:
        """Return what it takes on a page."""
        cut = room.cut if self.cut_before or self.cut_after else 0
        return cut + sum(room.weigh(segment.text) + room.mark * segment.marked for segment in self.segments)


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

    def weight(self, room: Room) -> int:
        """Return what it takes on a page side by side, where it takes most."""
        return sum(room.row + cell.weight(room) for row in self.split for cell in (row.old, row.new) if cell)


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
    """Where a part or a fold lies, before any of its rows are made, and what it takes on a page at most."""

    kind: Kind
    lines: Hunk
    weight: int

    def rows(self) -> int:
        """Return how many rows of a unified page it takes."""
        if self.kind == "fold":
            return 1
        return self.lines.new_count + (self.lines.old_count if self.kind == "changed" else 0)

    def laid_out(self, old: Sequence[str], new: Sequence[str], room: Room, *, marked: bool) -> Part | Fold:
        """Return the rows, with word marks, if wanted, where lines changed in part."""
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
                    room,
                    changed=changed,
                    marked=marked,
                )
                for old_number, new_number in sides
            ),
        )


def stretches(
    hunks: Sequence[Hunk],
    line_count: int,
    weights: Weights,
    *,
    context: int,
    opened: Sequence[range] = (),
    outer: bool = True,
    longest: int,
) -> Iterator[Stretch]:
    """Yield the whole of a diff, in order: the hunks, ``context`` lines around each, and folds.

    ``line_count`` is that of the new side. ``opened`` are lines of the new side, from 1, that no fold hides. Without
    ``outer``, what lies before the first hunk and after the last is left out. What has more than ``longest`` lines on a
    side, or takes more than a page, comes in pieces, so that a page may end within it.
    """

    def folded(same: Hunk, *, head: int, tail: int) -> Iterator[Stretch]:
        for kind, lines in _folded(same, head=head, tail=tail, opened=opened):
            yield from _pieces(kind, lines, longest, weights)

    old_at = new_at = 0
    for place, hunk in enumerate(hunks):
        same = Hunk(old_at, hunk.old_start - old_at, new_at, hunk.new_start - new_at)
        if outer or place:
            yield from folded(same, head=context if place else 0, tail=context)
        yield from _pieces("changed", hunk, longest, weights)
        old_at, new_at = hunk.old_end, hunk.new_end
    if outer:
        rest = Hunk(old_at, line_count - new_at, new_at, line_count - new_at)
        yield from folded(rest, head=context if hunks else 0, tail=0)


def _folded(same: Hunk, *, head: int, tail: int, opened: Sequence[range]) -> Iterator[tuple[Kind, Hunk]]:
    """Yield lines that stayed, folded but for the first ``head``, the last ``tail`` and the opened ones."""
    count = same.new_count
    visible = [range(head), range(count - tail, count)]
    visible += [range(lines.start - 1 - same.new_start, lines.stop - 1 - same.new_start) for lines in opened]
    at = 0
    for lines in sorted((*visible, range(count, count)), key=lambda lines: lines.start):
        start, stop = max(at, min(lines.start, count)), min(lines.stop, count)
        # A fold takes as much room as the one line it would hide.
        if start - at > 1:
            yield "fold", _within(same, at, start)
            at = start
        if stop > at:
            yield "same", _within(same, at, stop)
            at = stop


def _pieces(kind: Kind, lines: Hunk, longest: int, weights: Weights) -> Iterator[Stretch]:
    if kind == "fold":
        yield Stretch(kind, lines, weights.room.fold)
        return
    start = taken = 0
    count = max(lines.old_count, lines.new_count)
    for at in range(count):
        weight = weights.of(kind, lines, at)
        if at > start and (at - start == longest or taken + weight > weights.room.page):
            yield Stretch(kind, _within(lines, start, at), taken)
            start, taken = at, 0
        taken += weight
    if count:
        yield Stretch(kind, _within(lines, start, count), taken)


def _within(lines: Hunk, start: int, end: int) -> Hunk:
    """Return the lines from ``start`` to ``end`` of each side of a hunk, as far as the side has them."""
    old_start, old_end = min(start, lines.old_count), min(end, lines.old_count)
    new_start, new_end = min(start, lines.new_count), min(end, lines.new_count)
    return Hunk(lines.old_start + old_start, old_end - old_start, lines.new_start + new_start, new_end - new_start)


def _row(old: tuple[int, str] | None, new: tuple[int, str] | None, room: Room, *, changed: bool, marked: bool) -> Row:
    """Return the row of two numbered lines, as they are or as they changed."""
    if not (changed and old and new):
        return Row(old and _cell(*old, room), new and _cell(*new, room), changed)
    # A change far into two long lines would otherwise show them as equal.
    place = equal_start(old[1], new[1])
    if not marked:
        return Row(_cell(*old, room, place=place), _cell(*new, room, place=place), changed)
    old_marks, new_marks = word_marks(old[1].removesuffix("\n"), new[1].removesuffix("\n"))
    return Row(_cell(*old, room, old_marks, place=place), _cell(*new, room, new_marks, place=place), changed)


def _cell(number: int, line: str, room: Room, marks: Sequence[Segment] = (), *, place: int = 0) -> Cell:
    """Return a line as it stands on a page; of one that takes too much, what stands around ``place``."""
    text = line.removesuffix("\n")
    ended = len(text) < len(line)
    if len(text) <= LINE_CHARACTERS and room.weigh(text) <= room.line:
        return Cell(number, tuple(marks or [Segment(text)]), ended)
    most = LINE_CHARACTERS
    while True:
        first = max(0, place - most // 2)
        shown = text[first : first + most]
        if room.weigh(shown) <= room.line:
            return Cell(number, (Segment(shown),), ended, first, len(text) - first - len(shown))
        most //= 2
