"""Text as the memory tool counts and shows it: a line ends on the line feed and on nothing else."""

import unicodedata
from collections.abc import Sequence
from operator import add

ECHO = 200
SUMMARY = 80
VIEW = 16_000
KILO = 1_024
LABEL = 40
NOTE = 2_000
"""Characters of a label and of a note that people put on a file."""

COUNTED = 1_024
"""Bytes whose line feeds are counted at a time."""


def echo(value: object) -> str:
    """Return ``value`` for a message: text in at most 200 printable characters, anything else as its kind."""
    if not isinstance(value, str):
        return {type(None): "null", bool: "a boolean", int: "a number", float: "a number", list: "a list"}.get(
            type(value), "an object"
        )
    if not value:
        return "an empty text"
    cut = value[:ECHO]
    if not cut.isprintable():
        cut = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in cut)
    return cut[: ECHO - 1] + "…" if len(value) > ECHO or len(cut) > ECHO else cut


def storable(text: str) -> bool:
    """Return whether every database can hold ``text``: no NUL and no unpaired surrogate."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_label(typed: str) -> str:
    """Return the label that ``typed`` stands for; empty where it is none.

    It is composed, in small letters and with single spaces, so that one word is one label. A comma parts two labels,
    and controls belong to none.
    """
    label = unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", typed).lower().split()))
    if not storable(label) or "," in label or any(unicodedata.category(character) == "Cc" for character in label):
        return ""
    return label if len(label) <= LABEL else ""


def as_note(typed: str) -> str:
    """Return a note as it is kept: with line feeds, and without blank ends."""
    return typed.replace("\r\n", "\n").replace("\r", "\n").strip()


def count_lines(text: str) -> int:
    """Return how many lines ``text`` has; a final line feed ends the last one and starts none."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def lines_of(text: str) -> list[str]:
    """Return the lines of ``text`` without their ends."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def lines_between(text: str, first: int, last: int) -> list[str]:
    """Return lines ``first`` to ``last``, counted from 1, without their ends; ``text`` has at least ``last`` lines."""
    return text.split("\n", last)[first - 1 : last]


def decoded_lines(data: bytes, first: int, last: int) -> list[str]:
    """Do as :func:`lines_between` does for text in UTF-8, of which only those lines are decoded."""
    if last < first:
        return []
    count = last - first + 1
    return b"\n".join(data[_line_start(data, first) :].split(b"\n", count)[:count]).decode().split("\n")


def _line_start(data: bytes, number: int) -> int:
    """Return where line ``number``, counted from 1, begins; line feeds are counted, not cut at, which takes a third."""
    start, ahead = 0, number - 1
    while start < len(data) and (passed := data.count(b"\n", start, start + COUNTED)) < ahead:
        start += COUNTED
        ahead -= passed
    for _ in range(ahead):
        start = data.index(b"\n", start) + 1
    return start


def numbered(lines: Sequence[str], first: int = 1) -> str:
    """Return ``lines`` as the tool shows them: the number in six columns, a tab, the line."""
    end = first + len(lines)
    numbers = _NUMBERS[first:end] if end <= len(_NUMBERS) else [f"{number:6}\t" for number in range(first, end)]
    return "\n".join(map(add, numbers, lines))


# Written once, since writing the numbers takes longer than all the rest of showing lines.
_NUMBERS = [f"{number:6}\t" for number in range(2_048)]


def fitting(lines: Sequence[str], limit: int = VIEW) -> int:
    """Return how many of ``lines``, from the first, hold at most ``limit`` characters with their ends; at least one."""
    if sum(map(len, lines)) + len(lines) <= limit:
        return len(lines)
    room = limit
    for count, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return max(count, 1)
    return len(lines)


def filesize(size: int) -> str:
    """Return ``size`` bytes as the tool prints them: ``812B``, ``1.2K``, ``3.0M``."""
    if size < KILO:
        return f"{size}B"
    number = size / KILO
    for unit in "KM":
        if number < KILO:
            return f"{number:.1f}{unit}"
        number /= KILO
    return f"{number:.1f}G"
