"""What the page of news says about each file: in words, with who did it, and its difference where there is room."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from memdash.web import formats
from memories import diffs
from memories.commands.contents import text_in
from memories.models import Blob, MemoryVersion
from memories.models.entries import Media
from memories.moments import FileAt
from memories.moments.differences import Difference, Kind
from memories.moments.news import News
from memories.paths import MemoryPath
from memories.store import blobs
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.diff_room import COMPACT

DIFFED_BYTES: Final = 64 * 1024
"""A file that is larger on one side is not compared in place."""

DIFFS: Final = 30_000
"""Bytes that all differences of a page may take in place; the others are a link away."""

COMPACTLY: Final = replace(COMPACT, page=5_000)

CAUSES: Final = 3
"""Who changed a file, or runs of a heading, that are named; the others are counted."""

BLANKED: Final = "The text was blanked."


@dataclass(frozen=True, slots=True)
class Shown:
    """A difference in place: its HTML, or why there is none; ``is_whole`` says that nothing of it is left out.

    ``added`` and ``removed`` count its lines; they are None where it was not compared.
    """

    table: str = ""
    notes: tuple[str, ...] = ()
    added: int | None = None
    removed: int | None = None
    is_whole: bool = False
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A file: what became of it in ``words``, who did it, and what can be done about it."""

    news: News
    words: str
    causes: tuple[Cause, ...]
    more_causes: int
    shown: Shown
    url: str
    history: str
    marks: tuple[tuple[UUID, int], ...]
    may_write: bool

    @property
    def id(self) -> UUID:
        return self.news.difference.file.uuid

    @property
    def path(self) -> str:
        return MemoryPath(self.news.difference.path).relative

    @property
    def is_gone(self) -> bool:
        return self.news.difference.after is None

    @property
    def whole(self) -> str:
        """The page that shows all of the difference."""
        return reverse("memories:since-file", args=[self.id])

    @property
    def fix(self) -> str:
        """The editor; empty where there is no text to edit, and for those who may not."""
        entry = self.news.entry
        return (
            reverse("memories:edit", args=[self.id])
            if self.may_write and not self.is_gone and entry.media == Media.TEXT
            else ""
        )

    @property
    def restores(self) -> int:
        """The version of a file that is gone which brings back what the person saw; 0 for none."""
        before = self.news.difference.before
        return before.number if self.is_gone and self.may_write and before and before.blob_id else 0


class Contents:
    """The bytes behind several files, read together, but for those too large to be compared in place."""

    def __init__(self, files: Iterable[FileAt | None], *, largest: int = DIFFED_BYTES) -> None:
        wanted = {file.blob_id for file in files if file and file.blob_id and file.size <= largest}
        self._blobs = Blob.objects.in_bulk(wanted) if wanted else {}

    def has(self, file: FileAt | None) -> bool:
        return file is None or file.blob_id in self._blobs

    def of(self, file: FileAt | None) -> bytes:
        """Return the bytes; none for a file that is not there."""
        if file is None or file.blob_id is None:
            return b""
        blob = self._blobs[file.blob_id]
        return blobs.unpack(blob.encoding, blob.data)


class Differences:
    """Differences as they are shown in place, until a page has no more room for them."""

    def __init__(self, request: HttpRequest, differences: Sequence[Difference], *, room: int = DIFFS) -> None:
        self._request, self._room = request, room
        self._contents = Contents(side for each in differences for side in each)

    def shown(self, difference: Difference) -> Shown:
        """Return one of them."""
        before, after = difference
        if not difference.is_rewritten and before and after:
            return Shown(added=0, removed=0, is_whole=True)
        if any(side and side.blob_id is None for side in difference):
            return Shown(notes=(BLANKED,), is_whole=True)
        if not (self._contents.has(before) and self._contents.has(after)):
            size = max(side.size for side in difference if side)
            return Shown(notes=(f"Too large to show here: {formats.filesize(size)}.",))
        old, new = (text_in(self._contents.of(side)) for side in difference)
        if old is None or new is None:
            sides = [side for side in difference if side]
            images = tuple(picture(side) for side in sides if text_in(self._contents.of(side)) is None)
            return Shown(notes=(diffs.Note.IMAGE,), images=images, is_whole=True)
        return self._compared(diffs.compact(old, new, room=COMPACTLY))

    def _compared(self, diff: diffs.Diff) -> Shown:
        table = self._table(diff) if diff.parts else ""
        size = len(table.encode())
        notes = tuple(str(note) for note in diff.notes)
        if size > self._room:
            return Shown("", notes, diff.added, diff.removed)
        self._room -= size
        whole = diff.next_page is None and not diff.too_large
        return Shown(table, notes, diff.added, diff.removed, is_whole=whole)

    def _table(self, diff: diffs.Diff) -> str:
        return render_to_string("memories/diff_unified.html", {"diff": diff, "open_url": ""}, self._request)


def rows_of(request: HttpRequest, news: Sequence[News], slugs: Mapping[int, str], writable: set[int]) -> list[Row]:
    """Return a row for each file; two queries. ``slugs`` are those of the stores, by their ids."""
    differences = Differences(request, [each.difference for each in news])
    causes = Causes(request, [author for each in news for author in each.authors])
    rows = []
    for each in news:
        version = each.newest
        named = each.authors[::-1][:CAUSES]
        # The path of a file that is gone may be another one's by now.
        own = {"file": version.entry.uuid} if each.difference.after is None else {}
        slug = slugs[version.store_id]
        history = addresses.history(slug, version.path, **own)
        rows.append(
            Row(
                news=each,
                words=words_of(each),
                causes=tuple(causes.of(author) for author in named),
                more_causes=len(each.authors) - len(named),
                shown=differences.shown(each.difference),
                url=history if own else addresses.files(slug, version.path),
                history=history,
                marks=tuple((made.entry.uuid, made.number) for made in each.versions.values()),
                may_write=version.store_id in writable,
            )
        )
    return rows


def words_of(news: News) -> str:
    """Return what became of a file since the person saw it."""
    difference = news.difference
    before, after = difference
    often = formats.counted(news.changes, "change")
    if after is None:
        return "deleted" if news.changes == 1 else f"deleted, {often}"
    if before is None:
        first = "came back from the trash" if news.seen else "new file"
        return first if news.changes == 1 else f"{first}, {often}"
    if difference.is_replaced:
        return f"deleted and made again, {often}"
    if difference.kind is Kind.MOVED:
        moved = f"moved from {MemoryPath(before.path).relative}"
        return f"{moved} and changed, {often}" if difference.is_rewritten else moved
    if difference.kind is Kind.SAME:
        return f"{_times(news.changes)}, same text as before"
    return often


def picture(file: FileAt) -> str:
    """Return the address of an image as it was."""
    return f"{reverse('memories:image', args=[file.uuid])}?v={file.number}"


def lived(version: MemoryVersion) -> str:
    """Return how long a file that is gone was there."""
    minutes = max(1, round((version.authored_at - version.entry.created_at).total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else formats.counted(minutes // (24 * 60), "day")


def _times(count: int) -> str:
    return {1: "changed once", 2: "changed twice"}.get(count, f"changed {formats.thousands(count)} times")
