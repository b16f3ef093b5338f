"""Who wrote each line, worked out from the hunks that were kept with every version."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from memories.diffs.alignment import line_hunks
from memories.diffs.hunks import Hunk, ended

FEW: Final = 16
"""Hunks up to which putting each into its place takes less time than putting all lines together anew."""


class Step(NamedTuple):
    """One version of a file as the authorship of its lines needs it; ``hunks`` stand in order."""

    number: int
    hunks: tuple[Hunk, ...]
    origin: int | None = None


def attributed(steps: Iterable[Step]) -> list[int]:
    """Return for each line of the last text the number of the version that wrote it.

    ``steps`` are all versions of the file from the first on, in order. A line that came back from an earlier version
    counts as written by whoever wrote it then.
    """
    steps = list(steps)
    wanted = {step.origin for step in steps if step.origin}
    kept: dict[int, list[int]] = {}
    lines: list[int] = []
    for step in steps:
        brought = kept.get(step.origin) if step.origin else None
        lines = (_in_place if len(step.hunks) <= FEW else _in_one_pass)(lines, step, brought)
        if step.number in wanted:
            kept[step.number] = lines.copy()
    return lines


def _in_place(lines: list[int], step: Step, brought: list[int] | None) -> list[int]:
    """Return the lines after ``step``, which moves those behind each hunk; few hunks take the least time so."""
    # From the end, so that the places of the hunks before stay what they were.
    for hunk in reversed(step.hunks):
        lines[hunk.old_start : hunk.old_end] = _fresh(step, hunk, brought)
    return lines


def _in_one_pass(lines: list[int], step: Step, brought: list[int] | None) -> list[int]:
    """Return the same; each line is touched once, however many hunks there are."""
    after: list[int] = []
    done = 0
    for hunk in step.hunks:
        after += lines[done : hunk.old_start]
        after += _fresh(step, hunk, brought)
        done = hunk.old_end
    after += lines[done:]
    return after


def _fresh(step: Step, hunk: Hunk, brought: list[int] | None) -> list[int]:
    if hunk.source is not None and brought is not None:
        return brought[hunk.source : hunk.source + hunk.new_count]
    return [step.number] * hunk.new_count


def traced(steps: Sequence[Step], line: int) -> dict[int, int]:
    """Return where a line of the last text stood in each version that had it, by number; lines count from 0.

    ``steps`` are the versions in order, the last one that of the text. Versions in which the line was away, before it
    came back from an earlier one, are left out.
    """
    back: dict[int, int] = {}
    number = steps[-1].number if steps else 0
    for step in reversed(steps):
        if step.number > number:
            continue
        back[step.number] = line
        number, line = _before(step, line)
    # The way back leads past versions that had the line between the one it came back from and the one it went in.
    return _onward(steps, back) | back


def _before(step: Step, line: int) -> tuple[int, int]:
    """Return the version from which ``step`` has a line, and its place there; version 0 for a line of its own."""
    shift = 0
    for hunk in step.hunks:
        if hunk.new_start <= line < hunk.new_end:
            return step.origin or 0 if hunk.source is not None else 0, line - hunk.new_start + (hunk.source or 0)
        if hunk.new_end <= line:
            shift += hunk.old_count - hunk.new_count
    return step.number - 1, line + shift


def _onward(steps: Sequence[Step], back: dict[int, int]) -> dict[int, int]:
    """Return where the line stood in the versions since it was written, the earliest of those in ``back``."""
    places: dict[int, int] = {}
    place: int | None = None
    for step in steps:
        if place is not None:
            place = _after(step, place)
        if place is None and step.origin in places:
            place = _brought(step, places[step.origin])
        if place is None:
            place = back.get(step.number)
        if place is not None:
            places[step.number] = place
    return places


def _after(step: Step, line: int) -> int | None:
    """Return where a line of the version before stands in that of ``step``; None when it went."""
    shift = 0
    for hunk in step.hunks:
        if hunk.old_start <= line < hunk.old_end:
            return None
        if hunk.old_end <= line:
            shift += hunk.new_count - hunk.old_count
    return line + shift


def _brought(step: Step, line: int) -> int | None:
    """Return where ``step`` put a line of its origin; None when it did not bring that back."""
    for hunk in step.hunks:
        if hunk.source is not None and hunk.source <= line < hunk.source + hunk.new_count:
            return hunk.new_start + line - hunk.source
    return None


def from_origin(hunks: Iterable[Hunk], text: str, origin: str) -> tuple[Hunk, ...]:
    """Return ``hunks`` so cut that each brings only lines of ``origin``, and says which, or only lines of its own.

    ``hunks`` are what makes ``text``, of which lines may be equal to lines of ``origin``.
    """
    sources = _equal_lines(origin, text)
    return tuple(part for hunk in hunks for part in _cut(hunk, sources))


def _equal_lines(old: str, new: str) -> dict[int, int]:
    """Return for the lines of ``new`` that ``old`` has too, in the same order, their places there."""
    places: dict[int, int] = {}
    place = old_place = 0
    for hunk in (*line_hunks(ended(old), ended(new)), None):
        stop = hunk.new_start if hunk else ended(new).count("\n")
        places.update(zip(range(place, stop), range(old_place, old_place + stop - place), strict=True))
        if hunk:
            place, old_place = hunk.new_end, hunk.old_end
    return places


def _cut(hunk: Hunk, sources: dict[int, int]) -> Iterator[Hunk]:
    if not hunk.new_count:
        yield hunk
        return
    # Neighbours whose places lie as far apart here as there belong together.
    numbered = ((line, sources.get(line)) for line in range(hunk.new_start, hunk.new_end))
    parts = groupby(numbered, key=lambda pair: None if pair[1] is None else pair[1] - pair[0])
    old_start, old_count = hunk.old_start, hunk.old_count
    for _, part in parts:
        first, *rest = part
        yield Hunk(old_start, old_count, first[0], 1 + len(rest), first[1])
        old_start, old_count = hunk.old_end, 0
