"""What happened in all stores a person may see: who did what, and the way back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from memdash.web import formats
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import settings
from memories.actors import ActorKind
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.settings import Right
from memories.views import addresses
from memories.views.activity_filters import BY, KINDS, Asked
from memories.views.change_sets import Act, acts_of
from memories.views.numbers import number_in
from memories.views.since import new_files

PAGE: Final = 25


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
    def store(self) -> MemoryStore | None:
        """Return the store that can be looked into; none where the act is of none, or its making was undone."""
        store = self.change_set.store
        return store if store and not store.archived_at else None

    @property
    def is_person(self) -> bool:
        return self.change_set.actor_kind == ActorKind.PERSON

    @property
    def initials(self) -> str:
        return "".join(filter(str.isalnum, self.act.cause.who))[:2].upper()

    @property
    def words(self) -> str:
        verb = self.act.verb[:1].lower() + self.act.verb[1:]
        return f"took back a change: {verb}" if self.change_set.undoes else verb

    @property
    def name(self) -> str:
        """Return what it was done to: the path of a file, or the name of what was set."""
        if self.act.said:
            return self.act.said.name
        return MemoryPath(self.act.path).relative if self.act.path else ""

    @property
    def rest(self) -> str:
        return self.act.said.rest if self.act.said else ""

    @property
    def url(self) -> str:
        """Return the page of what it was done to, if there is one that the person may open."""
        if self.act.said:
            has_page = self.may_undo and (self.store or not self.change_set.store_id)
            return self.act.said.url if has_page else ""
        return addresses.history(self.store.slug, self.act.path) if self.act.path and self.store else ""

    @property
    def store_url(self) -> str:
        return addresses.files(self.store.slug, MemoryPath.ROOT.text) if self.store else ""

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
    """List acts, newest first, a page at a time; the address holds what is asked of them.

    ``?store=`` and ``?agent=`` choose by slug, ``?by=`` kinds of actors, ``?who=`` a part of their name, ``?kind=``
    what was done, ``?from=`` and ``?to=`` days, ``?before=`` the acts before one.
    """
    asked = Asked.read(request)
    before = number_in(request, "before")
    page = list(_before(asked.acts(request), before).select_related("store").order_by("-moment", "-pk")[: PAGE + 1])
    context = {
        "title": "Activity",
        "asked": asked,
        "new_files": new_files(request),
        "days": _days(_entries(request, page[:PAGE])),
        "by": [(key, label) for key, (label, _) in BY.items()],
        "kinds": [(key, label) for key, (label, _) in KINDS.items()],
        "is_later_page": before is not None,
        "newest": asked.address(),
        "older": asked.address(before=str(page[PAGE - 1].pk)) if len(page) > PAGE else "",
    }
    return render_page(request, "memories/activity.html", context)


def _before(acts: "QuerySet[Any]", before: int | None) -> "QuerySet[Any]":
    """Return the acts that come after one in the list; all of them where there is no such act."""
    last = ChangeSet.objects.with_moment().filter(pk=before).first() if before is not None else None
    if last is None:
        return acts
    moment = last.moment
    # The first condition alone follows the index.
    return acts.filter(moment__lte=moment).filter(Q(moment__lt=moment) | Q(pk__lt=before))


def _entries(request: UserRequest, change_sets: Sequence[ChangeSet]) -> list[Entry]:
    undone = set(
        ChangeSet.objects.filter(undoes__in=[each.uuid for each in change_sets]).values_list("undoes", flat=True)
    )
    roles = _roles(request, change_sets)
    return [
        Entry(act, not act.is_final and _may_undo(request, act.change_set, roles), act.change_set.uuid in undone)
        for act in acts_of(request, change_sets)
    ]


def _roles(request: UserRequest, change_sets: Sequence[ChangeSet]) -> Mapping[int | None, Role]:
    """Return the person's roles in the stores of these acts; one query, and none for the operator."""
    if request.user.is_superuser:
        return {}
    members = Member.objects.filter(user=request.user, store__in={each.store_id for each in change_sets})
    return {store: Role(role) for store, role in members.values_list("store", "role")}


def _may_undo(request: UserRequest, act: ChangeSet, roles: Mapping[int | None, Role]) -> bool:
    right = Right.WRITE if act.settings is None else settings.right_for(act)
    return request.user.is_superuser or settings.allows(roles.get(act.store_id), right)


def _days(entries: Sequence[Entry]) -> list[Day]:
    days = groupby(entries, key=lambda entry: timezone.localtime(entry.at).date())
    today = timezone.localdate()
    names = {today: "Today", today - timedelta(days=1): "Yesterday"}
    return [_day(tuple(group), names.get(date, "")) for date, group in days]


def _day(acts: tuple[Entry, ...], name: str) -> Day:
    return Day(name or formats.day(acts[0].at), acts)
