"""Lines of a text that hold what is looked for."""

from dataclasses import dataclass
from typing import Final

from memories.search.queries import Query
from memories.text import lines_of

CHARACTERS: Final = 256 * 1024
"""As much of a text is looked through for lines."""

BEFORE: Final = 60
LENGTH: Final = 240


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or what of it is near the first place to mark: ``spans`` are the places in ``text``."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...]
    is_start: bool = True
    is_end: bool = True


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines to show of a file, and how many more there are; ``is_whole`` says whether all of it was looked at."""

    shown: tuple[Line, ...]
    more: int
    is_whole: bool


def lines_with(query: Query, text: str, most: int) -> Lines:
    """Return the lines that hold most of the query, in their order, ``most`` of them."""
    beginning = text[:CHARACTERS]
    lines = lines_of(beginning)
    found = _holding(query, lines)
    if not found:
        query = query.loosened
        found = _holding(query, lines)
    best = sorted(sorted(found, key=lambda pair: (-pair[0], pair[1]))[:most], key=lambda pair: pair[1])
    shown = tuple(near(query, number + 1, lines[number]) for _, number in best)
    return Lines(shown, len(found) - len(shown), len(beginning) == len(text))


def near(query: Query, number: int, line: str) -> Line:
    """Return as much of a line as lies near what is looked for in it."""
    start = 0
    spans = query.spans(line)
    if spans and len(line) > LENGTH and spans[0][0] > BEFORE:
        start = spans[0][0] - BEFORE
        space = line.find(" ", start, spans[0][0])
        start = space + 1 if space >= 0 else start
    end = min(len(line), start + LENGTH)
    kept = tuple((max(low - start, 0), min(high, end) - start) for low, high in spans if low < end)
    return Line(number, line[start:end], kept, start == 0, end == len(line))


def _holding(query: Query, lines: list[str]) -> list[tuple[int, int]]:
    return [(held, number) for number, line in enumerate(lines) if (held := query.held_by(line))]
