"""What somebody asks of the list of acts: in which store, by whom, of what kind, from when to when."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date

from memdash.web import formats, names, slots
from memdash.web.requests import UserRequest
from memories import access, settings
from memories.actors import ActorKind
from memories.models import ChangeSet, MemoryStore, MemoryVersion, Operation
from memories.models.slugs import with_slug
from memories.settings import Group
from memories.text import storable

CHOICES: Final = 200
"""Stores, and agents, that the form offers; the one that an address names is always among them."""

NAME: Final = 100

BY: Final = {
    "people": ("People", (ActorKind.PERSON,)),
    "agents": ("Agents that run here", (ActorKind.AGENT,)),
    "programs": ("Programs with a token", (ActorKind.TOKEN,)),
    "folders": ("Folders", (ActorKind.FOLDER,)),
    "imports": ("Imports", (ActorKind.IMPORT,)),
}


def _made(*operations: Operation) -> Q:
    """Return the acts whose first version is of these, and the runs that made one of them at any time."""
    versions = MemoryVersion.objects.filter(operation__in=operations)
    first = versions.filter(store=OuterRef("store"), seq=OuterRef("first_seq"))
    # A run has its versions in an index of its own; acts of other kinds do one thing.
    later = versions.filter(run_id=OuterRef("run_id"), change_set=OuterRef("pk"))
    return Q(Exists(first)) | Q(Exists(later), run_id__isnull=False)


def _set(group: Group) -> Q:
    return Q(settings__isnull=False, settings__0__0__in=settings.names_in(group))


KINDS: Final[Mapping[str, tuple[str, Callable[[], Q]]]] = {
    "edits": ("Edits and new files", lambda: _made(Operation.CREATED, Operation.MODIFIED)),
    "renames": ("Renames", lambda: _made(Operation.RENAMED)),
    "deletions": ("Deletions and purges", lambda: _made(Operation.DELETED, Operation.PURGED)),
    "restores": ("Restores", lambda: _made(Operation.RESTORED)),
    "marks": ("Marks, labels, notes, pauses", lambda: ~Q(marks=[])),
    "notes": ("Notes on versions", lambda: _set(Group.NOTES)),
    "settings": ("Settings", lambda: _set(Group.SETTINGS)),
    "members": ("Members and tokens", lambda: _set(Group.MEMBERS)),
    "undos": ("Undos", lambda: Q(undoes__isnull=False)),
}


class AgentChoice(NamedTuple):
    """An agent that the form offers; the app that has agents fills the slot "activity-agents" with them."""

    slug: str
    label: str
    agent_id: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks; what is unknown counts as not given."""

    store: MemoryStore | None
    agent: AgentChoice | None
    by: str
    who: str
    kind: str
    since: date | None
    until: date | None
    stores: Sequence[MemoryStore]
    agents: Sequence[AgentChoice]
    unknown: str = ""
    """A store or an agent that the address names and that nobody here may know of."""

    @classmethod
    def read(cls, request: UserRequest) -> "Asked":
        """Return what is asked, with the choices of the form: two queries, one more for each that is not offered."""
        given = request.GET
        reachable = access.stores_for(request.user)
        stores = list(reachable.order_by("name", "pk")[:CHOICES])
        if len(stores) < CHOICES:
            names.all_read(request, MemoryStore, stores)
        store, slug = None, given.get("store", "")
        if slug:
            store = next((each for each in stores if each.slug == slug), None) or with_slug(reachable, slug).first()
        named = given.get("agent", "")
        agents: list[AgentChoice] = slots.fill("activity-agents", request, asked=named, most=CHOICES)
        agent = next((each for each in agents if each.slug == named), None) if named else None
        who = given.get("who", "").strip()[:NAME]
        return cls(
            store,
            agent,
            by if (by := given.get("by", "")) in BY else "",
            who if storable(who) else "",
            kind if (kind := given.get("kind", "")) in KINDS else "",
            _date(given.get("from", "")),
            _date(given.get("to", "")),
            [*stores, store] if store and store not in stores else stores,
            agents,
            slug if slug and not store else named if named and not agent else "",
        )

    @property
    def is_filtered(self) -> bool:
        return bool(self.values or self.unknown)

    @property
    def values(self) -> dict[str, str]:
        """Return what is asked as the address has it, by the names of its fields."""
        all_values = {
            "store": self.store.slug if self.store else "",
            "agent": self.agent.slug if self.agent else "",
            "by": self.by,
            "who": self.who,
            "kind": self.kind,
            "from": self.since.isoformat() if self.since else "",
            "to": self.until.isoformat() if self.until else "",
        }
        return {name: value for name, value in all_values.items() if value}

    @property
    def words(self) -> list[tuple[str, str]]:
        """Return what is asked in words, each with the address of the list without it."""
        words = {
            "store": f"in {self.store.name}" if self.store else "",
            "agent": f"about {self.agent.label}" if self.agent else "",
            "by": f"by {BY[self.by][0].lower()}" if self.by else "",
            "who": f"by somebody called “{self.who}”",
            "kind": f"of the kind {KINDS[self.kind][0].lower()}" if self.kind else "",
            "from": f"from {_day(self.since)} on" if self.since else "",
            "to": f"until {_day(self.until)}" if self.until else "",
        }
        return [(words[name], self.address(**{name: ""})) for name in self.values]

    def address(self, **changed: str) -> str:
        """Return the query of the list with some of it changed; an empty value takes a filter away."""
        return f"?{urlencode({name: value for name, value in {**self.values, **changed}.items() if value})}"

    def acts(self, request: UserRequest) -> "QuerySet[Any]":
        """Return the acts that the person may see and asks for, with their moments, in no order yet."""
        acts = ChangeSet.objects.with_moment()
        if self.unknown:
            return acts.none()
        if self.store:
            acts = acts.filter(store=self.store)
        elif not request.user.is_superuser:
            acts = acts.filter(store__in=access.all_stores_for(request.user).values("pk"))
        if self.agent:
            acts = acts.filter(agent_id=self.agent.agent_id)
        if self.by:
            acts = acts.filter(actor_kind__in=BY[self.by][1])
        if self.who:
            acts = acts.filter(actor_label__icontains=self.who)
        if self.kind:
            acts = acts.filter(KINDS[self.kind][1]())
        if self.since:
            acts = acts.filter(moment__gte=_midnight(self.since))
        if self.until and self.until < date.max:
            acts = acts.filter(moment__lt=_midnight(self.until + timedelta(days=1)))
        return acts


def _date(given: str) -> date | None:
    try:
        return parse_date(given)
    except ValueError:
        return None


def _midnight(day: date) -> datetime:
    # The first day of all begins, in some zones, before there is a date in UTC.
    return timezone.make_aware(datetime.combine(max(day, date.min + timedelta(days=1)), time.min))


def _day(day: date) -> str:
    return formats.day(_midnight(day))
