"""A directory to import from, read file by file without ever leaving it."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memories.paths import ROOT, MemoryPath
from memories.refusals import PathRefused
from memories.transfer import manifest

# What the SDK's tool leaves behind when it is killed in a write; the file it was to become was never written.
_CUT_OFF = re.compile(r"\.tmp-\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


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

    Raises NoSource or ManifestRefused when the directory cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise NoSource(f"{folder} is not a directory.")
        inner = folder / "memories"
        if inner.is_symlink():
            raise NoSource(f"{inner} is a symbolic link, which is not followed. Name the directory that it leads to.")
        self.root = inner if inner.is_dir() else folder
        self._paths = manifest.read(folder) if self.root is inner else {}

    def count(self) -> int:
        """Return how many files :meth:`files` will yield, as far as nobody changes the directory meanwhile."""
        return sum(1 for _ in self._walk())

    def files(self, max_bytes: int) -> Iterator[Found]:
        """Yield every file in the order of names; bytes beyond ``max_bytes`` are a fault and are not read."""
        for name, directory, fault in self._walk():
            yield Found(_shown(name), fault=fault) if fault else self._read(name, directory, max_bytes)

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
        shown = _shown(name)
        base = os.path.basename(name)  # noqa: PTH119  (text, not a place)
        if _CUT_OFF.fullmatch(base):
            return Found(shown, fault="it was left over by a write that was cut off")
        try:
            path = MemoryPath.parse(self._paths.get(name, f"{ROOT}/{name}"))
        except PathRefused as refusal:
            return Found(shown, fault=str(refusal).removeprefix("Error: "))
        try:
            # Not blocking: a pipe that nobody writes to would hold us for ever before we could see what it is.
            descriptor = os.open(base, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        except OSError as error:
            return Found(shown, fault=_why_closed(base, directory, error))
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                return Found(shown, fault="it is no regular file")
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            size = max(facts.st_size, len(data))
            return Found(shown, fault=f"it has {size:,} bytes; a file of this store may have at most {max_bytes:,}")
        return Found(shown, path, data, _moment(facts.st_mtime_ns))


def _why_closed(name: str, directory: int, error: OSError) -> str:
    try:
        if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return "it is a symbolic link, which is not followed"
    except OSError:
        return "it went away"
    return f"it cannot be read: {error.strerror}"


def _moment(nanoseconds: int) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None


def _shown(name: str) -> str:
    """Return a file's name as text: names on disk need not be UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")
