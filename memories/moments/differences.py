"""How two states of a store, or of two stores, differ file by file. Nothing here asks the database."""

from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from memories.moments.files import FileAt


class Kind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    MOVED = "moved"
    SAME = "same"


class Difference(NamedTuple):
    """What a file was and what it is instead; a side without it is None, and one of the two is there."""

    before: FileAt | None
    after: FileAt | None

    @property
    def kind(self) -> Kind:
        """Return what became of the file; one that moved may have changed as well."""
        if self.before is None:
            return Kind.ADDED
        if self.after is None:
            return Kind.REMOVED
        if self.before.path != self.after.path:
            return Kind.MOVED
        return Kind.CHANGED if self.is_rewritten else Kind.SAME

    @property
    def is_rewritten(self) -> bool:
        """Say whether it is there on both sides and holds something else."""
        return self.before is not None and self.after is not None and self.before.sha256 != self.after.sha256

    @property
    def is_replaced(self) -> bool:
        """Say whether another file lives at its path instead."""
        return self.before is not None and self.after is not None and self.before.entry_id != self.after.entry_id

    @property
    def file(self) -> FileAt:
        """Return what it is or, of one that is gone, what it was."""
        there = self.after or self.before
        assert there
        return there

    @property
    def path(self) -> str:
        """Return where it is or, of one that is gone, where it was."""
        return self.file.path


def net(before: Iterable[FileAt], after: Iterable[FileAt]) -> list[Difference]:
    """Return one difference for each file of a store at two moments, in the order of paths; it may be none.

    A file is followed through renames. One that was deleted and made again at the same path is one difference, not two.
    """
    old = {file.entry_id: file for file in before}
    new = {file.entry_id: file for file in after}
    # What a person saw last may be of several moments, and at a path one file after the other.
    gone: dict[str, list[FileAt]] = defaultdict(list)
    for file in sorted((file for key, file in old.items() if key not in new), key=lambda file: file.seq):
        gone[file.path].append(file)
    found = [Difference(old[key], file) for key, file in new.items() if key in old]
    for file in (file for key, file in new.items() if key not in old):
        found.append(Difference(gone[file.path].pop() if gone[file.path] else None, file))
    found += [Difference(file, None) for files in gone.values() for file in files]
    return sorted(found, key=lambda difference: difference.path)


def between(target: Iterable[FileAt], source: Iterable[FileAt]) -> list[Difference]:
    """Return what would make ``target`` like ``source``, in the order of paths; what is the same is left out.

    Files are the same by path and content, whatever their histories. One that only one side has at its path moved where
    the other side has the same content, or the very same file, at a path of its own.
    """
    old, new = {file.path: file for file in target}, {file.path: file for file in source}
    found = [
        Difference(old[path], file) for path, file in new.items() if path in old and old[path].sha256 != file.sha256
    ]
    leaving = _Leaving(file for path, file in old.items() if path not in new)
    arriving = sorted((file for path, file in new.items() if path not in old), key=lambda file: file.path)
    for take in (leaving.take_same_file, leaving.take_same_content):
        pairs = [(take(file), file) for file in arriving]
        found += [Difference(moved, file) for moved, file in pairs if moved]
        arriving = [file for moved, file in pairs if not moved]
    found += [Difference(None, file) for file in arriving]
    found += [Difference(file, None) for file in leaving.rest()]
    return sorted(found, key=lambda difference: difference.path)


class _Leaving:
    """Files that one side alone has at their paths, until one of the other side turns out to be the same."""

    def __init__(self, files: Iterable[FileAt]) -> None:
        self._by_id = {file.entry_id: file for file in sorted(files, key=lambda file: file.path)}
        self._by_content: dict[str, list[int]] = defaultdict(list)
        for file in reversed(self._by_id.values()):
            self._by_content[file.sha256].append(file.entry_id)

    def take_same_file(self, file: FileAt) -> FileAt | None:
        return self._by_id.pop(file.entry_id, None)

    def take_same_content(self, file: FileAt) -> FileAt | None:
        """Return the first of those with the same bytes; empty files are alike by chance."""
        candidates = self._by_content[file.sha256] if file.size else []
        while candidates:
            if found := self._by_id.pop(candidates.pop(), None):
                return found
        return None

    def rest(self) -> Iterable[FileAt]:
        return self._by_id.values()
