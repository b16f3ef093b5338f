"""A look through a directory: what lies in it and how each file stands, without opening any of them."""

import os
import re
from contextlib import suppress
from typing import NamedTuple

from memories.paths import DEPTH
from memories.transfer.opening import open_directory

# What the SDK's tool writes before it renames it over the file; left behind, the file it was to become never was.
CUT_OFF = re.compile(r"\.tmp-\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_ENDINGS = ("~", ".tmp", ".temp", ".part", ".swp", ".swo", ".swx")
_HIDDEN = re.compile(
    r"\..*\.sw[a-z]|\.#.*|#.*#|\.goutputstream-.*|\.~lock\..*#|\.nfs[0-9a-f]+|\.fuse_hidden[0-9a-f]+|\.memory_tmp.*",
    re.DOTALL,
)
_PROBE = "4913"
"""What vim makes to see whether it may write."""


class Facts(NamedTuple):
    """How a file stands; two looks that find the same found the same bytes."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class Look(NamedTuple):
    """Files by their names below the root, directories, and those that could not be looked into, with the reason.

    ``place`` tells one root from another that took its place under the same name.
    """

    place: tuple[int, int]
    files: dict[str, Facts]
    directories: set[str]
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


def look(root: int) -> Look:
    """Return what lies below an open directory but temporary files; links and pipes count as files, and none is opened.

    Raises OSError when the root itself cannot be read.
    """
    facts = os.fstat(root)
    seen = Look((facts.st_dev, facts.st_ino), {}, set(), {})
    _look_into(root, "", 0, seen)
    return seen


def facts_of(name: str, directory: int) -> Facts:
    """Return how ``name`` stands in an open directory; raise OSError when it is gone."""
    return _facts(os.stat(name, dir_fd=directory, follow_symlinks=False))


def _facts(found: os.stat_result) -> Facts:
    return Facts(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _look_into(descriptor: int, prefix: str, depth: int, seen: Look) -> None:
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _look_below(descriptor, entry.name, prefix + entry.name, depth + 1, seen)
            elif not is_temporary(entry.name):
                with suppress(FileNotFoundError):
                    seen.files[prefix + entry.name] = _facts(entry.stat(follow_symlinks=False))


def _look_below(above: int, name: str, shown: str, depth: int, seen: Look) -> None:
    if depth >= DEPTH:
        seen.closed[shown] = f"it lies {depth} levels deep, and a path has at most {DEPTH}"
        return
    try:
        descriptor = open_directory(name, above)
    except FileNotFoundError:
        return
    except OSError as error:
        seen.closed[shown] = f"it cannot be read: {error.strerror}"
        return
    seen.directories.add(shown)
    try:
        _look_into(descriptor, f"{shown}/", depth, seen)
    except OSError as error:
        seen.closed[shown] = f"it cannot be read: {error.strerror}"
    finally:
        os.close(descriptor)
