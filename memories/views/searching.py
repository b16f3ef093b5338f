"""The search over all stores that a person may see: lines in context, with true counts of what is not shown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from memdash.web import formats, names
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.models import MemoryStore
from memories.search import finding, scanning
from memories.search.engines import Hit
from memories.search.filters import Filters
from memories.search.finding import Matches, Pending
from memories.search.queries import Query
from memories.views.search_asked import ORDERS, STATES, Asked
from memories.views.search_hits import Room, Shown, shown_files, shown_versions

PAGE: Final = 25
OLDER: Final = 25
FACETS: Final = 12
"""How many stores are offered to narrow a search: those with the most matches, and those that are picked."""


@dataclass(frozen=True, slots=True)
class Facet:
    """A store, or a state, that the search can be narrowed to, and how many files match there."""

    value: str
    label: str
    count: int | None
    is_on: bool


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A filter in use: in words, and how many files would match without it."""

    words: str
    without: int
    url: str


@dataclass(frozen=True, slots=True)
class Older:
    """What was found in older versions; ``looked`` is how many were looked through, ``next_url`` where more are."""

    shown: tuple[Shown, ...]
    found: int
    looked: int
    next_url: str


@require_GET
def search(request: UserRequest) -> HttpResponse:
    """Show the files whose text or path holds what ``?q=`` asks for, newest first.

    ``?store=`` (once or more often), ``?in=`` a directory, ``?by=`` who changed it last, ``?since=`` and ``?until=``
    days, ``?state=`` trash or all narrow it; ``?parts=1`` looks within words, ``?older=1`` through older versions too.
    """
    asked = Asked.read(request)
    stores = list(access.stores_for(request.user).select_related("indexed").order_by("name", "pk"))
    names.all_read(request, MemoryStore, stores)
    fault = asked.fault(stores) if asked.typed else ""
    query = asked.query
    title = f"{asked.typed} · Search" if asked.typed else "Search"
    context: dict[str, Any] = {
        "title": title,
        "asked": asked,
        "query": query,
        "fault": fault,
        "has_stores": bool(stores),
        "files": sum(store.file_count for store in stores),
        "orders": ORDERS.items(),
        "filtered": bool(asked.slugs or asked.state or asked.filters_given),
    }
    if query and not fault:
        found = _Search(request, asked, query, stores)
        context |= found.context()
    else:
        context |= {"facets": _facets(request, asked, stores, None), "states": _states(asked, None)}
    return render_page(request, "memories/search.html", context, partial="found")


class _Search:
    """One search, its filters known to be sound."""

    def __init__(self, request: UserRequest, asked: Asked, query: Query, stores: Sequence[MemoryStore]) -> None:
        self.request, self.asked, self.query, self.stores = request, asked, query, stores
        self.filters = asked.filters
        self.every = [store.pk for store in stores]
        self.picked = [store.pk for store in asked.picked(stores)]
        self.states = STATES[asked.state]
        self.looked: scanning.Scan | None = None

    def context(self) -> dict[str, Any]:
        """Return what the page shows."""
        counted, hits = self._parts() if self.asked.parts else self._words()
        total = counted.count(self.picked, self.states)
        page: Page[Hit] = Paginator(hits, PAGE).get_page(self.asked.page)
        room = Room()
        shown = shown_files(self.query, self.filters, list(page.object_list), self.stores, room) if hits else []
        return {
            "total": total,
            "in_stores": len(
                {store for store, state in counted.counts if store in self.picked and state in self.states}
            ),
            "shown": shown,
            "page": page,
            "listed": len(hits),
            "last_day": hits[-1].changed_at.date().isoformat() if total > len(hits) and hits else "",
            "unseen": counted.pending.unseen,
            "looked": self.looked,
            "looked_of": sum(store.file_count for store in self.stores if store.pk in self.picked),
            "older": self._older(room) if self.asked.older else None,
            "facets": _facets(self.request, self.asked, self.stores, _by_store(counted, self.states)),
            "states": _states(self.asked, {key: counted.count(self.picked, states) for key, states in STATES.items()}),
            "narrowings": self._narrowings(counted) if not total else (),
        }

    def _words(self) -> tuple[Matches, list[Hit]]:
        self.waiting = finding.pending(self.stores)
        counted = finding.matches(self.query, self.every, self.filters, self.waiting)
        hits = finding.newest(self.query, self.picked, self.states, self.filters, counted)
        return counted, finding.named_first(self.query, hits) if self.asked.order == "names" else hits

    def _parts(self) -> tuple[Matches, list[Hit]]:
        self.looked = scanning.parts_in_store(self.query, self.picked[0], self.filters)
        fresh = tuple(map(finding.hit_of, self.looked.found))
        counts = Counter((hit.store_id, hit.state) for hit in fresh)
        hits = [hit for hit in fresh if hit.state in self.states]
        hits.sort(key=lambda hit: hit.changed_at, reverse=True)
        if self.asked.order == "names":
            hits = finding.named_first(self.query, hits)
        return Matches(counts, Pending(), fresh), hits

    def _older(self, room: Room) -> Older:
        scan = scanning.older_versions(self.query, self.picked, self.states, self.filters, self.asked.before)
        found = scan.found[:OLDER]
        after = found[-1].pk if len(scan.found) > OLDER else scan.after
        return Older(
            tuple(shown_versions(self.query, found, self.stores, room)),
            len(scan.found),
            scan.looked,
            self.asked.address(before=after) if after else "",
        )

    def _narrowings(self, counted: Matches) -> list[Narrowing]:
        """Return the filters in use, each with how many files would match without it."""
        asked = self.asked
        found = []
        if asked.slugs and not asked.parts:
            chosen = " or ".join(names.label(self.request, store) for store in asked.picked(self.stores))
            found.append(
                Narrowing(f"the store {chosen}", counted.count(self.every, self.states), asked.address(slugs=()))
            )
        if other := counted.count(self.picked, STATES["all"]):
            words = "the state in the trash" if asked.state else "the state not in the trash"
            found.append(Narrowing(words, other, asked.address(state="all")))
        if asked.parts:
            return found
        for name, words, field in (
            ("below", f"the folder {asked.below}", "below"),
            ("actor", f"the name “{asked.actor}”", "actor"),
            ("label", f"the label “{asked.label}”", "label"),
            ("since", f"the day since {formats.day(self.filters.since)}" if self.filters.since else "", "since"),
            ("until", f"the day until {asked.until}", "until"),
        ):
            if getattr(self.filters, name):
                less = finding.matches(self.query, self.picked, self.filters.without(name), self.waiting)
                found.append(
                    Narrowing(words, less.count(self.picked, self.states), asked.address(**{field: _EMPTY[field]}))
                )
        if any(each.without for each in found):
            return [each for each in found if each.without]
        every = finding.matches(self.query, self.every, Filters(), self.waiting).count(self.every, STATES["all"])
        return [Narrowing("all filters", every, asked.address(**_EMPTY, slugs=(), state="all"))] if every else []


_EMPTY: Final[dict[str, Any]] = {"below": "", "actor": "", "label": "", "since": None, "until": None}


def _by_store(counted: Matches, states: Sequence[str]) -> dict[int, int]:
    found: Counter[int] = Counter()
    for (store, state), count in counted.counts.items():
        if state in states:
            found[store] += count
    return dict(found)


def _facets(
    request: UserRequest, asked: Asked, stores: Sequence[MemoryStore], counts: dict[int, int] | None
) -> dict[str, Any]:
    """Return the stores to narrow the search to, and how many more there are with matches."""
    # Within words only the one store that is picked was looked through.
    known = None if counts is None or asked.parts else counts
    order = sorted(stores, key=lambda store: -(known or {}).get(store.pk, 0)) if known is not None else list(stores)
    first = [store for store in order if store.slug in asked.slugs]
    rest = [store for store in order if store.slug not in asked.slugs and (known is None or known.get(store.pk))]
    some = [*first, *rest[: max(FACETS - len(first), 0)]]
    return {
        "stores": [
            Facet(
                store.slug,
                names.label(request, store),
                None if known is None else known.get(store.pk, 0),
                store.slug in asked.slugs,
            )
            for store in some
        ],
        "more": len(first) + len(rest) - len(some),
        "is_counted": known is not None,
    }


def _states(asked: Asked, counts: dict[str, int] | None) -> list[Facet]:
    labels = {"": "Current files", "trash": "In the trash", "all": "Both"}
    return [Facet(key, label, counts[key] if counts else None, key == asked.state) for key, label in labels.items()]
