"""Three-way merge: what two sides made of the same text, put together; only what both changed differently is open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memories.diffs.alignment import EFFORT, sequence_hunks
from memories.diffs.hunks import Hunk, ended, split_lines

Lines = tuple[str, ...]

Side = Literal["none", "ours", "theirs", "both"]


@dataclass(frozen=True, slots=True)
class Agreed:
    """Lines that are settled: ``by`` whose change they are, and the ``base`` it replaced; "none" where nobody's."""

    lines: Lines
    base: Lines
    by: Side = "none"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that both sides changed, each in its own way: the lines of the base and of both, with their ends."""

    base: Lines
    ours: Lines
    theirs: Lines


@dataclass(frozen=True, slots=True)
class Merge:
    """What became of a merge, in order: lines on which both sides agree, and conflicts."""

    parts: tuple[Agreed | Conflict, ...]
    ends_open: bool = False
    """The text's last line has no final newline."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(part for part in self.parts if isinstance(part, Conflict))

    @property
    def changes(self) -> tuple[Agreed, ...]:
        """What one side changed alone, or both alike."""
        return tuple(part for part in self.parts if isinstance(part, Agreed) and part.by != "none")

    def text(self, *, theirs: bool = False) -> str:
        """Return the merged text, with one side's lines in all conflicts."""
        return self.settled([conflict.theirs if theirs else conflict.ours for conflict in self.conflicts])

    def settled(self, answers: Sequence[Lines]) -> str:
        """Return the merged text with these lines in its conflicts, in order; each line has its end."""
        lines: list[str] = []
        following = iter(answers)
        for part in self.parts:
            lines += next(following) if isinstance(part, Conflict) else part.lines
        text = "".join(lines)
        return text.removesuffix("\n") if self.ends_open else text

    def alone(self, side: Side) -> str:
        """Return the base with nothing but the settled changes of one side in it."""
        lines: list[str] = []
        for part in self.parts:
            lines += part.lines if isinstance(part, Agreed) and part.by in (side, "none") else part.base
        return "".join(lines)


def merge(base: str, ours: str, theirs: str) -> Merge:
    """Return what ``ours`` and ``theirs`` together make of ``base``.

    Changes of different lines are both taken, also where they touch; the same change on both sides is taken once. Two
    insertions at one place, and changes of the same lines, are conflicts. A missing final newline counts as a change of
    its own.
    """
    lines, left, right = (split_lines(ended(text)) for text in (base, ours, theirs))
    return Merge(tuple(_parts(lines, left, right)), _ends_open(base, ours, theirs))


def sharpened(merged: Merge) -> Merge:
    """Return the merge with what both sides of a conflict have alike, at its start and its end, settled."""
    return Merge(tuple(piece for part in merged.parts for piece in _sharpened(part)), merged.ends_open)


def apart(ours: str, theirs: str) -> Merge:
    """Return the merge of two texts of which nobody knows what they come from: each difference is a conflict."""
    left, right = split_lines(ended(ours)), split_lines(ended(theirs))
    parts: list[Agreed | Conflict] = []
    done = 0
    for hunk in sequence_hunks(left, right):
        if done < hunk.old_start:
            parts.append(Agreed(tuple(left[done : hunk.old_start]), ()))
        mine, other = left[hunk.old_start : hunk.old_end], right[hunk.new_start : hunk.new_end]
        parts.append(Conflict((), tuple(mine), tuple(other)))
        done = hunk.old_end
    if done < len(left):
        parts.append(Agreed(tuple(left[done:]), ()))
    return Merge(tuple(parts), _ends_open(theirs, ours, theirs))


def _ends_open(base: str, ours: str, theirs: str) -> bool:
    was = _is_open(base)
    # A text that was emptied has no last line, and so nothing to say about its end.
    mine, other = (_is_open(text) if text else was for text in (ours, theirs))
    return other if other != was else mine


def _is_open(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def _parts(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[Agreed | Conflict]:
    done = 0
    # Half of the work for each, so that a merge takes no longer than a diff may.
    left_hunks = sequence_hunks(base, ours, effort=EFFORT // 2)
    right_hunks = sequence_hunks(base, theirs, effort=EFFORT // 2)
    for start, end, left, right in _regions(left_hunks, right_hunks):
        if done < start:
            yield Agreed(tuple(base[done:start]), tuple(base[done:start]))
        done = end
        was = tuple(base[start:end])
        mine, other = tuple(_side(ours, left, start, end)), tuple(_side(theirs, right, start, end))
        if not right:
            yield Agreed(mine, was, "ours")
        elif not left:
            yield Agreed(other, was, "theirs")
        elif mine == other:
            yield Agreed(mine, was, "both")
        else:
            yield Conflict(was, mine, other)
    if done < len(base):
        yield Agreed(tuple(base[done:]), tuple(base[done:]))


def _sharpened(part: Agreed | Conflict) -> Iterator[Agreed | Conflict]:
    if isinstance(part, Agreed):
        yield part
        return
    most = min(len(part.ours), len(part.theirs))
    head = next((n for n in range(most) if part.ours[n] != part.theirs[n]), most)
    tail = next((n for n in range(most - head) if part.ours[-1 - n] != part.theirs[-1 - n]), most - head)
    mine, other = part.ours[head : len(part.ours) - tail], part.theirs[head : len(part.theirs) - tail]
    # Where one side has nothing more, what both have alike stands in place of the base.
    before = part.base if (mine and other) or not (head or tail) else ()
    if head:
        yield Agreed(part.ours[:head], (), "both")
    yield Conflict(before, mine, other)
    if tail:
        yield Agreed(part.ours[len(part.ours) - tail :], (), "both")


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
