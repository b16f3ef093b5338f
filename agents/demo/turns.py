"""What a script says and hears: a turn with tool calls goes out, the answers to the calls come back."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

ROOT = "/memories"
QUOTES = " .`'\"\n"


@dataclass(frozen=True, slots=True)
class Call:
    """One use of the memory tool; ``input`` is what its tool_use block carries."""

    input: dict[str, Any]

    @property
    def command(self) -> str:
        return str(self.input["command"])

    @property
    def path(self) -> str:
        """Return the path it is about; of a rename, the old one."""
        return str(self.input.get("path") or self.input["old_path"])


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: some text, then tool calls; without calls it ends the run."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the memory tool answered to one call."""

    text: str
    is_error: bool = False

    @property
    def is_missing(self) -> bool:
        """Return whether it says that nothing is at the path."""
        return self.is_error and "does not exist" in self.text

    @property
    def is_held(self) -> bool:
        """Return whether the change waits for a person, so that later calls can't count on it."""
        return "is waiting for review" in self.text


Script: TypeAlias = Generator[Turn, list[Answer], str]
"""Yields turns that have calls, is sent their answers in order, and returns the text that ends its part."""


def view(path: str, first: int = 0, last: int = -1) -> Call:
    """Return a view of all of ``path``, or of its lines ``first`` to ``last`` (-1 is the end)."""
    return Call({"command": "view", "path": path} | ({"view_range": [first, last]} if first else {}))


def create(path: str, text: str) -> Call:
    return Call({"command": "create", "path": path, "file_text": text})


def str_replace(path: str, old: str, new: str) -> Call:
    return Call({"command": "str_replace", "path": path, "old_str": old, "new_str": new})


def insert(path: str, after: int, text: str) -> Call:
    return Call({"command": "insert", "path": path, "insert_line": after, "insert_text": text})


def delete(path: str) -> Call:
    return Call({"command": "delete", "path": path})


def rename(old: str, new: str) -> Call:
    return Call({"command": "rename", "old_path": old, "new_path": new})


def spelt_out(path: str) -> str:
    """Return the full path of what a person wrote, with or without /memories in front; the root has a final slash."""
    return f"{ROOT}/{path.strip(QUOTES).removeprefix(ROOT).strip('/')}"


def short(path: str) -> str:
    """Return ``path`` as people read it, below /memories."""
    return path.removeprefix(ROOT + "/")
