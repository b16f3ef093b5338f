"""A look through a directory: what lies in it and how each file stands, without opening any of them."""

import os
import re
from typing import NamedTuple

from memories.paths import DEPTH

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# What the SDK's tool writes before it renames it over the file; left behind, the file it was to become never was.
CUT_OFF = re.compile(r"\.tmp-\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_ENDINGS = ("~", ".tmp", ".temp", ".part", ".swp", ".swo", ".swx")
_HIDDEN = re.compile(
    r"\..*\.sw[a-z]|\.#.*|#.*#|\.goutputstream-.*|\.~lock\..*#|\.nfs[0-9a-f]+|\.fuse_hidden[0-9a-f]+|\.memory_tmp.*",
    re.DOTALL,
)
_PROBE = "4913"
"""What vim makes to see whether it may write."""


class RootGone(Exception):
    """The directory is not there or cannot be read, so nothing is known of its files; the text says why."""


class Facts(NamedTuple):
    """How a file stands; two looks that find the same found the same bytes."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class Look(NamedTuple):
    """Files by their names below the root, and directories that could not be looked into, with the reason.

    ``place`` tells one root from another that took its place under the same name.
    """

    place: tuple[int, int]
    files: dict[str, Facts]
    closed: dict[str, str]

    def hides(self, name: str) -> bool:
        """Return whether ``name`` lies in a directory that could not be looked into."""
        return any(name.startswith(f"{directory}/") for directory in self.closed)


def is_temporary(name: str) -> bool:
    """Return whether a file of this name is an editor's or a writing program's own: never what it is about."""
    if name.endswith(_ENDINGS) or name == _PROBE:
        return True
    # Asked of every file at every look: few begin with these.
    return name[0] in ".#" and bool(_HIDDEN.fullmatch(name) or CUT_OFF.fullmatch(name))


def look(root: str | os.PathLike[str]) -> Look:
    """Return what lies below ``root`` but temporary files; links and pipes count as files and are not followed.

    Raises RootGone when the root itself cannot be read.
    """
    try:
        descriptor = os.open(root, DIRECTORY)
    except OSError as error:
        raise RootGone(reason(os.fspath(root), error)) from None
    try:
        facts = os.fstat(descriptor)
        seen = Look((facts.st_dev, facts.st_ino), {}, {})
        _look_into(descriptor, "", 0, seen)
    except OSError as error:
        raise RootGone(reason(os.fspath(root), error)) from None
    finally:
        os.close(descriptor)
    return seen


def _look_into(descriptor: int, prefix: str, depth: int, seen: Look) -> None:
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _look_below(descriptor, entry.name, prefix + entry.name, depth + 1, seen)
            elif not is_temporary(entry.name):
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                seen.files[prefix + entry.name] = Facts(
                    facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
                )


def _look_below(above: int, name: str, shown: str, depth: int, seen: Look) -> None:
    if depth >= DEPTH:
        seen.closed[shown] = f"it lies {depth} levels deep, and a path has at most {DEPTH}"
        return
    try:
        descriptor = os.open(name, DIRECTORY, dir_fd=above)
    except FileNotFoundError:
        return
    except OSError as error:
        seen.closed[shown] = f"it cannot be read: {error.strerror}"
        return
    try:
        _look_into(descriptor, f"{shown}/", depth, seen)
    except OSError as error:
        seen.closed[shown] = f"it cannot be read: {error.strerror}"
    finally:
        os.close(descriptor)


def reason(root: str, error: OSError) -> str:
    """Return why a directory cannot be looked through, in words."""
    if isinstance(error, FileNotFoundError):
        return f"{root} is not there."
    if isinstance(error, NotADirectoryError):
        return f"{root} is no directory any more, or a symbolic link, which is not followed."
    return f"{root} cannot be read: {error.strerror}."
