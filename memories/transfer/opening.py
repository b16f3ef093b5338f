"""Opening directories by their true paths: no link is followed on the way, and what is open cannot be exchanged."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# To pass through a directory takes no right to read it, where the system can tell the two apart.
_PASSED: Final = _DIRECTORY | getattr(os, "O_PATH", 0)
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NoSource(Exception):
    """The directory is not there, is none, or cannot be read, so nothing is known of its files; the text says why."""


@contextmanager
def open_top(folder: Path) -> Iterator[int]:
    """Open a directory by its true path, from / on; raise NoSource, also when a link lies anywhere on the way.

    Such a link was put there after the path was found out: somebody else says where it leads.
    """
    place = Path(folder.anchor)
    descriptor = os.open(place, _PASSED)
    try:
        try:
            for name in folder.parts[1:]:
                place /= name
                descriptor = _further(descriptor, name, _PASSED)
            descriptor = _further(descriptor, ".", _DIRECTORY)
        except OSError as error:
            if place.is_symlink():
                words = f"{folder} was replaced: {place} is a symbolic link now, which is not followed."
                raise NoSource(words) from None
            raise NoSource(reason(folder, error)) from None
        yield descriptor
    finally:
        os.close(descriptor)


def open_directory(name: str, above: int) -> int:
    """Return a descriptor of the directory ``name`` in an open one; raise OSError, also when it is a link."""
    return os.open(name, _DIRECTORY, dir_fd=above)


@contextmanager
def open_below(top: int, names: Iterable[str], *, make: bool = False) -> Iterator[int]:
    """Open a directory below an open one; with ``make`` what is not there on the way is made. Raises OSError."""
    descriptor = os.dup(top)
    try:
        for name in names:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=descriptor)
            descriptor = _further(descriptor, name, _DIRECTORY)
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(name: str, above: int) -> int:
    """Return a descriptor of what ``name`` is in an open directory; raise OSError when it is a link.

    It need not be a regular file. A pipe that nobody writes to is not waited for.
    """
    return os.open(name, _FILE, dir_fd=above)


def reason(place: os.PathLike[str] | str, error: OSError) -> str:
    """Return why a directory cannot be looked through, in words."""
    if isinstance(error, FileNotFoundError):
        return f"{place} is not there."
    if isinstance(error, NotADirectoryError):
        return f"{place} is not a directory."
    return f"{place} cannot be read: {error.strerror}."


def _further(descriptor: int, name: str, flags: int) -> int:
    """Exchange the descriptor for that of ``name`` in it."""
    inner = os.open(name, flags, dir_fd=descriptor)
    os.close(descriptor)
    return inner
