"""Paths of a store, and the one function that decides what is a path."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import unquote

from memories.refusals import PathRefused
from memories.text import echo

ROOT = "/memories"
PATH_BYTES = 1024
NAME_BYTES = 255
DEPTH = 32

# Nearly every path an agent writes: short, ASCII, and with nothing in it that any rule below speaks of.
_PLAIN = re.compile(r"/memories(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*){0,32}")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\\\\]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LOOK_ALIKE = re.compile("[\u2024-\u2026\uff0e\ufe52\u2215\u2044\u29f8\u29f9\u2216\uff0f\uff3c\ufe68]")
_DOTS_ONLY = re.compile(r"[\s.]*")
_DOTS_THEN_SEMICOLON = re.compile(r"\s*\.\.?\s*;")
_DISGUISE = re.compile(
    r"%[cC][01]%[0-9a-fA-F]{2}|%[eE]0%[89][0-9a-fA-F]|%[fF]0%8[0-9a-fA-F]|%[uU][0-9a-fA-F]{4}|&#[xX]?[0-9a-fA-F]+"
)


@dataclass(frozen=True, slots=True, order=True)
class MemoryPath:
    """A path in canonical spelling. Text from outside becomes one through :meth:`parse` and in no other way."""

    text: str

    ROOT: ClassVar["MemoryPath"]

    @classmethod
    def parse(cls, value: object, *, final_slash: bool = True) -> "MemoryPath":
        """Return the path ``value`` spells, or raise PathRefused saying what is wrong with it.

        Letters are composed (NFC) first. One final slash is dropped when ``final_slash`` allows it; nothing is ever
        decoded, so a path that would become another one by decoding is refused.
        """
        if not isinstance(value, str):
            raise PathRefused("Error: a path must be a string that begins with /memories.")
        if len(value) <= NAME_BYTES and _PLAIN.fullmatch(value):
            return cls(value)
        if fault := _fault(path := _composed(value, final_slash=final_slash)):
            raise PathRefused(f"Error: the path {echo(value)} cannot be used: {fault}.")
        return cls(path)

    @property
    def name(self) -> str:
        return self.text.rpartition("/")[2]

    @property
    def parent(self) -> "MemoryPath":
        """Return the directory it lies in; the root's parent is the root."""
        return MemoryPath(self.text.rpartition("/")[0] or ROOT)

    @property
    def depth(self) -> int:
        """Return how many names stand below the root: 0 for the root, 1 for what lies in it."""
        return depth_of(self.text)

    @property
    def relative(self) -> str:
        """Return what follows ``/memories/``; empty for the root."""
        return self.text[len(ROOT) + 1 :]

    @property
    def is_root(self) -> bool:
        return self.text == ROOT

    def holds(self, other: "MemoryPath") -> bool:
        """Return whether ``other`` lies anywhere below it; no path holds itself."""
        return other.text.startswith(self.text + "/")

    def ancestors(self) -> Iterator["MemoryPath"]:
        """Yield the directories it lies in, nearest first, the root last; nothing for the root."""
        return map(MemoryPath, directories(self.text))

    def moved(self, source: "MemoryPath", target: "MemoryPath") -> "MemoryPath":
        """Return where it lies once ``source``, which is it or holds it, is ``target``; PathRefused when too long."""
        path = target.text + self.text[len(source.text) :]
        if fault := _length_fault(path):
            raise PathRefused(f"Error: the path {echo(path)} cannot be used: {fault}.")
        return MemoryPath(path)

    def __str__(self) -> str:
        return self.text


MemoryPath.ROOT = MemoryPath(ROOT)


def depth_of(path: str) -> int:
    """Return how many names of a canonical path, given as text, stand below the root."""
    return path.count("/") - 1


def directories(path: str) -> Iterator[str]:
    """Yield the directories that a canonical path lies in, as text: nearest first, the root last."""
    while path != ROOT:
        path = path.rpartition("/")[0]
        yield path


def _composed(value: str, *, final_slash: bool) -> str:
    path = unicodedata.normalize("NFC", value)
    if path.endswith("/"):
        if not final_slash:
            raise PathRefused(
                f"Error: the path {echo(value)} cannot be used: it ends in a slash, which names a directory;"
                " send the path of a file."
            )
        path = path[:-1]
    return path


def _fault(path: str) -> str:
    """Return what keeps ``path`` from being canonical, or an empty text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "it holds an unpaired surrogate"
    if path != ROOT and not path.startswith(ROOT + "/"):
        return "it must be /memories or begin with /memories/"
    return _length_fault(path) or _segment_fault(path) or _character_fault(path) or _decoding_fault(path)


def _length_fault(path: str) -> str:
    if len(path.encode()) > PATH_BYTES:
        return f"it is longer than {PATH_BYTES:,} bytes"
    names = path.split("/")[2:]
    if len(names) > DEPTH:
        return f"it is more than {DEPTH} levels deep"
    if any(len(name.encode()) > NAME_BYTES for name in names):
        return f"a name in it is longer than {NAME_BYTES} bytes"
    return ""


def _segment_fault(path: str) -> str:
    for name in path.split("/")[1:]:
        if not name:
            return "it holds a doubled slash"
        if _DOTS_ONLY.fullmatch(name):
            return "a name in it is made of dots and blanks only"
        if name != name.strip():
            return "a name in it begins or ends with a blank"
        if _DOTS_THEN_SEMICOLON.match(name):
            return "a name in it is a dot segment with a semicolon"
    return ""


def _character_fault(path: str) -> str:
    if _CONTROL.search(path):
        return "it holds a control character, a line separator or a backslash"
    for found in _INVISIBLE.finditer(path):
        # Many emoji are written as a symbol followed by U+FE0F.
        before = path[found.start() - 1]
        if not (found[0] == "\ufe0f" and unicodedata.category(before) in ("So", "Sm")):
            return f"it holds an invisible character (U+{ord(found[0]):04X})"
    compatible = unicodedata.normalize("NFKC", path)
    if _LOOK_ALIKE.search(path) or any(compatible.count(mark) > path.count(mark) for mark in "./"):
        return "it holds a character that looks like a dot or a slash"
    return ""


def _decoding_fault(path: str) -> str:
    """Return why ``path`` might be taken for another one by software that decodes names, or an empty text."""
    while True:
        if _DISGUISE.search(path):
            return "it holds an encoded character that other programs might decode"
        decoded = unquote(path, errors="replace")
        if decoded == path:
            return ""
        if (
            any(decoded.count(mark) > path.count(mark) for mark in "./")
            or _character_fault(decoded)
            or any(name.strip() in (".", "..") for name in decoded.split("/"))
        ):
            return "it would be another path, or no path, once its percent signs are decoded"
        path = decoded
