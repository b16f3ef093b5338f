"""Commands that do one thing to many files, chosen on a page: all are still as they were there, or nothing is done."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from memories import replies
from memories.commands import contents
from memories.commands.effects import Effects, Mark, Move, Remove
from memories.commands.snapshot import Entry, Several, Snapshot
from memories.diffs import Hunk
from memories.paths import MemoryPath, directories
from memories.refusals import ContentChanged, PathMissing, PathTaken


class Meant(NamedTuple):
    """A file as it was when somebody decided about it: which one, where, and at which version."""

    id: int
    path: str
    version: int


class Rewrite(NamedTuple):
    """What a file's text was and shall be, and the lines that differ."""

    file: Meant
    old: str
    new: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class DeleteFiles:
    """Put files into the trash."""

    files: tuple[Meant, ...]

    def covers(self) -> Several:
        return _these(self.files)

    def run(self, seen: Snapshot) -> Effects:
        gone = tuple(Remove(entry) for entry in _found(seen, self.files))
        return Effects(replies.done_to(len(gone)), gone)


@dataclass(frozen=True, slots=True)
class MoveFiles:
    """Give files other paths, all of which have to be free before any of them leaves its own."""

    moves: tuple[tuple[Meant, MemoryPath], ...]

    def covers(self) -> Several:
        return Several(tuple(file.id for file, _ in self.moves), tuple(to for _, to in self.moves))

    def run(self, seen: Snapshot) -> Effects:
        entries = _found(seen, [file for file, _ in self.moves])
        arriving: set[str] = set()
        above: set[str] = set()
        for _, to in self.moves:
            if in_the_way := self._in_the_way(seen, to, arriving, above):
                raise PathTaken(replies.rename_taken(MemoryPath(in_the_way)))
            arriving.add(to.text)
            above.update(directories(to.text))
        moves = tuple(Move(entry, to) for entry, (_, to) in zip(entries, self.moves, strict=True))
        return Effects(replies.done_to(len(moves)), moves)

    @staticmethod
    def _in_the_way(seen: Snapshot, to: MemoryPath, arriving: Collection[str], above: Collection[str]) -> str:
        if to.is_root or seen.at(to) or to.text in arriving or to.text in above:
            return to.text
        if file := seen.file_above(to):
            return file.text
        return next((directory for directory in directories(to.text) if directory in arriving), "")


@dataclass(frozen=True, slots=True)
class MarkFiles:
    """Pin or lock files, or take such a mark away; those that are so already are passed over."""

    files: tuple[Meant, ...]
    name: str
    on: bool

    def covers(self) -> Several:
        return _these(self.files)

    def run(self, seen: Snapshot) -> Effects:
        entries = _found(seen, self.files)
        others = (entry for entry in entries if getattr(entry, self.name) != self.on)
        marks = tuple(Mark(entry, self.name, not self.on, self.on) for entry in others)
        return Effects(replies.done_to(len(marks)), marks)


@dataclass(frozen=True, slots=True)
class RewriteFiles:
    """Save texts that were made from those the files held."""

    files: tuple[Rewrite, ...]

    def covers(self) -> Several:
        return _these(each.file for each in self.files)

    def run(self, seen: Snapshot) -> Effects:
        entries = _found(seen, [each.file for each in self.files])
        puts = tuple(
            contents.edited(MemoryPath(entry.path), entry, each.old, each.new, each.hunks)
            for entry, each in zip(entries, self.files, strict=True)
        )
        return Effects(replies.done_to(len(puts)), puts)


def _these(files: Iterable[Meant]) -> Several:
    return Several(tuple(file.id for file in files))


def _found(seen: Snapshot, files: Iterable[Meant]) -> list[Entry]:
    """Return the files, in that order; PathMissing or ContentChanged, which name the first that is another by now."""
    by_id = {entry.id: entry for entry in seen.entries.values() if entry.is_file}
    found = []
    for file in files:
        entry = by_id.get(file.id)
        if entry is None or entry.path != file.path:
            raise PathMissing(replies.moved_meanwhile(MemoryPath(file.path)))
        if entry.version != file.version:
            raise ContentChanged(replies.content_changed(MemoryPath(file.path)))
        found.append(entry)
    return found
