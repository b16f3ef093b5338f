"""Commands that take files away or to another place, one by one or a directory at a time."""

from dataclasses import dataclass

from memories import replies
from memories.commands.effects import Effects, Move, Remove
from memories.commands.snapshot import Covers, Entry, Snapshot
from memories.paths import MemoryPath
from memories.refusals import InsideItself, PathMissing, PathTaken, RootKept


@dataclass(frozen=True, slots=True)
class Delete:
    """Put a file, or every file below a directory, into the trash."""

    path: MemoryPath

    def covers(self) -> Covers:
        return Covers((self.path,), below=True)

    def run(self, seen: Snapshot) -> Effects:
        if self.path.is_root:
            raise RootKept(replies.root_kept("delete"))
        files = _files(seen, self.path)
        return Effects(replies.deleted(self.path), tuple(Remove(file) for file in files))


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a file or a directory another path; every file keeps its identity."""

    source: MemoryPath
    target: MemoryPath

    def covers(self) -> Covers:
        return Covers((self.source, self.target), below=True)

    def run(self, seen: Snapshot) -> Effects:
        if self.source.is_root:
            raise RootKept(replies.root_kept("rename"))
        files = _files(seen, self.source)
        if self.target.is_root or seen.at(self.target):
            raise PathTaken(replies.rename_taken(self.target))
        if self.source.holds(self.target):
            raise InsideItself(replies.inside_itself(self.source, self.target))
        if above := seen.file_above(self.target):
            raise PathTaken(replies.under_file(above))
        moves = (Move(file, MemoryPath(file.path).moved(self.source, self.target)) for file in files)
        return Effects(replies.renamed(self.source, self.target), tuple(moves))


def _files(seen: Snapshot, path: MemoryPath) -> list[Entry]:
    """Return the file at ``path``, or those below it in path order; PathMissing when there is neither."""
    entry = seen.at(path)
    if entry is None:
        raise PathMissing(replies.missing(path))
    return [entry] if entry.is_file else [below for below in seen.below if below.is_file]
