"""A merge as its page shows it: conflicts with what was there before and both sides, and the lines around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memdash.web import hidden_text
from memories.diffs import Conflict, Segment, word_marks
from memories.diffs.merge import Lines
from memories.diffs.words import pairs
from memories.views.choices import Place, Settling

CONTEXT: Final = 3
CONTEXT_HTML: Final = 600
"""How many lines stand around a conflict, and what one of them may take of the page."""

SHOWN_LINES: Final = 24
SIDE_HTML: Final = 5_000
LINE_HTML: Final = 1_200
"""What a side shows of its lines, and of one of them, in bytes of HTML."""

MARKED_LINES: Final = 40
"""Sides of more lines get no word marks; finding which lines belong together takes their square."""

BOTH_HTML: Final = 1_500
"""Both sides together are shown below each other where they take no more."""

ROW_HTML: Final = 80
CONFLICT_HTML: Final = 3_600
"""What the markup of a line, and of a conflict, takes."""

PAGE_HTML: Final = 34_000


@dataclass(frozen=True, slots=True)
class Row:
    """A line on which both agree; ``number`` is its number in the file now, None for a line of the person's own."""

    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of a side, its words marked where it changed; ``gone`` for one that the side took away."""

    segments: tuple[Segment, ...]
    gone: bool = False


@dataclass(frozen=True, slots=True)
class ShownSide:
    """What a page shows of a side; ``more`` counts the lines left out."""

    lines: tuple[Shown, ...]
    more: int
    weight: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A conflict on its page, with the lines around it; ``folded`` counts those left out before it."""

    place: Place
    number: int
    line: int
    above: tuple[Row, ...]
    folded: int
    below: tuple[Row, ...]
    before: ShownSide
    theirs: ShownSide
    mine: ShownSide
    shows_both: bool

    @property
    def has_both(self) -> bool:
        """Say whether there are two sides to be put below each other."""
        return bool(self.place.conflict.theirs and self.place.conflict.ours)

    @property
    def deed(self) -> str:
        """Which of them did what, as the page words it."""
        sides = self.place.conflict
        if sides.ours and sides.theirs:
            return "both-rewrote" if sides.base else "both-added"
        if not sides.base:
            return "only-mine" if sides.ours else "only-theirs"
        return "theirs-deleted" if sides.ours else "mine-deleted"

    @property
    def weight(self) -> int:
        """What it takes of its page."""
        sides = self.before.weight + self.theirs.weight + self.mine.weight
        rows = sum(ROW_HTML + hidden_text.most_bytes(row.text) for row in (*self.above, *self.below))
        return CONFLICT_HTML + sides + rows + (self.theirs.weight + self.mine.weight) * self.shows_both


class _Gap:
    """How many lines lie between two conflicts; the first and the last of them, as many as may be shown."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[Row] = []
        self.last: list[Row] = []

    def add(self, lines: Lines, number: int | None) -> None:
        """Take in lines of which the first has this number; None where they have none."""

        def rows(places: range) -> list[Row]:
            return [
                Row(
                    None if number is None else number + at,
                    hidden_text.beginning(lines[at].removesuffix("\n"), CONTEXT_HTML),
                )
                for at in places
            ]

        self.count += len(lines)
        self.first += rows(range(min(len(lines), CONTEXT - len(self.first))))
        self.last = [*self.last, *rows(range(max(0, len(lines) - CONTEXT), len(lines)))][-CONTEXT:]


def asked(settling: Settling) -> list[Asked]:
    """Return the conflicts in order, numbered, with the lines around each."""
    gaps, starts = _gaps(settling)
    found: list[Asked] = []
    for at, place in enumerate(settling.places):
        above, below = gaps[at], gaps[at + 1]
        # Lines between two conflicts stand once: those that stand below the first are not above the next.
        left = above.count - (len(found[-1].below) if found else 0)
        shown = above.last[-min(left, CONTEXT) :] if left else []
        is_last = at == len(settling.places) - 1
        theirs = side(place.conflict.base, place.conflict.theirs)
        mine = side(place.conflict.base, place.conflict.ours)
        found.append(
            Asked(
                place,
                at + 1,
                starts[at],
                tuple(shown),
                left - len(shown),
                tuple(below.first if is_last or below.count > CONTEXT else ()),
                plain(place.conflict.base),
                theirs,
                mine,
                theirs.weight + mine.weight <= BOTH_HTML and not theirs.more and not mine.more,
            )
        )
    return found


def page_of(found: Sequence[Asked], number: int) -> tuple[Sequence[Asked], int, int]:
    """Return the conflicts of page ``number``, from 1, its number as there is one, and how many pages there are."""
    pages: list[list[Asked]] = [[]]
    taken = 0
    for each in found:
        taken += each.weight
        if pages[-1] and taken > PAGE_HTML:
            pages.append([])
            taken = each.weight
        pages[-1].append(each)
    number = max(1, min(number, len(pages)))
    return pages[number - 1], number, len(pages)


def side(base: Lines, lines: Lines) -> ShownSide:
    """Return a side beside what was there before: what it changed is marked, and what it took away is shown so."""
    if not lines:
        return _fitting((Shown(_segments(line, marked=True), gone=True) for line in base), len(base))
    if len(base) > MARKED_LINES or len(lines) > MARKED_LINES:
        return plain(lines)
    return _fitting(_beside(base, lines), len(lines))


def plain(lines: Lines) -> ShownSide:
    """Return lines without marks."""
    return _fitting((Shown(_segments(line, marked=False)) for line in lines), len(lines))


def _beside(base: Lines, lines: Lines) -> Iterator[Shown]:
    for old, new in pairs(base, lines):
        if new is None:
            continue
        if old is None:
            yield Shown(_segments(lines[new], marked=bool(base)))
        elif hidden_text.most_bytes(lines[new]) > LINE_HTML:
            yield Shown(_segments(lines[new], marked=False))
        else:
            yield Shown(tuple(word_marks(base[old].removesuffix("\n"), lines[new].removesuffix("\n"))[1]))


def _segments(line: str, *, marked: bool) -> tuple[Segment, ...]:
    text = line.removesuffix("\n")
    shown = hidden_text.beginning(text, LINE_HTML)
    return (Segment(shown if shown == text else f"{shown}…", marked and bool(text)),)


def _fitting(lines: Iterator[Shown], count: int) -> ShownSide:
    shown: list[Shown] = []
    weight = 0
    for line in lines:
        taken = ROW_HTML + sum(hidden_text.most_bytes(segment.text) for segment in line.segments)
        if len(shown) == SHOWN_LINES or (shown and weight + taken > SIDE_HTML):
            break
        shown.append(line)
        weight += taken
    return ShownSide(tuple(shown), count - len(shown), weight)


def _gaps(settling: Settling) -> tuple[list[_Gap], list[int]]:
    """Return the agreed lines before, between and after the conflicts, and the line of the file each begins at."""
    gaps = [_Gap()]
    starts: list[int] = []
    number = 1
    for part in settling.merge.parts:
        if isinstance(part, Conflict):
            starts.append(number)
            gaps.append(_Gap())
            number += len(part.theirs)
        elif part.by == "ours":
            gaps[-1].add(part.lines, None)
            number += len(part.base)
        else:
            gaps[-1].add(part.lines, number)
            number += len(part.lines)
    return gaps, starts
