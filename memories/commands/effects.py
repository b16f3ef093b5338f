"""What a command says should become of a store."""

from typing import Any, NamedTuple

from memories.commands.snapshot import TEXT, Entry
from memories.diffs import Hunk
from memories.paths import MemoryPath

Answer = str | list[dict[str, Any]]


class Put(NamedTuple):
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
        if self.origin:
            return "restored"
        return "modified" if self.entry else "created"


class Move(NamedTuple):
    """The file shall live at ``to``."""

    entry: Entry
    to: MemoryPath


class Remove(NamedTuple):
    """The file shall go to the trash."""

    entry: Entry


class Bring(NamedTuple):
    """The file shall come out of the trash and live at ``to``, as it was before version ``origin`` took it away."""

    entry: Entry
    to: MemoryPath


class Mark(NamedTuple):
    """A person's mark shall become ``after``: on a file or, without one, on the store. No version is made."""

    entry: Entry | None
    name: str
    before: Any
    after: Any


class Wipe(NamedTuple):
    """The file, which is in the trash, shall be gone for good: the record of it stays, and nothing it ever held."""

    entry: Entry


Change = Put | Move | Remove | Bring | Mark | Wipe


class Look(NamedTuple):
    """What was shown: a version of a file, all of it or some lines, or the listing of a directory."""

    path: MemoryPath
    entry: Entry | None = None
    first_line: int | None = None
    last_line: int | None = None


class Effects(NamedTuple):
    """The answer of a command and what has to happen for it to be true; nothing at all when it asked for no change."""

    answer: Answer
    changes: tuple[Change, ...] = ()
    look: Look | None = None
