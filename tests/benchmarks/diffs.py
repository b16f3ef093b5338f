"""How long comparing two texts of 1 MB takes."""

from collections.abc import Iterator
from random import Random

from memories.diffs import compare, line_hunks, merge, split_lines
from memories.diffs.merge import sharpened
from tests.benchmarks.measure import Line, Step, processor_time

SIZE = 1_000_000
HOSTILE_MS = 500
ORDINARY_MS = 60
MERGED_LINES = 20_000
"""Texts that differ over more lines are not merged on a page (``COMPARED_LINES`` of ``memories.views.choices``)."""


def lines() -> list[Line]:
    """Measure ordinary changes and texts made to be slow."""
    ordinary = [
        processor_time(f"diff of 1 MB, 1 % changed, lines of {width}", ORDINARY_MS, comparing(*edited(width)), 9)
        for width in (20, 60, 120)
    ]
    hostile = [
        processor_time(f"diff of 1 MB, {name}", HOSTILE_MS, comparing(old, new), 3)
        for name, old, new in hostile_pairs()
    ]
    hostile += [
        processor_time(f"merge of {MERGED_LINES:,} lines, {name}", HOSTILE_MS, merging(old, new), 3)
        for name, old, new in hostile_pairs()
    ]
    pair = edited(60)
    page = processor_time("page of a diff of 1 MB, 1 % changed", ORDINARY_MS, lambda _: compare(*pair), 9)
    return [*ordinary, page, *hostile]


def comparing(old: str, new: str) -> Step:
    return lambda _: line_hunks(old, new)


def merging(base: str, ours: str) -> Step:
    """Merge a text with two others, each of which is slow to compare with it."""
    base, ours = ("".join(split_lines(text)[:MERGED_LINES]) for text in (base, ours))
    theirs = ours[len(ours) // 3 :] + ours[: len(ours) // 3]
    return lambda _: sharpened(merge(base, ours, theirs))


def edited(width: int) -> tuple[str, str]:
    """Return a text of distinct lines and the same with 1 % of its lines replaced, removed or added."""
    random = Random(width)
    old = [f"{random.randrange(10**18):0{width}d}\n" for _ in range(SIZE // (width + 1))]
    new: list[str] = []
    for line in old:
        match random.randrange(300):
            case 0:
                new.append(f"changed {line}")
            case 1:
                new += ["one more line\n", line]
            case 2:
                pass
            case _:
                new.append(line)
    return "".join(old), "".join(new)


def hostile_pairs() -> Iterator[tuple[str, str, str]]:
    """Yield texts that slow down one way or another of comparing, each pair with its name."""
    random = Random(7)
    distinct = [f"{number:06d}\n" for number in range(SIZE // 7)]
    yield "lines reversed", "".join(distinct), "".join(reversed(distinct))
    yield "lines shuffled", "".join(distinct), "".join(random.sample(distinct, len(distinct)))
    yield "nothing in common", "".join(distinct), "".join(f"{line[:-1]}x\n" for line in distinct)[:SIZE]
    yield "two kinds of line", two_kinds(random), two_kinds(random)
    yield "empty lines only", "x\n" + "\n" * SIZE, "y\n" + "\n" * (SIZE // 2) + "z\n"
    yield "one line", "x" * SIZE, "x" * (SIZE // 2) + "y" * (SIZE // 2)
    for length in (2, 20, 2_000):
        yield f"a gap of {length} after each anchor", gaps(random, length), gaps(random, length)
    yield "anchors one by one", cascade("x"), cascade("y")


def two_kinds(random: Random) -> str:
    return "".join(random.choice(("a\n", "b\n")) for _ in range(SIZE // 2))


def cascade(filler: str) -> str:
    """Return lines of which one is unique, and only what lies before it makes the next one repeated."""
    return "".join(f"{number + 1}\n{number}\n{filler}\n" for number in range(SIZE // 16))


def gaps(random: Random, length: int) -> str:
    """Return lines that stand once, each before lines that do not."""
    parts: list[str] = []
    size = 0
    while size < SIZE:
        parts.append(f"{len(parts)}\n" + "".join(random.choice("abc") + "\n" for _ in range(length)))
        size += len(parts[-1])
    return "".join(parts)[:SIZE]
