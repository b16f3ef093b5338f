"""Which words of a changed line changed, and which removed and added lines are forms of one line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memories.diffs.alignment import sequence_hunks
from memories.diffs.hunks import Hunk

MARKED_CHARACTERS = 500
"""Longer lines get no word marks."""

ALIKE = 0.5
"""The least share of words two lines have in common to be called forms of one line."""

WORD = re.compile(
    r"""\s+
    | [!-/:-@\[-^`{-~\u2010-\u2027\u3001-\u3003\u3008-\u3011]   # punctuation
    | [\u3040-\u30ff\u3400-\u9fff]                              # scripts that write no blanks between words
    # Whatever else stands together: no accent, joiner or variation selector is cut off from its letter or emoji.
    | [^\s!-/:-@\[-^`{-~\u2010-\u2027\u3001-\u3003\u3008-\u3011\u3040-\u30ff\u3400-\u9fff]+
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a line; ``marked`` when the other side does not have it."""

    text: str
    marked: bool = False


Pair = tuple[int | None, int | None]
"""The numbers of an old and a new line shown beside each other; None where a side has no line."""


def word_marks(old_line: str, new_line: str) -> tuple[list[Segment], list[Segment]]:
    """Return both lines in segments, so that the unmarked ones read the same on both sides.

    Lines that are too long, or have less than a third in common, come back whole and unmarked.
    """
    plain = ([Segment(old_line)] if old_line else []), ([Segment(new_line)] if new_line else [])
    if old_line == new_line or max(len(old_line), len(new_line)) > MARKED_CHARACTERS:
        return plain
    old_words, new_words = WORD.findall(old_line), WORD.findall(new_line)
    hunks = _joined(_slid(sequence_hunks(old_words, new_words), old_words, new_words), old_words)
    old_segments = _segments(old_words, [(hunk.old_start, hunk.old_end) for hunk in hunks])
    new_segments = _segments(new_words, [(hunk.new_start, hunk.new_end) for hunk in hunks])
    common = sum(len(segment.text.strip()) for segment in old_segments if not segment.marked)
    if 3 * common < max(1, min(len(old_line.strip()), len(new_line.strip()))):
        return plain
    return old_segments, new_segments


def pairs(old_lines: Sequence[str], new_lines: Sequence[str]) -> list[Pair]:
    """Return the lines of a hunk side by side, in order: lines that are alike beside each other, the rest as it falls.

    The work grows with the product of the counts; callers keep hunks short.
    """
    result: list[Pair] = []
    old_at = new_at = 0
    for old_number, new_number in [*_alike(old_lines, new_lines), (len(old_lines), len(new_lines))]:
        result += zip_longest(range(old_at, old_number), range(new_at, new_number))
        if old_number < len(old_lines):
            result.append((old_number, new_number))
        old_at, new_at = old_number + 1, new_number + 1
    return result


def _slid(hunks: Sequence[Hunk], old_words: Sequence[str], new_words: Sequence[str]) -> list[Hunk]:
    """Return the hunks with what was only added or only removed as late as it can be.

    ``due 12 May`` that became ``due 12 May, then 20 May`` then marks ``, then 20 May`` and not ``May, then 20``.
    """
    slid: list[Hunk] = []
    ends = [*(hunk.old_start for hunk in hunks[1:]), len(old_words)]
    for hunk, end_of_common in zip(hunks, ends, strict=True):
        by = 0
        if not (hunk.old_count and hunk.new_count):
            words = new_words if hunk.new_count else old_words
            start, end = (hunk.new_start, hunk.new_end) if hunk.new_count else (hunk.old_start, hunk.old_end)
            while hunk.old_end + by < end_of_common and words[start + by] == words[end + by]:
                by += 1
        slid.append(hunk._replace(old_start=hunk.old_start + by, new_start=hunk.new_start + by))
    return slid


def _joined(hunks: Sequence[Hunk], old_words: Sequence[str]) -> list[Hunk]:
    """Return the hunks with those made one that only blanks keep apart: five marks in a row are hard to read."""
    joined: list[Hunk] = []
    for hunk in hunks:
        last = joined[-1] if joined else None
        if last and not "".join(old_words[last.old_end : hunk.old_start]).strip():
            joined[-1] = Hunk(
                last.old_start, hunk.old_end - last.old_start, last.new_start, hunk.new_end - last.new_start
            )
        else:
            joined.append(hunk)
    return joined


def _segments(words: Sequence[str], marked: Sequence[tuple[int, int]]) -> list[Segment]:
    segments: list[Segment] = []
    done = 0
    for start, end in marked:
        if start < end:
            segments += [Segment("".join(words[done:start])), Segment("".join(words[start:end]), marked=True)]
            done = end
    segments.append(Segment("".join(words[done:])))
    return [segment for segment in segments if segment.text]


def _alike(old_lines: Sequence[str], new_lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield, in order, the pairs of lines that together are most alike."""
    old_words, new_words = [_words(line) for line in old_lines], [_words(line) for line in new_lines]
    width = len(new_lines) + 1
    best = [[0.0] * width for _ in range(len(old_lines) + 1)]
    likeness = [[_likeness(old, new) for new in new_words] for old in old_words]
    for i in reversed(range(len(old_lines))):
        row, below = best[i], best[i + 1]
        for j in reversed(range(len(new_lines))):
            row[j] = max(below[j], row[j + 1], below[j + 1] + likeness[i][j])
    i = j = 0
    while i < len(old_lines) and j < len(new_lines):
        if likeness[i][j] and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            yield i, j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1


def _words(line: str) -> frozenset[str]:
    return frozenset(WORD.findall(line)) - {" ", "\n"} if len(line) <= MARKED_CHARACTERS else frozenset()


def _likeness(old: frozenset[str], new: frozenset[str]) -> float:
    share = 2 * len(old & new) / ((len(old) + len(new)) or 1)
    return share if share >= ALIKE else 0.0
