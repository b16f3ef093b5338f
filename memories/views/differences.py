"""Differences between two states of files as pages show them: in place while there is room, or whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from memdash.web import formats
from memories import diffs
from memories.commands.contents import text_in
from memories.diffs import opened_lines
from memories.models import Blob
from memories.moments import FileAt
from memories.moments.differences import Difference
from memories.store import blobs
from memories.views.diff_room import COMPACT, room_with
from memories.views.numbers import number_in

DIFFED_BYTES: Final = 64 * 1024
"""A file that is larger on one side is not compared in place."""

DIFFS: Final = 30_000
"""Bytes that all differences of a page may take in place; the others are a link away."""

COMPACTLY: Final = replace(COMPACT, page=5_000)

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
class Whole:
    """A page of a difference, or the images that it is between, or in ``note`` why there is no more to see."""

    diff: diffs.Diff | None = None
    images: tuple[str, ...] = ()
    note: str = ""
    open_url: str = ""
    page_url: str = ""


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


def whole(request: HttpRequest, difference: Difference, address: str) -> Whole:
    """Return the page of a difference that ``?page=`` and ``?open=`` ask for; ``address`` is that of the first one."""
    sides = [side for side in difference if side]
    if any(side.blob_id is None for side in sides):
        return Whole(note=BLANKED)
    contents = Contents(sides, largest=max(side.size for side in sides))
    old, new = (text_in(contents.of(side)) for side in difference)
    if old is None or new is None:
        images = tuple(picture(side) for side in sides if text_in(contents.of(side)) is None)
        return Whole(note=diffs.Note.IMAGE, images=images)
    opened = opened_lines(request.GET.get("open", ""))
    open_url = f"{address}{'&' if '?' in address else '?'}open="
    diff = diffs.compare(
        old,
        new,
        renamed=len({side.path for side in sides}) > 1,
        page=number_in(request, "page") or 1,
        opened=opened,
        room=room_with(open_url + diffs.opened_text(opened)),
    )
    more = open_url + (f"{diff.opened}," if diff.opened else "")
    return Whole(diff, open_url=more, page_url=f"{open_url}{diff.opened}&page=")


def picture(file: FileAt) -> str:
    """Return the address of an image as it was."""
    return f"{reverse('memories:image', args=[file.uuid])}?v={file.number}"
