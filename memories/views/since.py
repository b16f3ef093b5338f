"""Since you last looked: one difference for each file that changed, in all stores a person may see."""

from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.slots import RailItem
from memories import access
from memories.models import MemoryEntry
from memories.moments import news
from memories.moments.files import GONE
from memories.moments.news import News
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Causes
from memories.views.differences import whole
from memories.views.numbers import number_in
from memories.views.since_groups import FILES, groups_of
from memories.views.since_rows import CAUSES, words_of
from memories.views.unseeing import unsee_url

MOST: Final = 100
"""The rail counts no further."""


def rail(request: UserRequest) -> list[RailItem]:
    """Return the way to what is new, with how many files it is."""
    count = new_files(request)
    address = reverse("memories:since")
    words = f"{'file' if count == '1' else 'files'} new to you"
    return [RailItem("Since you looked", address, "eye", (address,), count, words, bool(count), "n", compact=False)]


def new_files(request: UserRequest) -> str:
    """Return how many files are new to the person, counted once for a page; "" for none, "99+" for many."""
    known: str | None = request.__dict__.get("_new_files")
    if known is None:
        count = news.quick_count(request.user, MOST)
        known = f"{MOST - 1}+" if count == MOST else f"{count}" if count else ""
        request.__dict__["_new_files"] = known
    return known


@require_GET
def since(request: UserRequest) -> HttpResponse:
    """List the files that changed since the person saw them, store by store; ``?first=`` is where a page begins."""
    return show_since(request, number_in(request, "first") or 0)


@require_GET
def since_file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show all of one file's difference; ``?open=`` are the lines unfolded, ``?page=`` a page of a long one."""
    entry = access.file_for(request.user, file_id)
    found = _news_at(request, entry)
    address = reverse("memories:since-file", args=[file_id])
    context: dict[str, Any] = {
        "title": f"Since you last looked: {MemoryPath(entry.path).relative} · {entry.store.name}",
        "entry": entry,
        "store": entry.store,
        "path": MemoryPath(entry.path).relative,
        "history": addresses.history(entry.store.slug, entry.path, file=entry.uuid),
        "news": found,
        "list_url": reverse("memories:since"),
    }
    if found:
        causes = Causes(request, found.authors)
        context |= {
            "words": words_of(found),
            "whole": whole(request, found.difference, address),
            "causes": [causes.of(author) for author in found.authors[::-1][:CAUSES]],
            "more_causes": max(0, len(found.authors) - CAUSES),
            "marks": [(made.entry.uuid, made.number) for made in found.versions.values()],
            "raw_url": addresses.files(entry.store.slug, entry.path, view="raw") if found.difference.after else "",
        }
    return render_page(request, "memories/since_file.html", context, partial="difference")


def show_since(request: UserRequest, first: int) -> HttpResponse:
    """Show what is new from file ``first`` on, or what htmx wants of it."""
    stores = news.changed_stores(request.user)
    counted = news.counts(request.user, stores)
    stores = [each for each in stores if each.store.pk in counted]
    total = sum(counts.files for counts in counted.values())
    first = first if first < total else 0
    groups, shown = groups_of(request, stores, counted, first)
    last = news.last_marked(request.user)
    following = first + shown
    context = {
        "title": "Since you last looked",
        "groups": groups,
        "total": total,
        "store_count": len(stores),
        "passing": sum(counts.passing for counts in counted.values()),
        "first": first + 1,
        "last": following,
        "next_url": f"?first={following}" if following < total else "",
        "previous_url": f"?first={max(0, first - FILES)}" if first else "",
        "upto": " ".join(f"{each.store.pk}:{each.store.seq}" for each in stores),
        "marked": last,
        "unsee_url": unsee_url(last.seen_at) if last and last.before is not None else "",
        "address": request.get_full_path() if request.method == "GET" else reverse("memories:since"),
    }
    return render_page(request, "memories/since.html", context, partial="news")


def _news_at(request: UserRequest, entry: MemoryEntry) -> News | None:
    """Return what became of one file, and of the one it came in place of; None where all of it was seen."""
    here = [each for each in news.changed_stores(request.user) if each.store.pk == entry.store_id]
    same_file = Q(entry=entry.pk) | Q(path=entry.path, operation__in=GONE)
    versions = news.newest(request.user, here).filter(same_file).select_related("entry").defer("spans")
    found = news.news_of(request.user, here, list(versions))
    return next((each for each in found if each.difference.file.entry_id == entry.pk), None)
