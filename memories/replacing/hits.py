"""Where a text occurs in another, and what that one says once it is replaced. The work grows with the length alone.

Texts are looked for as they are written, not as patterns: Python's regular expressions cannot be kept from taking
exponential time on a text that somebody made for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from memories.diffs import Hunk
from memories.diffs.layout import Cell
from memories.diffs.words import Segment
from memories.refusals import Refused

FIND_CHARACTERS: Final = 200
PUT_CHARACTERS: Final = 1_000

TRIED: Final = 200_000
"""Places in one text that are looked at; whole words may be asked for where the letters stand in every place."""

BESIDE: Final = 120
"""Characters of a long line that are shown on either side of a hit."""

SHOWN: Final = 800
"""A line of at most so many characters, before and after, is shown whole."""


class Hit(NamedTuple):
    """Where the text begins, and where it ends."""

    start: int
    stop: int


class HitRow(NamedTuple):
    """A line with hits, or some of its hits where it is long: as it is, and as it would be."""

    old: Cell
    new: Cell
    hits: int


class TooMuch(Refused):
    """More would have to be looked through, or changed, than one act does."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and what shall stand there; neither holds the end of a line."""

    find: str
    put: str
    case: bool = False
    word: bool = False

    def hits(self, text: str) -> list[Hit]:
        """Return where it occurs and would change, from left to right, none within another.

        Raises TooMuch where the letters stand in more than ``TRIED`` places.
        """
        folded, needle = (text, self.find) if self.case else (_lowered(text), _lowered(self.find))
        found: list[Hit] = []
        at = folded.find(needle)
        tries = 0
        while at >= 0:
            if (tries := tries + 1) > TRIED:
                raise TooMuch(f"It stands in more than {TRIED:,} places of one file. Look for a longer text.")
            stop = at + len(needle)
            is_hit = not self.word or self._stands_alone(text, at, stop)
            if is_hit and text[at:stop] != self.put:
                found.append(Hit(at, stop))
            at = folded.find(needle, stop if is_hit else at + 1)
        return found

    def replaced(self, text: str, hits: Sequence[Hit]) -> str:
        """Return the text with every hit replaced, and nothing else touched: no line end, no final newline."""
        ends = [0, *(hit.stop for hit in hits)]
        starts = [*(hit.start for hit in hits), len(text)]
        return self.put.join(text[end:start] for end, start in zip(ends, starts, strict=True))

    def _stands_alone(self, text: str, start: int, stop: int) -> bool:
        """Say whether no word goes on beyond an end of the hit; one that is no letter itself ends anywhere."""
        before, after = text[start - 1 : start], text[stop : stop + 1]
        return not (
            (_in_word(before) and _in_word(text[start : start + 1]))
            or (_in_word(after) and _in_word(text[stop - 1 : stop]))
        )


def hunks_of(text: str, hits: Sequence[Hit]) -> tuple[Hunk, ...]:
    """Return the lines in which hits are, those that follow each other as one hunk; none is added or removed."""
    numbers = [number for number, _, _ in lines_with(text, hits)]
    runs = groupby(enumerate(numbers), key=lambda each: each[1] - each[0])
    hunks = []
    for _, run in runs:
        lines = [number for _, number in run]
        hunks.append(Hunk(lines[0] - 1, len(lines), lines[0] - 1, len(lines)))
    return tuple(hunks)


def lines_with(text: str, hits: Sequence[Hit]) -> Iterator[tuple[int, Hit, list[Hit]]]:
    """Yield each line with hits: its number, counted from 1, where it begins and ends, and its hits."""
    number, counted, at = 1, 0, 0
    while at < len(hits):
        start = text.rfind("\n", 0, hits[at].start) + 1
        stop = text.find("\n", hits[at].stop)
        stop = len(text) if stop < 0 else stop
        number += text.count("\n", counted, start)
        counted = start
        own = [hits[at]]
        while (at := at + 1) < len(hits) and hits[at].start < stop:
            own.append(hits[at])
        yield number, Hit(start, stop), own


def rows_of(wanted: Wanted, text: str, hits: Sequence[Hit]) -> Iterator[HitRow]:
    """Yield the lines with hits as they are and as they would be; of a long one, only what stands beside each hit."""
    for number, line, own in lines_with(text, hits):
        for some in _together(own, len(wanted.put)):
            is_whole = len(some) == len(own) and line.stop - line.start <= SHOWN
            before = 0 if some[0] is own[0] else own[own.index(some[0]) - 1].stop
            after = line.stop if some[-1] is own[-1] else own[own.index(some[-1]) + 1].start
            start = line.start if is_whole else max(line.start, before, some[0].start - BESIDE)
            stop = line.stop if is_whole else min(after, some[-1].stop + BESIDE)
            cut = start - line.start, line.stop - stop
            old, new = _segments(wanted, text, Hit(start, stop), some)
            yield HitRow(Cell(number, old, True, *cut), Cell(number, new, True, *cut), len(some))


def _together(hits: Sequence[Hit], put: int) -> Iterator[list[Hit]]:
    """Yield the hits of a line, as many at a time as are shown in one row."""
    some = [hits[0]]
    for hit in hits[1:]:
        length = hit.stop - some[0].start
        if length > SHOWN or length + put * len(some) > 2 * SHOWN:
            yield some
            some = []
        some.append(hit)
    yield some


def _segments(
    wanted: Wanted, text: str, line: Hit, hits: Sequence[Hit]
) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    old: list[Segment] = []
    new: list[Segment] = []
    done = line.start
    for hit in hits:
        same = Segment(text[done : hit.start])
        old += [same, Segment(text[hit.start : hit.stop], marked=True)]
        new += [same, Segment(wanted.put, marked=True)]
        done = hit.stop
    rest = Segment(text[done : line.stop])
    return tuple(each for each in (*old, rest) if each.text), tuple(each for each in (*new, rest) if each.text)


def _lowered(text: str) -> str:
    """Return the text in small letters, each in the place of its own."""
    if "\u0130" in text or "\u03a3" in text:
        # One that becomes two letters, and one that depends on what follows it.
        return "".join(letter if len(small := letter.lower()) > 1 else small for letter in text)
    return text.lower()


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
