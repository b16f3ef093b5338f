"""All files of a store in one list: filtered, sorted, and chosen for what is done to many at once."""

from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.bulk import VERBS, Verb
from memories.models import MemoryEntry
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.levels import unlisted
from memories.views.listing import AGES, MARKS, SIZES, Asked
from memories.views.marks import Eyes, Listed, Mark, eyes_of
from memories.views.places import above

PAGE_FILES: Final = 50
LONGEST_ADDRESS: Final = 300
"""A file whose address takes more bytes is linked by its id: paths in other scripts take nine bytes a letter."""


@dataclass(frozen=True, slots=True)
class Row:
    """A file in the list."""

    file: Listed
    url: str
    marks: tuple[Mark, ...]
    unlisted: bool

    @property
    def relative(self) -> str:
        return MemoryPath(self.file.path).relative


@require_GET
def all_files(request: UserRequest, slug: str) -> HttpResponse:
    """List the files of a store, whatever folder they are in; the address holds filters, order and page.

    With ``?all=1`` all that match are chosen, on other pages too.
    """
    memory = access.store_for(request.user, slug)
    asked, eyes = Asked.read(request.GET), eyes_of(request.user.pk, memory)
    matching = asked.over(memory, eyes)
    page = Paginator(matching, PAGE_FILES).get_page(request.GET.get("page"))
    rows = [_row(slug, eyes, listed) for listed in eyes.listed(cast("QuerySet[MemoryEntry]", page.object_list))]
    may_write = access.may_write(request.user, memory)
    context = {
        "title": f"All files · {memory.name}",
        "store": memory,
        "at": above(request, memory)[0].url,
        "path": MemoryPath.ROOT,
        "asked": asked,
        "all": bool(request.GET.get("all")) and bool(rows),
        "rows": rows,
        "page": page,
        "sorts": asked.sorts(slug),
        "hiding": asked.hiding(memory, eyes) if asked.filters and not rows else [],
        "sizes": [(key, words) for key, (words, _) in SIZES.items()],
        "ages": [(key, words) for key, (words, *_) in AGES.items()],
        "marks": [(name, getattr(asked, name), words) for name, words in MARKS.items()],
        "verbs": verbs_for(may_write=may_write),
        "may_write": may_write,
        "all_url": asked.address(slug, all="1"),
        "replace_query": urlencode({"store": slug, "within": asked.within}),
        "none_url": asked.address(slug),
    }
    return render_page(request, "memories/all_files.html", context)


@require_GET
def file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Lead to the page of a file, wherever it lives by now."""
    entry = access.file_for(request.user, file_id)
    return redirect(addresses.files(entry.store.slug, entry.path))


def verbs_for(*, may_write: bool) -> list[Verb]:
    """Return what a person may do to many files, in the order of the buttons."""
    return [verb for verb in VERBS.values() if may_write or not verb.changes]


def address_of(slug: str, path: str, uuid: UUID | str) -> str:
    """Return the address of a file's page, a short one where its path makes it long."""
    address = addresses.files(slug, path)
    return address if len(address) <= LONGEST_ADDRESS else reverse("memories:file", args=[uuid])


def _row(slug: str, eyes: Eyes, listed: Listed) -> Row:
    address = address_of(slug, listed.path, listed.uuid)
    return Row(listed, address, eyes.marks_of(listed), unlisted(listed.path))
