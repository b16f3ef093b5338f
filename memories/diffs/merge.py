"""Three-way merge: what two sides made of the same text, put together; only what both changed differently is open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.diffs.alignment import sequence_hunks
from memories.diffs.hunks import Hunk, ended, split_lines


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that both sides changed, each in its own way: the lines of the base and of both, with their ends."""

    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """What became of a merge, in order: lines on which both sides agree, and conflicts."""

    parts: tuple[tuple[str, ...] | Conflict, ...]
    ends_open: bool = False
    """The text's last line has no final newline."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(part for part in self.parts if isinstance(part, Conflict))

    def text(self, *, theirs: bool = False) -> str:
        """Return the merged text, with one side's lines in all conflicts."""
        lines: list[str] = []
        for part in self.parts:
            if isinstance(part, Conflict):
                lines += part.theirs if theirs else part.ours
            else:
                lines += part
        text = "".join(lines)
        return text.removesuffix("\n") if self.ends_open else text


def merge(base: str, ours: str, theirs: str) -> Merge:
    """Return what ``ours`` and ``theirs`` together make of ``base``.

    Changes of different lines are both taken, also where they touch; the same change on both sides is taken once. Two
    insertions at one place, and changes of the same lines, are conflicts. A missing final newline counts as a change of
    its own.
    """
    mine, other = _ends_open(ours), _ends_open(theirs)
    ends_open = other if other != _ends_open(base) else mine
    lines, left, right = (split_lines(ended(text)) for text in (base, ours, theirs))
    parts = tuple(_parts(lines, left, right))
    return Merge(parts, ends_open)


def _ends_open(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def _parts(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[tuple[str, ...] | Conflict]:
    done = 0
    for start, end, left, right in _regions(sequence_hunks(base, ours), sequence_hunks(base, theirs)):
        if done < start:
            yield tuple(base[done:start])
        done = end
        was, mine, other = base[start:end], _side(ours, left, start, end), _side(theirs, right, start, end)
        if not right or mine == other:
            yield tuple(mine)
        elif not left:
            yield tuple(other)
        else:
            yield Conflict(tuple(was), tuple(mine), tuple(other))
    if done < len(base):
        yield tuple(base[done:])


def _side(lines: list[str], hunks: Sequence[Hunk], start: int, end: int) -> list[str]:
    """Return what one side made of the base's lines from ``start`` to ``end``; nothing to ask where it left them."""
    if not hunks:
        return []
    first, last = hunks[0], hunks[-1]
    return lines[first.new_start - (first.old_start - start) : last.new_end + (end - last.old_end)]


Region = tuple[int, int, list[Hunk], list[Hunk]]


def _regions(left: Sequence[Hunk], right: Sequence[Hunk]) -> Iterator[Region]:
    """Yield the parts of the base that changed, each with the hunks of both sides that overlap there, in order."""
    # At one place an insertion stands before what replaces the lines that follow.
    marked = [(hunk.old_start, hunk.old_end, side, hunk) for side, hunks in enumerate((left, right)) for hunk in hunks]
    marked.sort(key=lambda mark: mark[:3])
    region: Region | None = None
    for start, end, side, hunk in marked:
        if region and not _overlaps(region, start, end):
            yield region
            region = None
        if region is None:
            region = (start, end, [], [])
        region = (region[0], max(region[1], end), region[2], region[3])
        region[2 + side].append(hunk)  # type: ignore[union-attr]
    if region:
        yield region


def _overlaps(region: Region, start: int, end: int) -> bool:
    """Say whether a change of the lines from ``start`` to ``end`` meets the region: shares a line, or its one place."""
    if start < region[1]:
        return True
    return start == end == region[0] == region[1]
