"""What the files that are gone and the files that are new have to do with each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

MANY = 10


class Known(NamedTuple):
    """A file as the folder held it when it was last in step with the store."""

    sha256: str
    inode: str
    missing_since: datetime | None = None


class Fresh(NamedTuple):
    """A file that lies at a path where the folder held none."""

    path: str
    sha256: str
    inode: str


class Moves(NamedTuple):
    """``moved`` are the paths that files came from, by the paths they went to, with the same bytes.

    ``perhaps`` are those of the same inode with other bytes: renamed and edited, or deleted, and the number given to
    another file. Only their texts can tell.
    """

    moved: dict[str, str]
    perhaps: dict[str, str]


def moves(gone: Mapping[str, Known], fresh: Iterable[Fresh]) -> Moves:
    """Return which of the files that are gone came back under which of the new paths.

    Of several files with the same bytes those of the same inode belong together; the others are told apart by nothing,
    and are left out.
    """
    fresh = list(fresh)
    found = Moves({}, {})
    here: dict[str, list[Fresh]] = defaultdict(list)
    there: dict[str, list[str]] = defaultdict(list)
    for file in fresh:
        here[file.sha256].append(file)
    for path, known in gone.items():
        there[known.sha256].append(path)
    for digest, files in here.items():
        paths = there.get(digest, [])
        if len(files) == len(paths) == 1:
            found.moved[files[0].path] = paths[0]
        else:
            by_inode = _once((gone[path].inode, path) for path in paths)
            inodes = _once((file.inode, file.path) for file in files)
            found.moved.update({path: by_inode[inode] for inode, path in inodes.items() if inode in by_inode})
    left = _once((gone[path].inode, path) for path in gone.keys() - set(found.moved.values()))
    for file in fresh:
        if file.path not in found.moved and file.inode in left:
            found.perhaps[file.path] = left[file.inode]
    return found


def akin(old: str, new: str) -> bool:
    """Return whether ``new`` is ``old`` edited: it kept half of the lines that say something."""
    before = {line for line in old.split("\n") if line.strip()}
    after = {line for line in new.split("\n") if line.strip()}
    return bool(before) and 2 * len(before & after) >= len(before)


def too_many(gone: int, known: int) -> bool:
    """Return whether so many of the known files going at once is more likely an accident than meant.

    That is all of them, where there were several, or more than half of them when it is ten or more.
    """
    return gone > 1 and (gone == known or (gone >= MANY and 2 * gone > known))


def _once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values by their keys, without the keys that come twice."""
    values: dict[str, str] = {}
    twice = set()
    for key, value in pairs:
        if key in values:
            twice.add(key)
        values[key] = value
    return {key: value for key, value in values.items() if key not in twice}
