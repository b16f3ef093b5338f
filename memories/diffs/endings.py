"""Line ends that browsers take away from a text, and how its lines get them back.

A form sends every line end as CRLF, whatever it was: LF, CRLF, or a carriage return that stands alone.
"""

import re
from itertools import chain, pairwise
from typing import Final

from memories.diffs.alignment import line_hunks
from memories.diffs.hunks import split_lines

_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def with_line_feeds(text: str) -> str:
    """Return ``text`` as a browser shows it: every line ends in a line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def as_written(typed: str, base: str) -> str:
    """Return what somebody made of ``base`` in a browser, byte for byte the same wherever they changed nothing.

    A line that was rewritten keeps the end it had, and one that was added ends as those around it do.
    """
    typed = with_line_feeds(typed)
    if "\r" not in base:
        return typed
    old, new = _LINES.findall(base), split_lines(typed)
    lines: list[str] = []
    place = 0
    for hunk in line_hunks(with_line_feeds(base), typed):
        lines += old[place : hunk.old_start]
        for number, line in enumerate(new[hunk.new_start : hunk.new_end]):
            end = _end(old[hunk.old_start + number]) if number < hunk.old_count else ""
            lines.append(_ending(line, end or _end_around(old, hunk.old_start)))
        place = hunk.old_end
    return _joined([*lines, *old[place:]])


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _end_around(old: list[str], place: int) -> str:
    """Return how the lines around a place end; a carriage return alone is no end that anybody would type."""
    nearest = chain(reversed(old[max(place - 1, 0) : place + 1]), old[:1])
    return next(("\r\n" for line in nearest if line.endswith("\r\n")), "\n")


def _ending(line: str, end: str) -> str:
    return line[:-1] + end if line.endswith("\n") else line


def _joined(lines: list[str]) -> str:
    """Return the lines as one text; a carriage return must not become one end with the empty line that follows it."""
    apart = (
        "\r" + line if before.endswith("\r") and line.startswith("\n") else line for before, line in pairwise(lines)
    )
    return "".join(chain(lines[:1], apart))
