"""How much of a text an agent sees without asking for more."""

from dataclasses import dataclass
from typing import Final

from memories.paths import ROOT
from memories.text import VIEW, fitting, lines_between

STARTUP: Final = f"{ROOT}/MEMORY.md"
"""The file of which Claude Code takes the beginning into each session."""

STARTUP_LINES: Final = 200
STARTUP_BYTES: Final = 25_000


@dataclass(frozen=True, slots=True)
class Length:
    """The characters of a text, and those of them that are seen at first: in one view, or when a session starts."""

    characters: int
    seen: int

    @property
    def behind(self) -> int:
        """How many lie behind the cut."""
        return self.characters - self.seen


def length_of(path: str, text: str) -> Length:
    """Return how long the text of the file at ``path`` is, and how much of it is seen at first."""
    return Length(len(text), _startup(text) if path == STARTUP else _view(text))


def _view(text: str) -> int:
    if len(text) <= VIEW:
        return len(text)
    lines = text.split("\n")
    count = fitting(lines)
    return min(len(text), sum(map(len, lines[:count])) + count)


def _startup(text: str) -> int:
    """Count the first lines; a line that goes over the bytes is cut, a character never."""
    if text.count("\n") >= STARTUP_LINES:
        text = "\n".join(lines_between(text, 1, STARTUP_LINES)) + "\n"
    return len(text.encode()[:STARTUP_BYTES].decode(errors="ignore"))
