"""Commands that change what a file says."""

from dataclasses import dataclass

from memories import replies
from memories.commands import contents
from memories.commands.effects import Effects
from memories.commands.snapshot import Covers, Snapshot
from memories.diffs import Hunk
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, LineOutOfRange, PathMissing, PathTaken, TextAmbiguous, TextNotFound
from memories.text import count_lines, fitting, lines_between

CONTEXT = 2


@dataclass(frozen=True, slots=True)
class Create:
    """Make a file. One that exists is refused, unless ``may_overwrite`` and the store's setting both allow it."""

    path: MemoryPath
    text: str
    may_overwrite: bool = False

    def covers(self) -> Covers:
        return Covers((self.path,), content=self.may_overwrite)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None:
            _refuse_place(seen, self.path)
            return Effects(replies.created(self.path), (contents.new_file(self.path, self.text.encode(), self.text),))
        if not (self.may_overwrite and seen.totals.create_overwrites):
            raise PathTaken(replies.create_taken(self.path))
        contents.editable(self.path, entry)
        return Effects(replies.created(self.path), contents.rewritten(self.path, entry, self.text.encode(), self.text))


@dataclass(frozen=True, slots=True)
class StrReplace:
    """Replace a text that occurs exactly once; an empty ``new`` removes it."""

    path: MemoryPath
    old: str
    new: str

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, content=True)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None:
            raise PathMissing(replies.replace_missing(self.path))
        text = contents.editable(self.path, entry)
        start = text.find(self.old)
        if start < 0:
            raise TextNotFound(replies.replace_not_found(self.path, self.old))
        if text.find(self.old, start + 1) >= 0:
            raise TextAmbiguous(replies.replace_ambiguous(self.old, _lines_with(text, self.old)))
        stop, new_stop = start + len(self.old), start + len(self.new)
        new = text[:start] + self.new + text[stop:]
        answer = _snippet(new, start, new_stop)
        if new == text:
            return Effects(answer)
        hunks = contents.replaced_lines(text, new, start, stop, new_stop)
        return Effects(answer, (contents.edited(self.path, entry, text, new, hunks),))


@dataclass(frozen=True, slots=True)
class Insert:
    """Put lines after line ``line``; 0 is the beginning. The text always becomes lines of its own."""

    path: MemoryPath
    line: int
    text: str

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, content=True)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None:
            raise PathMissing(replies.missing(self.path))
        text = contents.editable(self.path, entry)
        if not 0 <= self.line <= entry.lines:
            raise LineOutOfRange(replies.insert_out_of_range(self.line, entry.lines))
        below = text.split("\n", self.line)[self.line] if self.line <= text.count("\n") else ""
        above = text[: len(text) - len(below)]
        if above and not above.endswith("\n"):
            above += "\n"
        inserted = self.text if self.text.endswith("\n") else self.text + "\n"
        hunk = Hunk(self.line, 0, self.line, count_lines(inserted))
        change = contents.edited(self.path, entry, text, above + inserted + below, (hunk,))
        return Effects(replies.edited(self.path), (change,))


@dataclass(frozen=True, slots=True)
class Overwrite:
    """Save a whole text over the one that was opened; refused when the file has changed since."""

    path: MemoryPath
    text: str
    expected_sha256: str

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, content=True)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None:
            raise PathMissing(replies.missing(self.path))
        contents.editable(self.path, entry)
        if entry.sha256 != self.expected_sha256:
            raise ContentChanged(replies.content_changed(self.path))
        return Effects(replies.edited(self.path), contents.rewritten(self.path, entry, self.text.encode(), self.text))


@dataclass(frozen=True, slots=True)
class ImportFile:
    """Bring a file in from outside, byte for byte: UTF-8 text, PNG or JPEG. The same bytes again change nothing."""

    path: MemoryPath
    data: bytes

    def covers(self) -> Covers:
        return Covers((self.path,), content=True)

    def run(self, seen: Snapshot) -> Effects:
        media, text = contents.read(self.path, self.data)
        entry = seen.file_at(self.path)
        if entry:
            return Effects(replies.edited(self.path), contents.rewritten(self.path, entry, self.data, text, media))
        _refuse_place(seen, self.path)
        return Effects(replies.created(self.path), (contents.new_file(self.path, self.data, text, media),))


def _refuse_place(seen: Snapshot, path: MemoryPath) -> None:
    if path.is_root or seen.at(path):
        raise PathTaken(replies.create_on_directory(path))
    if above := seen.file_above(path):
        raise PathTaken(replies.under_file(above))


def _lines_with(text: str, part: str) -> list[int]:
    """Return the numbers of the lines in which ``part`` begins, one more than the answer lists at most."""
    limit = replies.LISTED_LINES + 1
    numbers: list[int] = []
    line, counted, found = 1, 0, text.find(part)
    while found >= 0 and len(numbers) < limit:
        line += text.count("\n", counted, found)
        numbers.append(line)
        counted = found
        # Further ones in the same line would repeat its number.
        next_line = text.find("\n", found) + 1
        found = text.find(part, next_line) if next_line else -1
    return numbers


def _snippet(text: str, start: int, stop: int) -> str:
    """Return the answer with the lines that hold ``text[start:stop]`` and two on either side."""
    first = max(text.count("\n", 0, start) + 1 - CONTEXT, 1)
    count = count_lines(text)
    last = min(text.count("\n", 0, stop) + 1 + CONTEXT, count)
    lines = lines_between(text, first, last)
    shown = fitting(lines)
    answer = replies.replaced(lines[:shown], first)
    if shown < len(lines):
        answer += "\n" + replies.cut_after(first + shown - 1, count, len(text))
    return answer
