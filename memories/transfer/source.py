"""A directory to import from, read file by file without ever leaving it."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from memories.paths import ROOT, MemoryPath
from memories.refusals import PathRefused
from memories.transfer import manifest
from memories.transfer.looking import CUT_OFF, DIRECTORY

MEMORIES = "memories"
"""The directory in which the SDK's tool keeps what agents call /memories."""

WENT_AWAY = "it went away"


class NoSource(Exception):
    """There is nothing to import from; the text says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was found: ``fault`` says why it cannot be taken; without one it has a path and its bytes."""

    name: str
    path: MemoryPath = MemoryPath.ROOT
    data: bytes = b""
    modified: datetime | None = None
    fault: str = ""


class Source:
    """The files of a directory: those below its ``memories/``, as the SDK's tool lays them, else all of its own.

    ``has_memories`` says which of the two where that is known already. Raises NoSource or ManifestRefused when the
    directory cannot be read.
    """

    def __init__(self, folder: Path, *, has_memories: bool | None = None) -> None:
        if not folder.is_dir():
            raise NoSource(f"{folder} is not a directory.")
        inner = folder / MEMORIES
        if has_memories is not False and inner.is_symlink():
            raise NoSource(f"{inner} is a symbolic link, which is not followed. Name the directory that it leads to.")
        self.root = inner if has_memories or (has_memories is None and inner.is_dir()) else folder
        self._paths = manifest.read(folder) if self.root is inner else {}

    def count(self) -> int:
        """Return how many files :meth:`files` will yield, as far as nobody changes the directory meanwhile."""
        return sum(1 for _ in self._walk())

    def files(self, max_bytes: int) -> Iterator[Found]:
        """Yield every file in the order of names; bytes beyond ``max_bytes`` are a fault and are not read."""
        for name, directory, fault in self._walk():
            yield Found(shown(name), fault=fault) if fault else self._read(name, directory, max_bytes)

    def path_of(self, name: str) -> MemoryPath:
        """Return the path that the file ``name`` below the root stands for; raise PathRefused when there is none."""
        return MemoryPath.parse(self._paths.get(name, f"{ROOT}/{name}"))

    @cached_property
    def _names(self) -> dict[str, str]:
        return {path: name for name, path in self._paths.items()}

    def name_of(self, path: MemoryPath) -> str:
        """Return the name below the root under which the file of ``path`` is looked for."""
        return self._names.get(path.text, path.relative)

    @property
    def spellings(self) -> dict[str, str]:
        """Return the paths that the manifest gives to names; empty without one."""
        return self._paths

    def read(self, name: str, max_bytes: int) -> Found:
        """Return the one file ``name`` below the root; that it went away is a fault too."""
        above = name.split("/")[:-1]
        try:
            with _opened(self.root, above) as descriptor:
                return self._read(name, descriptor, max_bytes)
        except OSError:
            return Found(shown(name), fault=WENT_AWAY)

    def _walk(self) -> Iterator[tuple[str, int, str]]:
        """Yield name below the root, an open descriptor of its directory, and a fault that shows without opening it.

        Descriptors, not paths: a directory that becomes a link while it is walked cannot lead outside.
        """
        unreadable: list[OSError] = []
        for top, directories, files, descriptor in os.fwalk(self.root, onerror=unreadable.append):
            below = os.path.relpath(top, self.root)
            for name in sorted(directories):
                if stat.S_ISLNK(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                    directories.remove(name)
                    files.append(name)
            directories.sort()
            for name in sorted(files):
                yield os.path.normpath(os.path.join(below, name)), descriptor, ""  # noqa: PTH118  (text, not a place)
            while unreadable:
                error = unreadable.pop()
                yield os.path.relpath(error.filename, self.root), descriptor, f"it cannot be read: {error.strerror}"

    def _read(self, name: str, directory: int, max_bytes: int) -> Found:
        text = shown(name)
        base = os.path.basename(name)  # noqa: PTH119  (text, not a place)
        if CUT_OFF.fullmatch(base):
            return Found(text, fault="it was left over by a write that was cut off")
        try:
            path = self.path_of(name)
        except PathRefused as refusal:
            return Found(text, fault=str(refusal).removeprefix("Error: "))
        try:
            # Not blocking: a pipe that nobody writes to would hold us for ever before we could see what it is.
            descriptor = os.open(base, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        except OSError as error:
            return Found(text, fault=_why_closed(base, directory, error))
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                return Found(text, fault="it is no regular file")
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            size = max(facts.st_size, len(data))
            return Found(text, fault=f"it has {size:,} bytes; a file of this store may have at most {max_bytes:,}")
        return Found(text, path, data, _moment(facts.st_mtime_ns))


@contextmanager
def _opened(root: Path, names: Sequence[str]) -> Iterator[int]:
    """Open a directory below ``root`` without following a link on the way."""
    descriptor = os.open(root, DIRECTORY)
    try:
        for name in names:
            inner = os.open(name, DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _why_closed(name: str, directory: int, error: OSError) -> str:
    try:
        if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return "it is a symbolic link, which is not followed"
    except OSError:
        return WENT_AWAY
    return f"it cannot be read: {error.strerror}"


def _moment(nanoseconds: int) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None


def shown(name: str) -> str:
    """Return a file's name as text: names on disk need not be UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")
