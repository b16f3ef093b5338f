"""What a command sees of a store: only what it asked for, and all of one moment."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from memories.paths import MemoryPath

TEXT = "text/plain"


class Below(Enum):
    """What a command has to see below the first path it covers, if that is a directory."""

    NOTHING = "nothing"
    LISTING = "two levels, sizes only"
    ALL = "every file and directory"


class Covers(NamedTuple):
    """What a command has to see: paths, what stands above them, the content of files there, and what lies below.

    ``totals`` are there whenever one of the paths exists; a command that needs them beyond that has to say so.
    """

    paths: tuple[MemoryPath, ...]
    above: bool = True
    content: bool = False
    below: Below = Below.NOTHING
    totals: bool = True


class Totals(NamedTuple):
    """A store's counters and rules."""

    seq: int
    files: int
    bytes: int
    max_file_bytes: int
    max_files: int
    max_bytes: int
    create_overwrites: bool
    recorded_at: datetime | None


NO_TOTALS = Totals(0, 0, 0, 0, 0, 0, create_overwrites=False, recorded_at=None)


class Entry(NamedTuple):
    """A live file, or a directory with the sums of what lies below it. ``data`` is there when content was covered."""

    id: int
    uuid: Any
    path: str
    kind: str
    media: str
    size: int
    lines: int
    file_count: int
    version: int
    pinned: bool
    locked: bool
    blob_id: int | None
    sha256: str
    data: bytes | None = None

    @property
    def is_file(self) -> bool:
        return self.kind == "file"

    @property
    def text(self) -> str:
        return (self.data or b"").decode()


Row = tuple[str, str, int]
"""Something to list: its path, its kind and its size."""


class Snapshot(NamedTuple):
    """The part of a store that a command covers. ``entries`` are by path; the root has none, it is always there."""

    totals: Totals
    entries: Mapping[str, Entry]
    below: Sequence[Entry] = ()
    listing: Sequence[Row] = ()

    def at(self, path: MemoryPath) -> Entry | None:
        """Return what lives at ``path``; None for the root as well, which is no entry."""
        return self.entries.get(path.text)

    def file_at(self, path: MemoryPath) -> Entry | None:
        entry = self.entries.get(path.text)
        return entry if entry and entry.is_file else None

    def file_above(self, path: MemoryPath) -> MemoryPath | None:
        """Return the file that stands where ``path`` needs a directory, if there is one."""
        return next((above for above in path.ancestors() if self.file_at(above)), None)
