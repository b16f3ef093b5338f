"""What happened in all stores a person may see: who changed what, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from memdash.web import formats
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.actors import ActorKind
from memories.models import ChangeSet, MemoryStore
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.change_sets import Act, acts_of
from memories.views.numbers import number_in

PAGE: Final = 25
KINDS: Final = {
    "": ("Anyone", ()),
    "people": ("People", (ActorKind.PERSON,)),
    "agents": ("Agents", (ActorKind.AGENT, ActorKind.TOKEN, ActorKind.FOLDER)),
    "imports": ("Imports", (ActorKind.IMPORT,)),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An act in the list."""

    act: Act
    may_undo: bool
    is_undone: bool

    @property
    def change_set(self) -> ChangeSet:
        return self.act.change_set

    @property
    def at(self) -> datetime:
        return self.act.at

    @property
    def store(self) -> MemoryStore:
        return self.act.change_set.store

    @property
    def cause(self) -> object:
        return self.act.cause

    @property
    def has_more(self) -> bool:
        return self.act.has_more

    @property
    def words(self) -> str:
        verb = self.act.verb[:1].lower() + self.act.verb[1:]
        return f"took back a change: {verb}" if self.change_set.undoes else verb

    @property
    def relative(self) -> str:
        return MemoryPath(self.act.path).relative if self.act.path else ""

    @property
    def url(self) -> str:
        return addresses.history(self.store.slug, self.act.path) if self.act.path else ""

    @property
    def store_url(self) -> str:
        return addresses.files(self.store.slug, MemoryPath.ROOT.text)

    @property
    def undo_url(self) -> str:
        return reverse("memories:undo-act", args=[self.change_set.uuid])

    @property
    def clock(self) -> str:
        return timezone.localtime(self.at).strftime("%H:%M")

    @property
    def exact(self) -> str:
        return formats.exact(self.at)


@dataclass(frozen=True, slots=True)
class Day:
    """The acts of one day, newest first."""

    words: str
    acts: tuple[Entry, ...]


@require_GET
def activity(request: UserRequest) -> HttpResponse:
    """List acts, newest first, of everyone or of some, in all stores or in one, a page at a time."""
    stores = list(access.stores_for(request.user).order_by("name", "pk"))
    slug, by = request.GET.get("store", ""), request.GET.get("by", "")
    by = by if by in KINDS else ""
    words, kinds = KINDS[by]
    found = ChangeSet.objects.filter(store__in=[store for store in stores if slug in ("", store.slug)])
    if kinds:
        found = found.filter(actor_kind__in=kinds)
    before = number_in(request, "before")
    if before is not None:
        found = found.filter(pk__lt=before)
    page = list(found.select_related("store").order_by("-pk")[: PAGE + 1])
    context = {
        "title": "Activity",
        "days": _days(_entries(request, page[:PAGE])),
        "stores": stores,
        "slug": slug,
        "by": by,
        "by_words": words.lower(),
        "kinds": [(key, label) for key, (label, _) in KINDS.items()],
        "older": f"?{urlencode({'by': by, 'store': slug, 'before': page[PAGE - 1].pk})}" if len(page) > PAGE else "",
    }
    return render_page(request, "memories/activity.html", context)


def _entries(request: UserRequest, change_sets: Sequence[ChangeSet]) -> list[Entry]:
    uuids = [each.uuid for each in change_sets]
    undone = set(
        ChangeSet.objects.filter(undoes__in=uuids, store__in={each.store_id for each in change_sets}).values_list(
            "undoes", flat=True
        )
    )
    writable = {store.pk for store in {each.store for each in change_sets} if access.may_write(request.user, store)}
    return [
        Entry(act, act.change_set.store_id in writable and not act.is_final, act.change_set.uuid in undone)
        for act in acts_of(request, change_sets)
    ]


def _days(entries: Sequence[Entry]) -> list[Day]:
    today = timezone.localdate()
    days = groupby(entries, key=lambda entry: timezone.localtime(entry.at).date())
    return [_day(tuple(group), is_today=date == today) for date, group in days]


def _day(acts: tuple[Entry, ...], *, is_today: bool) -> Day:
    return Day("Today" if is_today else formats.day(acts[0].at), acts)
