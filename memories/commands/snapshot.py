"""What a command sees of a store: only what it asked for, and all of one moment."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memories.paths import MemoryPath, directories

TEXT = "text/plain"


class Covers(NamedTuple):
    """What a change has to see: paths, what stands above them, the content of files there, all below the first one.

    What stands above need not be seen by who only changes a file that is there. ``trashed`` is the id of a file in the
    trash that has to be seen beside them, and ``doomed`` those of many; with ``words``, what people say about the first
    path's file is seen too.
    """

    paths: tuple[MemoryPath, ...]
    above: bool = True
    content: bool = False
    below: bool = False
    trashed: int = 0
    words: bool = False
    doomed: tuple[int, ...] = ()


class Words(NamedTuple):
    """What people put on a file beside its text."""

    labels: tuple[str, ...] = ()
    note: str = ""


class Looks(NamedTuple):
    """What a look has to see: a file with its content, or two levels of a directory."""

    path: MemoryPath


class Several(NamedTuple):
    """What a change of many files has to see: live files by their ids, what is at the paths, and all above both."""

    files: tuple[int, ...]
    paths: tuple[MemoryPath, ...] = ()


class Totals(NamedTuple):
    """A store's counters and rules; a look is told no more than the first."""

    seq: int
    files: int = 0
    bytes: int = 0
    max_file_bytes: int = 0
    max_files: int = 0
    max_bytes: int = 0
    create_overwrites: bool = False
    recorded_at: datetime | str | None = None
    paused: bool = False
    archived: bool = False


class Entry(NamedTuple):
    """A live file, or a directory with the sums of what lies below it.

    ``data`` is there when content was asked for; what follows it is told to changes only.
    """

    id: int
    path: str
    kind: str
    media: str
    size: int
    lines: int
    version: int
    data: bytes | None = None
    uuid: Any = None
    file_count: int = 0
    pinned: bool = False
    locked: bool = False
    blob_id: int | None = None
    sha256: str = ""

    @property
    def is_file(self) -> bool:
        return self.kind == "file"

    @property
    def text(self) -> str:
        return (self.data or b"").decode()


class Listing(NamedTuple):
    """A directory and what lies up to two levels below it, in no order: names, which of a directory end in a slash,
    each on a line, and as many sizes in bytes, with a space between each and the next."""

    names: str
    sizes: str


class Snapshot(NamedTuple):
    """The part of a store that a command covers. ``entries`` are by path; the root has none, it is always there.

    A look into a directory has no entries but a ``listing``.
    """

    totals: Totals
    entries: Mapping[str, Entry]
    below: Sequence[Entry] = ()
    listing: Listing | None = None
    trashed: Entry | None = None
    words: Words | None = None
    doomed: Sequence[Entry] = ()

    def at(self, path: MemoryPath) -> Entry | None:
        """Return what lives at ``path``; None for the root as well, which is no entry."""
        return self.entries.get(path.text)

    def file_at(self, path: MemoryPath) -> Entry | None:
        entry = self.entries.get(path.text)
        return entry if entry and entry.is_file else None

    def file_above(self, path: MemoryPath) -> MemoryPath | None:
        """Return the file that stands where ``path`` needs a directory, if there is one."""
        for above in directories(path.text):
            if (entry := self.entries.get(above)) and entry.is_file:
                return MemoryPath(above)
        return None
