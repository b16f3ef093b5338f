"""A directory to import from, read file by file without ever leaving it."""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from memories.paths import DEPTH, ROOT, MemoryPath
from memories.refusals import PathRefused
from memories.transfer import manifest
from memories.transfer.looking import CUT_OFF, Facts, facts_of
from memories.transfer.opening import NoSource, open_below, open_directory, open_file, open_top, reason

MEMORIES = "memories"
"""The directory in which the SDK's tool keeps what agents call /memories."""

WENT_AWAY = "it went away"


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was found: ``fault`` says why it cannot be taken; without one it has a path and its bytes."""

    name: str
    path: MemoryPath = MemoryPath.ROOT
    data: bytes = b""
    modified: datetime | None = None
    fault: str = ""


class Source:
    """The files of an open directory: those below its ``memories/``, as the SDK's tool lays them, else all of its own.

    It is opened once, and everything else from there: whatever is put in its place later is never read.
    """

    def __init__(self, root: int, paths: dict[str, str], *, has_memories: bool) -> None:
        self.root = root
        self.has_memories = has_memories
        self._paths = paths

    @classmethod
    @contextmanager
    def at(cls, folder: Path, *, has_memories: bool | None = None) -> Iterator["Source"]:
        """Open the directory of this true path; ``has_memories`` says where its files lie, where that is known.

        Raises NoSource, also when a link lies on the way, and ManifestRefused.
        """
        with open_top(folder) as top:
            if has_memories is None:
                has_memories = _is_entered(MEMORIES, top)
            if not has_memories:
                yield cls(top, {}, has_memories=False)
                return
            with _memories(folder, top) as root:
                yield cls(root, manifest.read(top), has_memories=True)

    @classmethod
    def named(cls, folder: Path) -> AbstractContextManager["Source"]:
        """Open the directory that somebody names, who may name it by way of a link; as :meth:`at` else."""
        try:
            true = folder.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise NoSource(f"{folder} is not a directory.") from None
        return cls.at(true)

    def count(self) -> int:
        """Return how many files :meth:`files` will yield, as far as nobody changes the directory meanwhile."""
        return sum(1 for _ in _walk(self.root, "", 0))

    def files(self, max_bytes: int) -> Iterator[Found]:
        """Yield every file in the order of names; bytes beyond ``max_bytes`` are a fault and are not read."""
        for name, directory, fault in _walk(self.root, "", 0):
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

    def facts(self, name: str) -> Facts | None:
        """Return how the file ``name`` below the root stands; None when it is gone."""
        *above, last = name.split("/")
        try:
            with open_below(self.root, above) as descriptor:
                return facts_of(last, descriptor)
        except OSError:
            return None

    def read(self, name: str, max_bytes: int) -> Found:
        """Return the one file ``name`` below the root; that it went away is a fault too."""
        above = name.split("/")[:-1]
        try:
            with open_below(self.root, above) as descriptor:
                return self._read(name, descriptor, max_bytes)
        except OSError:
            return Found(shown(name), fault=WENT_AWAY)

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
            descriptor = open_file(base, directory)
            with os.fdopen(descriptor, "rb") as file:
                facts = os.fstat(descriptor)
                if not stat.S_ISREG(facts.st_mode):
                    return Found(text, fault="it is no regular file")
                data = file.read(max_bytes + 1)
        except OSError as error:
            return Found(text, fault=_why_closed(base, directory, error))
        if len(data) > max_bytes:
            size = max(facts.st_size, len(data))
            return Found(text, fault=f"it has {size:,} bytes; a file of this store may have at most {max_bytes:,}")
        return Found(text, path, data, _moment(facts.st_mtime_ns))


def _is_entered(name: str, top: int) -> bool:
    """Return whether a directory lies there, or a link to what may be one."""
    try:
        mode = os.stat(name, dir_fd=top, follow_symlinks=False).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


@contextmanager
def _memories(folder: Path, top: int) -> Iterator[int]:
    """Open the directory in which the files lie; raise NoSource."""
    inner = folder / MEMORIES
    try:
        descriptor = open_directory(MEMORIES, top)
    except OSError as error:
        if inner.is_symlink():
            words = f"{inner} is a symbolic link, which is not followed. Name the directory that it leads to."
            raise NoSource(words) from None
        raise NoSource(reason(inner, error)) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _walk(directory: int, prefix: str, depth: int) -> Iterator[tuple[str, int, str]]:
    """Yield name below the root, an open descriptor of its directory, and a fault that shows without opening it."""
    with os.scandir(directory) as found:
        entries = sorted((entry.is_dir(follow_symlinks=False), entry.name) for entry in found)
    for is_directory, name in entries:
        if not is_directory:
            yield prefix + name, directory, ""
        elif depth + 1 >= DEPTH:
            yield prefix + name, directory, f"it lies {depth + 1} levels deep, and a path has at most {DEPTH}"
        else:
            try:
                inner = open_directory(name, directory)
            except OSError as error:
                yield prefix + name, directory, f"it cannot be read: {error.strerror}"
                continue
            try:
                yield from _walk(inner, f"{prefix}{name}/", depth + 1)
            finally:
                os.close(inner)


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
