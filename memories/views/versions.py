"""One version of a file at an address that lasts: the file's id and the version's number."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET
from PIL import Image

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.commands.contents import text_in
from memories.models import MemoryEntry, MemoryVersion, State
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.contents import data_of
from memories.views.numbers import number_in, number_of
from memories.views.places import above
from memories.views.texts import page_with


@dataclass(frozen=True, slots=True)
class Edition:
    """A version with its file, who caused it, and what it held: a text, an image of ``pixels``, or nothing."""

    entry: MemoryEntry
    version: MemoryVersion
    cause: Cause
    text: str | None
    pixels: tuple[int, int] | None

    @property
    def key(self) -> str:
        """How an address names it."""
        return key_of(self.entry.uuid, self.version.number)

    @property
    def url(self) -> str:
        return reverse("memories:version", args=[self.entry.uuid, self.version.number])

    @property
    def path(self) -> MemoryPath:
        """Where the file was then."""
        return MemoryPath(self.version.path)

    @property
    def name(self) -> str:
        return f"Version {self.version.number:,} of {self.path.name}"

    @property
    def is_image(self) -> bool:
        return self.version.blob_id is not None and self.text is None

    @property
    def history(self) -> str:
        """The address of the file's history with this version."""
        slug, file = self.entry.store.slug, self.entry.uuid
        return addresses.history(slug, self.entry.path, v=self.version.number, file=file)

    @property
    def is_restorable(self) -> bool:
        """Say whether bringing it back could change the file: it has a content that is not there now."""
        is_newest = self.entry.state == State.LIVE and self.version.number == self.entry.version
        return self.version.blob_id is not None and not self.version.redacted_at and not is_newest


def key_of(file_id: UUID, number: int) -> str:
    """Return how an address names a version."""
    return f"{file_id}@{number}"


def edition_of(request: UserRequest, key: str, *, beside: Edition | None = None) -> Edition:
    """Return the version that an address names; Http404 where there is none that the person may see.

    ``beside`` is another one that may be of the same file.
    """
    file_id, _, number = key.partition("@")
    try:
        found = UUID(file_id), number_of(number)
    except ValueError as error:
        raise Http404("Not the name of a version.") from error
    is_known = beside is not None and beside.entry.uuid == found[0]
    entry = beside.entry if beside and is_known else access.file_for(request.user, found[0])
    return edition(request, entry, found[1] or 0)


def edition(request: UserRequest, entry: MemoryEntry, number: int) -> Edition:
    """Return a version of the file; Http404 when it never had it."""
    version = MemoryVersion.objects.filter(entry=entry, number=number).select_related("blob").first()
    if version is None:
        raise Http404("The file never had this version.")
    data = data_of(version.blob)
    text = text_in(data) if version.blob else None
    pixels = _pixels(data) if version.blob and text is None else None
    return Edition(entry, version, Causes(request, [version]).of(version), text, pixels)


@require_GET
def version(request: UserRequest, file_id: UUID, number: int) -> HttpResponse:
    """Show what a file held at a version, by lines; ``?line=`` is one that is meant, ``?from=`` where a page begins."""
    entry = access.file_for(request.user, file_id)
    shown = edition(request, entry, number)
    line = number_in(request, "line")
    query = f"?line={line}" if line else ""
    context: dict[str, Any] = {
        "title": f"{shown.name} · {entry.store.name}",
        "store": entry.store,
        "at": above(request, entry.store)[0].url,
        "path": MemoryPath(entry.path),
        "entry": entry,
        "shown": shown,
        "line": line,
        "numbered": None if shown.text is None else page_with(shown.text, number_in(request, "from"), line),
        "permalink": request.build_absolute_uri(shown.url + query),
        "compare_before": compared(shown.key, number - 1) if number > 1 else "",
        "compare_now": compared(shown.key, entry.version, newer=True) if number < entry.version else "",
        "may_restore": shown.is_restorable and access.may_write(request.user, entry.store),
    }
    return render_page(request, "memories/version.html", context)


def compared(key: str, number: int, *, newer: bool = False) -> str:
    """Return the address that compares a version with another one of its file, an older one unless told otherwise."""
    other = f"{key.partition('@')[0]}@{number}"
    old, new = (key, other) if newer else (other, key)
    return f"{reverse('memories:compare-versions')}?old={old}&new={new}"


def _pixels(data: bytes) -> tuple[int, int] | None:
    """Return the width and height of a picture, for which nothing of it is decoded."""
    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
            return picture.size
    # What Pillow raises on broken files.
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
