"""The health of a store: what it costs to read, and what there is to mend in it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from memdash.web import slots
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.diffs import compare, opened_lines
from memories.health.findings import Kind, Report
from memories.health.looking import look
from memories.models import MemoryEntry, MemoryStore, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.contents import text_of
from memories.views.diff_room import room_with
from memories.views.health_rows import Rows, UnknownRow
from memories.views.health_sums import by_length, drawn, sums_of
from memories.views.numbers import number_in
from memories.views.places import above

PAGE_ROWS = 15
UNKNOWN = "not-known"
BY_LENGTH = "by-length"


@require_GET
def health(request: UserRequest, slug: str) -> HttpResponse:
    """Show what a store costs to read and what is to be mended in it, worst first, as of now.

    ``?kind=`` shows one kind, or the files of which it is not known whether they were read, or all texts by length;
    ``?aside=1`` what was set aside. Looking counts as access to no file.
    """
    store = access.store_for(request.user, slug)
    now = timezone.now()
    report = look(store, _runs(request, store), now)
    aside, given = request.GET.get("aside") == "1", request.GET.get("kind", "")
    kind = next((kind for kind in Kind if kind == given), None)
    chosen: list[Any] = report.of(kind, aside=aside)
    if given in (UNKNOWN, BY_LENGTH):
        chosen = list(report.unknown) if given == UNKNOWN else by_length(report)
    page = Paginator(chosen, PAGE_ROWS).get_page(request.GET.get("page"))
    context = {
        "title": f"Health · {store.name}",
        "store": store,
        "at": above(request, store)[0].url,
        "sums": sums_of(report, store),
        "report": report,
        "kinds": [(each, len(report.of(each, aside=aside))) for each in Kind],
        "kind": kind,
        "by_length": given == BY_LENGTH,
        "is_unknown": given == UNKNOWN,
        "aside": aside,
        "counts": _counts(report),
        "page": page,
        "rows": _rows(store, report, list(page.object_list), given),
        "may_write": access.may_write(request.user, store),
        "now": now,
        "here": request.get_full_path(),
    }
    return render_page(request, "memories/health.html", context)


@require_GET
def pair(request: UserRequest, slug: str) -> HttpResponse:
    """Show two texts of a store side by side, ``?one=`` and ``?other=``, as a diff from the first to the second."""
    store = access.store_for(request.user, slug)
    one, other = _text(store, request, "one"), _text(store, request, "other")
    address = f"?one={one.uuid}&other={other.uuid}"
    diff = compare(
        text_of(one.blob),
        text_of(other.blob),
        page=number_in(request, "page") or 1,
        opened=opened_lines(request.GET.get("open", "")),
        room=room_with(address),
    )
    opened = f"{address}&open={diff.opened}"
    context = {
        "title": f"{MemoryPath(one.path).name} and {MemoryPath(other.path).name} · {store.name}",
        "store": store,
        "at": above(request, store)[0].url,
        "sides": [(each, MemoryPath(each.path).relative, addresses.files(slug, each.path)) for each in (one, other)],
        "diff": diff,
        "open_url": f"{opened}," if diff.opened else opened,
        "page_url": f"{opened}&page=",
        "may_write": access.may_write(request.user, store),
        "root": MemoryPath.ROOT,
    }
    return render_page(request, "memories/health_pair.html", context, partial="diff")


def _text(store: MemoryStore, request: UserRequest, name: str) -> MemoryEntry:
    """Return the live text of the store that the address names by its id; otherwise raise Http404."""
    try:
        entry = access.file_for(request.user, UUID(request.GET.get(name, "")))
    except ValueError as error:
        raise Http404("There is no such file.") from error
    if entry.store_id != store.pk or entry.state != State.LIVE or entry.media != Media.TEXT:
        raise Http404("There is no such text in this store.")
    return entry


def _runs(request: UserRequest, store: MemoryStore) -> list[datetime]:
    return sorted(slots.fill("run-starts", request, store=store))


def _counts(report: Report) -> dict[str, int]:
    """Return how many findings there are to mend, in how many files, and how many are set aside."""
    open_ = report.of(None, aside=False)
    return {
        "findings": len(open_),
        "files": len({each.file.id for each in open_}),
        "aside": len(report.findings) - len(open_),
    }


def _rows(store: MemoryStore, report: Report, chosen: list[Any], given: str) -> Sequence[Any]:
    if given == BY_LENGTH:
        return drawn(report, store, chosen)
    if given == UNKNOWN:
        return [UnknownRow(file, addresses.files(store.slug, file.path)) for file in chosen]
    rows = Rows(store, report, chosen)
    return [rows.of(finding) for finding in chosen]
