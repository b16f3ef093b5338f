"""What people put on a file that agents never see: labels, and a note. They are marks that have values."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from memories import replies
from memories.commands.effects import Effects, Mark
from memories.commands.snapshot import Covers, Entry, Snapshot, Words
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, PathMissing, TooManyLabels, WordsRefused
from memories.text import NOTE, as_label, as_note, storable

LABELS: Final = 20
"""Labels that a file may have."""


@dataclass(frozen=True, slots=True)
class Label:
    """Put labels on a file and take others off it; the rest, whoever put them there, stay.

    Each is a label as :func:`memories.text.as_label` makes it. Raises TooManyLabels, and WordsRefused for what is none.
    """

    path: MemoryPath
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, words=True)

    def run(self, seen: Snapshot) -> Effects:
        entry, words = _said_of(seen, self.path)
        if wrong := [label for label in self.add if not label or as_label(label) != label]:
            raise WordsRefused(f"Error: {wrong[0][:80]!r} is no label.")
        before = set(words.labels)
        after = before.difference(self.remove).union(self.add)
        if len(after) > LABELS and len(after) > len(before):
            raise TooManyLabels(replies.too_many_labels(self.path, LABELS))
        marks = (Mark(entry, "labels", sorted(before), sorted(after)),) if after != before else ()
        return Effects(replies.labelled(self.path), marks)


@dataclass(frozen=True, slots=True)
class Note:
    """Put ``text`` in place of the note on a file; an empty one takes it away.

    ``shown`` is the SHA-256 of the note that the person saw: ContentChanged is raised once it is another one.
    """

    path: MemoryPath
    text: str
    shown: str | None = None

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, words=True)

    def run(self, seen: Snapshot) -> Effects:
        entry, words = _said_of(seen, self.path)
        text = as_note(self.text)
        if len(text) > NOTE or not storable(text):
            raise WordsRefused(f"Error: a note has at most {NOTE:,} characters.")
        if text == words.note:
            return Effects(replies.noted(self.path, bool(text)))
        if self.shown is not None and self.shown != fingerprint(words.note):
            raise ContentChanged(replies.note_changed(self.path))
        return Effects(replies.noted(self.path, bool(text)), (Mark(entry, "note", words.note, text),))


def fingerprint(note: str) -> str:
    """Return what a page keeps of the note that it showed."""
    return sha256(note.encode()).hexdigest()


def _said_of(seen: Snapshot, path: MemoryPath) -> tuple[Entry, Words]:
    entry = seen.file_at(path)
    if entry is None:
        raise PathMissing(replies.missing(path))
    return entry, seen.words or Words()
