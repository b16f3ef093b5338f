"""Files that say nearly the same: found by the lines they share, in an amount of work that has an end.

Lines are compared without their indent, bullets and case. Each points at the files that hold it, and each two of those
may be alike. A line of many files, as of a template, pairs each of them with the next one only, which still links files
that are copies of one another and costs no more than they are many; so do files with all the same lines. Pairs that may
be alike enough are then counted line by line.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

LINE_CHARACTERS: Final = 12
"""Shorter lines are headings and bullets that any two files may share."""

SHARED_LINES: Final = 3
SHARED_PART: Final = 0.8
"""Of the lines of the smaller file, from which on the two are near-duplicates."""

COMMON: Final = 12
"""A line that is in more files pairs neighbours only."""

STEPS: Final = 600_000
"""Pairs that are noted at most, over all lines."""

LOOKS: Final = 2_000_000
"""Lines that are looked up at most, over all pairs that may be alike enough."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Files of which each is nearly the same as another one of them.

    ``one`` and ``other`` share most: ``same`` of the ``of`` lines of ``one`` that count. ``rest`` are the others.
    """

    one: int
    other: int
    same: int
    of: int
    rest: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The groups, those that repeat most first, and whether every file could be compared with every other."""

    groups: tuple[Twins, ...]
    complete: bool


def counted_line(line: str) -> str:
    """Return a line as it is compared; empty for one that does not count."""
    bare = " ".join(line.split()).lstrip("-*+#>|0123456789.() ").casefold()
    return bare if len(bare) >= LINE_CHARACTERS else ""


def twins(texts: Mapping[int, str]) -> Found:
    """Return the groups of near-duplicates among texts, which are given by the ids of their files."""
    lines = {
        key: {counted for line in text.split("\n") if (counted := counted_line(line))} for key, text in texts.items()
    }
    holders: dict[str, list[int]] = {}
    for key, held in lines.items():
        if len(held) >= SHARED_LINES:
            for line in held:
                holders.setdefault(line, []).append(key)
    noted: Counter[tuple[int, int]] = Counter()
    common: Counter[int] = Counter()
    steps = 0
    for keys in holders.values():
        if len(keys) == 1:
            continue
        is_common = len(keys) > COMMON
        steps += len(keys) - 1 if is_common else len(keys) * (len(keys) - 1) // 2
        if steps > STEPS:
            break
        noted.update(pairwise(keys) if is_common else combinations(keys, 2))
        if is_common:
            common.update(keys)
    copies: dict[frozenset[str], int] = {}
    for key, held in lines.items():
        if len(held) >= SHARED_LINES and (known := copies.setdefault(frozenset(held), key)) != key:
            noted[known, key] = len(held)
    near, all_counted = _near(lines, common, noted)
    return Found(_groups(near), steps <= STEPS and all_counted)


def _near(
    lines: Mapping[int, Set[str]], common: Mapping[int, int], noted: Counter[tuple[int, int]]
) -> tuple[list[Twins], bool]:
    """Return the pairs that share enough, and whether all that may were counted; ``noted`` may lack common lines."""
    sizes = {key: len(held) for key, held in lines.items()}
    near: list[Twins] = []
    looks = 0
    for (one, other), count in noted.most_common():
        enough = max(SHARED_LINES, SHARED_PART * min(sizes[one], sizes[other]))
        if count + min(common[one], common[other]) < enough:
            continue
        looks += min(sizes[one], sizes[other])
        if looks > LOOKS:
            return near, False
        if (same := len(lines[one] & lines[other])) >= enough:
            near.append(_pair(sizes, (one, other), same))
    return near, True


def _pair(sizes: Mapping[int, int], pair: tuple[int, int], count: int) -> Twins:
    one, other = sorted(pair, key=lambda key: (sizes[key], key))
    return Twins(one, other, count, sizes[one])


def _groups(near: Iterable[Twins]) -> tuple[Twins, ...]:
    """Return one entry for all files that are linked, by their closest pair."""
    leader: dict[int, int] = {}

    def top(key: int) -> int:
        while (up := leader.setdefault(key, key)) != key:
            leader[key] = leader[up]
            key = up
        return key

    ordered = sorted(near, key=lambda pair: (-pair.same, -pair.same / pair.of, pair.one, pair.other))
    for pair in ordered:
        leader[top(pair.one)] = top(pair.other)
    members: dict[int, list[int]] = {}
    for key in list(leader):
        members.setdefault(top(key), []).append(key)
    best: dict[int, Twins] = {}
    for pair in ordered:
        best.setdefault(top(pair.one), pair)
    return tuple(
        Twins(pair.one, pair.other, pair.same, pair.of, tuple(sorted({*members[key]} - {pair.one, pair.other})))
        for key, pair in best.items()
    )


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A line that both texts hold: where in each, counted from 1, and how the first one writes it."""

    first: int
    second: int
    text: str


def shared_lines(one: str, other: str, most: int) -> list[SharedLine]:
    """Return the lines, ``most`` at most, that :func:`twins` counts for the two texts."""
    places: dict[str, int] = {}
    for number, line in enumerate(other.split("\n"), 1):
        if counted := counted_line(line):
            places.setdefault(counted, number)
    found: list[SharedLine] = []
    for number, line in enumerate(one.split("\n"), 1):
        if (second := places.pop(counted_line(line), None)) is not None:
            found.append(SharedLine(number, second, line))
            if len(found) == most:
                break
    return found
