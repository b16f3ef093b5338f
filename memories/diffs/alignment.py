"""Which lines of two texts belong together: patience diff with a bound on its work.

Equal ends are set aside. Between them, lines that stand exactly once on both sides hold the texts together, and what
lies between two such anchors is compared in the same way. Where no anchor is left, a small gap gets its longest common
part; a large one counts as rewritten. Every input ends within ``EFFORT``, whoever wrote it: where that runs out, the
rest is reported in fewer and larger hunks, which are as true as the small ones.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import lt

from memories.diffs.hunks import Hunk, ended, split_lines

EFFORT = 1_000_000
"""How much work one comparison may do; a unit is about one look at one line (some 0.1 µs)."""

GAP_EFFORT = 40
"""What looking into a gap costs beside its lines."""

COMMON_BITS = 64_000_000
"""The largest gap whose longest common part is searched, in pairs of lines; it takes that many bits (8 MB)."""

Gap = tuple[int, int, int, int]
"""Lines still to be compared: start and end among the old ones, start and end among the new ones."""

Matches = tuple[Sequence[int], Sequence[int]]
"""Numbers of equal lines, rising: the n-th of the old ones is the n-th of the new ones."""


def line_hunks(old: str, new: str) -> list[Hunk]:
    """Return what turns ``old`` into ``new``, in order; between two hunks at least one line stayed.

    Lines count with their ends, so a last line that gained or lost its final newline has changed.
    """
    start, old_end, new_end = _changed_part(old, new)
    above = old.count("\n", 0, start)
    return sequence_hunks(split_lines(old[start:old_end]), split_lines(new[start:new_end]), above=above)


def line_spans(old: str, new: str) -> list[Hunk]:
    """Return the hunks whose new lines have a new author: a line that only gained or lost its final newline has not."""
    return line_hunks(ended(old), ended(new))


def sequence_hunks(old: Sequence[str], new: Sequence[str], *, above: int = 0, effort: int = EFFORT) -> list[Hunk]:
    """Return what turns one list of lines, or of words, into the other; ``above`` equal ones stand before both."""
    changed: list[Gap] = []
    gaps: list[Gap] = [(0, len(old), 0, len(new))]
    while gaps:
        gap = _without_equal_ends(old, new, gaps.pop())
        old_count, new_count = gap[1] - gap[0], gap[3] - gap[2]
        effort -= GAP_EFFORT + old_count + new_count
        if old_count and new_count and old_count + new_count > 2 and effort > 0:
            matches = _anchors(old, new, gap)
            if matches[0]:
                gaps += reversed(list(_between(matches, gap)))
                continue
            cost = _common_cost(old_count, new_count)
            if cost <= effort and old_count * new_count <= COMMON_BITS:
                effort -= cost
                matches = longest_common(old, new, gap)
                # Nothing is common to what lies between them, so that these gaps are hunks.
                changed += _between(matches, gap)
                continue
        if old_count or new_count:
            changed.append(gap)
    return [Hunk(above + gap[0], gap[1] - gap[0], above + gap[2], gap[3] - gap[2]) for gap in changed]


def _changed_part(old: str, new: str) -> tuple[int, int, int]:
    """Return where, at line starts, the texts begin to differ and where, in each, they are equal to the end again."""
    equal = equal_start(old, new)
    if equal == len(old) == len(new):
        return equal, equal, equal
    start = old.rfind("\n", 0, equal) + 1
    tail = min(len(old), len(new)) - start
    tail = equal_start(old[: -tail - 1 : -1], new[: -tail - 1 : -1])
    if not (_starts_line(old, len(old) - tail) and _starts_line(new, len(new) - tail)):
        line_end = old.find("\n", len(old) - tail)
        tail = len(old) - line_end - 1 if line_end >= 0 else 0
    return start, len(old) - tail, len(new) - tail


def equal_start(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their start."""
    known, limit = 0, min(len(one), len(other))
    while known < limit:
        middle = (known + limit + 1) // 2
        if one[known:middle] == other[known:middle]:
            known = middle
        else:
            limit = middle - 1
    return known


def lines_between_equal_ends(old: str, new: str) -> int:
    """Return how many lines comparing the texts has to look at, on the side that has more of them; a fast count."""
    start, old_end, new_end = _changed_part(old, new)
    return max(old.count("\n", start, old_end), new.count("\n", start, new_end))


def _starts_line(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] == "\n"


def _without_equal_ends(old: Sequence[str], new: Sequence[str], gap: Gap) -> Gap:
    old_start, old_end, new_start, new_end = gap
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    return old_start, old_end, new_start, new_end


def _between(matches: Matches, gap: Gap) -> Iterator[Gap]:
    """Yield what lies before, between and after the matches of a gap, empty places left out."""
    old_at, old_end, new_at, new_end = gap
    for old_number, new_number in zip(*matches, strict=True):
        if old_number > old_at or new_number > new_at:
            yield old_at, old_number, new_at, new_number
        old_at, new_at = old_number + 1, new_number + 1
    if old_end > old_at or new_end > new_at:
        yield old_at, old_end, new_at, new_end


def _anchors(old: Sequence[str], new: Sequence[str], gap: Gap) -> Matches:
    """Return the lines that stand once on each side, as many of them as keep their order."""
    old_numbers = _numbers_of_unique(old[gap[0] : gap[1]], gap[0])
    new_numbers = _numbers_of_unique(new[gap[2] : gap[3]], gap[2])
    # Two plain lists and no pairs: a list of 100,000 tuples wakes the garbage collector again and again.
    found = list(map(new_numbers.get, old_numbers))
    shared = [number is not None for number in found]
    return _rising(list(compress(old_numbers.values(), shared)), [number for number in found if number is not None])


def _numbers_of_unique(lines: Sequence[str], first: int) -> dict[str, int]:
    """Return the lines that stand here once, in order, with their numbers."""
    numbers = dict(zip(lines, range(first, first + len(lines)), strict=True))
    if len(numbers) < len(lines):
        for line, times in Counter(lines).items():
            if times > 1:
                del numbers[line]
    return numbers


def _rising(old_numbers: Sequence[int], new_numbers: Sequence[int]) -> Matches:
    """Return the most matches whose new numbers rise as the old ones do (patience sorting)."""
    if all(map(lt, new_numbers, new_numbers[1:])):
        return old_numbers, new_numbers
    tops: list[int] = []
    piles: list[int] = []
    before = [-1] * len(new_numbers)
    for place, number in enumerate(new_numbers):
        pile = bisect_left(tops, number)
        if pile:
            before[place] = piles[pile - 1]
        tops[pile : pile + 1] = [number]
        piles[pile : pile + 1] = [place]
    chain: list[int] = []
    place = piles[-1]
    while place >= 0:
        chain.append(place)
        place = before[place]
    chain.reverse()
    return [old_numbers[place] for place in chain], [new_numbers[place] for place in chain]


def _common_cost(old_count: int, new_count: int) -> int:
    rows, columns = sorted((old_count, new_count))
    return GAP_EFFORT + 3 * columns + rows * (5 + columns // 1024)


def longest_common(old: Sequence[str], new: Sequence[str], gap: Gap) -> Matches:
    """Return a longest common part of a gap: one row of bits for each line of the shorter side (Hyyrö 2004).

    A zero bit in a row says that the common part of the lines up to there grows with that column's line.
    """
    old_start, old_end, new_start, new_end = gap
    if old_end - old_start > new_end - new_start:
        new_numbers, old_numbers = longest_common(new, old, (new_start, new_end, old_start, old_end))
        return old_numbers, new_numbers
    places = _places(new[new_start:new_end], wanted=set(old[old_start:old_end]))
    every = row = (1 << (new_end - new_start)) - 1
    rows = [row]
    for line in old[old_start:old_end]:
        if found := row & places.get(line, 0):
            row = ((row + found) | (row - found)) & every
        rows.append(row)
    old_numbers, new_numbers = [], []
    while old_end > old_start and new_end > new_start:
        column = 1 << (new_end - new_start - 1)
        if rows[old_end - old_start] & column:
            new_end -= 1
        elif not rows[old_end - old_start - 1] & column:
            old_end -= 1
        else:
            old_end, new_end = old_end - 1, new_end - 1
            old_numbers.append(old_end)
            new_numbers.append(new_end)
    return old_numbers[::-1], new_numbers[::-1]


def _places(lines: Sequence[str], *, wanted: set[str]) -> dict[str, int]:
    """Return for each wanted line an integer with a bit at every number where it stands."""
    bits: dict[str, bytearray] = {}
    for number, line in enumerate(lines):
        if line in wanted:
            if line not in bits:
                bits[line] = bytearray(len(lines) // 8 + 1)
            bits[line][number >> 3] |= 1 << (number & 7)
    return {line: int.from_bytes(mask, "little") for line, mask in bits.items()}
