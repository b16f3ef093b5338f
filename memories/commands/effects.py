"""What a command says should become of a store."""

from dataclasses import dataclass
from typing import Any

from memories.commands.snapshot import TEXT, Entry
from memories.diffs import Hunk
from memories.paths import MemoryPath

Answer = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Put:
    """The file at ``path`` shall hold ``data``: a new file when there is no ``entry``."""

    path: MemoryPath
    data: bytes
    entry: Entry | None = None
    media: str = TEXT
    lines: int = 0
    hunks: tuple[Hunk, ...] = ()
    summary: str = ""
    origin: int | None = None

    @property
    def operation(self) -> str:
        if self.origin is not None:
            return "restored"
        return "modified" if self.entry else "created"


@dataclass(frozen=True, slots=True)
class Move:
    """The file shall live at ``to``."""

    entry: Entry
    to: MemoryPath


@dataclass(frozen=True, slots=True)
class Remove:
    """The file shall go to the trash."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Mark:
    """A person's mark on a file shall be set or taken away; the file's text stays, so no version is made."""

    entry: Entry
    name: str
    value: bool


Change = Put | Move | Remove | Mark


@dataclass(frozen=True, slots=True)
class Look:
    """What was shown: a version of a file, all of it or some lines, or the listing of a directory."""

    path: MemoryPath
    entry: Entry | None = None
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class Effects:
    """The answer of a command and what has to happen for it to be true; nothing at all when it asked for no change."""

    answer: Answer
    changes: tuple[Change, ...] = ()
    look: Look | None = None
