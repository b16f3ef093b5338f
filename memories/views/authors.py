"""Who wrote each line of a file, and where a line stood in the versions that had it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from memories.diffs import Hunk, attributed, traced
from memories.diffs.authorship import Step
from memories.models import MemoryEntry, MemoryVersion

EFFORT: Final = 200_000_000
"""How much work following the lines of one file may be; a unit is about one line kept through one version (1 ns)."""

VERSION_EFFORT: Final = 5_000
HUNK_EFFORT: Final = 1_000
ORIGIN_EFFORT: Final = 40
"""What a version costs beside its lines, what each of its hunks does, and a line that may have to come back."""

GONE: Final = 0
"""The number that stands for versions that are not kept any more."""

AGES: Final = 4
"""Shades in which sources are told apart, the newest first."""


class Stretch(NamedTuple):
    """Lines that one version wrote and that stand together; lines count from 1, both ends included."""

    version: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Authors:
    """The versions of a file with their hunks, and for each of its lines the number of the version that wrote it."""

    steps: Sequence[Step]
    lines: Sequence[int]

    @property
    def counts(self) -> Counter[int]:
        """How many lines each version wrote that still has some."""
        return Counter(self.lines)

    def of(self, line: int) -> int:
        """Return the number of the version that wrote a line, from 1; ``GONE`` where nothing is known of it."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else GONE

    def stretches(self) -> Iterator[Stretch]:
        """Yield the file's lines in order, those together that one version wrote."""
        first = 1
        for version, group in groupby(self.lines):
            last = first + sum(1 for _ in group) - 1
            yield Stretch(version, first, last)
            first = last + 1

    def places(self, line: int) -> dict[int, int]:
        """Return where a line, from 1, stood in each version that had it since it was written, by number."""
        return {number: place + 1 for number, place in traced(self.steps, line - 1).items() if number != GONE}


def authors_of(entry: MemoryEntry) -> Authors | None:
    """Return who wrote the lines of a file; None where too much has become of it to follow them. One query."""
    steps = _steps(entry)
    return Authors(steps, attributed(steps)) if steps is not None else None


def ages(numbers: Iterable[int]) -> dict[int, int]:
    """Return the shade of each version among these, 1 for the newest and ``AGES`` for the oldest of several."""
    ordered = sorted(numbers, reverse=True)
    most = max(len(ordered) - 1, 1)
    return {number: 1 + round((AGES - 1) * place / most) for place, number in enumerate(ordered)}


def _steps(entry: MemoryEntry) -> list[Step] | None:
    effort = EFFORT - VERSION_EFFORT * entry.version
    if effort < 0:
        return None
    versions = MemoryVersion.objects.filter(entry=entry).order_by("number")
    steps: list[Step] = []
    expected = 1
    for number, lines, spans, origin in versions.values_list("number", "lines", "spans", "origin").iterator():
        effort -= lines * (ORIGIN_EFFORT if origin else 1) + HUNK_EFFORT * len(spans)
        if effort < 0:
            return None
        hunks = tuple(Hunk(*span) for span in spans)
        if number != expected:
            steps.append(_gap(lines - sum(hunk.new_count - hunk.old_count for hunk in hunks)))
        steps.append(Step(number, hunks, origin))
        expected = number + 1
    return steps


def _gap(lines: int) -> Step:
    """Return a step for versions that are not kept any more, after which the file had so many lines."""
    return Step(GONE, (Hunk(0, EFFORT, 0, lines),))
