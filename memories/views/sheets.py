"""What the editor holds: a text on its way, and the version of the file it is made of."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final

from django.conf import settings

from memories import diffs
from memories.models import Draft, MemoryEntry, MemoryVersion
from memories.text import count_lines
from memories.views.contents import text_of

FORM_BYTES: Final = 16 * 1024
"""What a form takes of a request beside the text: its token, its note, the marks between its parts."""

EMPTY: Final = sha256(b"").hexdigest()


@dataclass(frozen=True)
class Sheet:
    """``text`` as it would be saved, made of ``base``, the text of version ``base_version`` of a file.

    A new file has no version, and ``base`` is empty.
    """

    text: str
    base: str = ""
    base_version: int = 0
    base_sha256: str = ""

    @cached_property
    def shown(self) -> str:
        """The text as a browser shows it and sends it back."""
        return diffs.with_line_feeds(self.text)

    @cached_property
    def size(self) -> int:
        return len(self.text.encode())

    @property
    def lines(self) -> int:
        return count_lines(self.text)

    @cached_property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def is_changed(self) -> bool:
        return self.text != self.base

    @cached_property
    def changes(self) -> tuple[int, int, int]:
        """How many lines were added and removed, and in how many places."""
        hunks = diffs.line_hunks(self.base, self.text)
        return (*diffs.counts(hunks), len(hunks))

    @property
    def knows_base(self) -> bool:
        """Say whether ``base`` is what the text was made of, and not empty because that is not kept any more."""
        return bool(self.base) or self.base_sha256 in ("", EMPTY)

    @property
    def fits(self) -> bool:
        """Say whether a browser could send it: each of its line ends takes two bytes then."""
        return self.size + self.shown.count("\n") + FORM_BYTES <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def of_file(entry: MemoryEntry) -> Sheet:
    """Return the file as it is now, with nothing changed yet."""
    text = text_of(entry.blob)
    return Sheet(text, text, entry.version, entry.blob.sha256 if entry.blob else "")


def of_draft(entry: MemoryEntry, draft: Draft) -> Sheet:
    """Return what somebody left unsaved of the file."""
    base = base_text(entry, draft.base_version, draft.base_sha256)
    return Sheet(draft.text, base, draft.base_version, draft.base_sha256)


def sent(entry: MemoryEntry, typed: str, base_version: int, base_sha256: str) -> Sheet:
    """Return what a browser sent of the file; lines that were not edited have the ends they had."""
    base = base_text(entry, base_version, base_sha256)
    return Sheet(diffs.as_written(typed, base), base, base_version, base_sha256)


def base_text(entry: MemoryEntry, number: int, digest: str) -> str:
    """Return the text of a version of the file; empty when it had no such text, or has it no more."""
    if entry.blob and entry.version == number and entry.blob.sha256 == digest:
        return text_of(entry.blob)
    versions = MemoryVersion.objects.filter(entry=entry, number=number, sha256=digest)
    version = versions.select_related("blob").first()
    return text_of(version.blob) if version else ""
