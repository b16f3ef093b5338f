"""The list of stores. It reads the stores' own rows, where the counters stand, and their newest versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Case, F, FilteredRelation, IntegerField, Q, QuerySet, Sum, Value, When
from django.urls import reverse

from memdash.web import formats, slots
from memdash.web.requests import UserRequest
from memories import access
from memories.models import MemoryStore, Role
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.places import Link
from memories.views.sparks import Spark, store_sparks, with_writes

PAGE_STORES: Final = 50
QUERY_CHARACTERS: Final = 200
NEARLY_FULL: Final = 0.9

NEAR_A_LIMIT: Final = Q(byte_count__gte=F("max_bytes") * NEARLY_FULL) | Q(file_count__gte=F("max_files") * NEARLY_FULL)
PAUSED: Final = Q(paused_at__isnull=False)
STATES: Final = {
    "near": ("Near a limit", NEAR_A_LIMIT),
    "paused": ("Reads only", PAUSED),
    "empty": ("Empty", Q(file_count=0)),
}

LABELS: Final = {
    "attention": "Needs attention",
    "name": "Store",
    "files": "Files",
    "size": "Size",
    "changed": "Last change",
    "writes": "Writes, 30 days",
}
ORDERS: Final = {
    "attention": ("urgency", F("last_activity_at").desc(nulls_last=True), "name", "pk"),
    "name": ("name", "pk"),
    "files": ("-file_count", "name", "pk"),
    "size": ("-byte_count", "name", "pk"),
    "changed": (F("last_activity_at").desc(nulls_last=True), "name", "pk"),
    "writes": ("-writes", "name", "pk"),
}


@dataclass(frozen=True, slots=True)
class Attention:
    """The one thing about a store that a person may want to do something about."""

    text: str
    icon: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A store in the list; ``agents`` is None when nobody here knows of agents."""

    store: MemoryStore
    url: str
    role: str
    agents: tuple[Link, ...] | None
    spark: Spark

    @property
    def attention(self) -> Attention | None:
        if self.store.paused_at:
            # The meters beside it tell of limits; that nothing may write stands nowhere else.
            return Attention(f"Reads only, by {self.store.paused_by}", "lock", "by")
        shares = (
            (self.store.byte_count, self.store.max_bytes, "of its size"),
            (self.store.file_count, self.store.max_files, "of its files"),
        )
        value, limit, words = max(shares, key=lambda share: share[0] / (share[1] or 1))
        if value >= limit * NEARLY_FULL:
            return Attention(f"{formats.share(value, limit)} {words}", "alert", "warn")
        if self.agents == ():
            return Attention("Nothing writes here", "off")
        if not self.store.file_count:
            return Attention("No memory yet", "folder")
        return None


@dataclass(frozen=True, slots=True)
class Sort:
    """A column the list can be sorted by; ``now`` is how it is, as ARIA calls it, or empty."""

    label: str
    url: str
    now: str


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter in use: in words, and how many stores there would be without it."""

    words: str
    without: int
    url: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks of the list."""

    query: str
    role: str
    state: str
    order: str

    @classmethod
    def read(cls, request: UserRequest) -> "Asked":
        """Return the filters and the order of the address; what is unknown counts as not given."""
        given = request.GET
        return cls(
            given.get("q", "").strip()[:QUERY_CHARACTERS],
            role if (role := given.get("role", "")) in Role.values else "",
            state if (state := given.get("state", "")) in STATES else "",
            order if (order := given.get("order", "")) in ORDERS else "attention",
        )

    def address(self, **changed: str) -> str:
        """Return the address of the list with some of it changed; an empty value takes a filter away."""
        values = {"q": self.query, "role": self.role, "state": self.state, "order": self.order, **changed}
        given = {name: value for name, value in values.items() if value and (name, value) != ("order", "attention")}
        return reverse("memories:stores") + (f"?{urlencode(given)}" if given else "")

    def sorts(self) -> dict[str, Sort]:
        """Return the columns that sort the list, by the order they give."""
        ways = {
            order: ("ascending" if order == "name" else "descending") if order == self.order else "" for order in ORDERS
        }
        return {order: Sort(LABELS[order], self.address(order=order), way) for order, way in ways.items()}

    def conditions(self) -> dict[str, tuple[Q, str]]:
        """Return the filters in use, each as a condition and in words."""
        found: dict[str, tuple[Q, str]] = {}
        if self.query:
            named = Q(name__icontains=self.query) | Q(slug__icontains=self.query)
            found["q"] = (named, f"the name “{self.query}”")
        if self.role:
            found["role"] = (Q(mine__role=self.role), f"the role {Role(self.role).label.lower()}")
        if self.state:
            label, condition = STATES[self.state]
            found["state"] = (condition, f"the state {label.lower()}")
        return found


@dataclass(frozen=True, slots=True)
class StoreList:
    """A page of the list, sums over all of it and, when nothing is left, what each filter hides."""

    asked: Asked
    rows: tuple[Row, ...]
    page: Page[MemoryStore]
    files: int
    bytes: int
    visible: int
    filters: tuple[Filter, ...]


def store_list(request: UserRequest) -> StoreList:
    """Return what a person sees of the stores they may reach."""
    asked = Asked.read(request)
    mine = FilteredRelation("members", condition=Q(members__user=request.user.pk))
    urgency = Case(
        When(NEAR_A_LIMIT, then=Value(0)), When(PAUSED, then=Value(1)), default=Value(2), output_field=IntegerField()
    )
    reachable = access.stores_for(request.user).annotate(mine=mine, role=F("mine__role"), urgency=urgency)
    conditions = asked.conditions()
    matching = _filtered(reachable, conditions)
    ordered = (with_writes(matching) if asked.order == "writes" else matching).order_by(*ORDERS[asked.order])
    page = Paginator(ordered, PAGE_STORES).get_page(request.GET.get("page"))
    sums = matching.aggregate(files=Sum("file_count", default=0), bytes=Sum("byte_count", default=0))
    filters = () if page.object_list else tuple(_hiding(reachable, conditions, asked))
    return StoreList(
        asked,
        tuple(_rows(request, list(page.object_list))),
        page,
        sums["files"],
        sums["bytes"],
        reachable.count() if conditions else page.paginator.count,
        filters,
    )


def _filtered(stores: "QuerySet[MemoryStore]", conditions: Mapping[str, tuple[Q, str]]) -> "QuerySet[MemoryStore]":
    for condition, _ in conditions.values():
        stores = stores.filter(condition)
    return stores


def _hiding(stores: "QuerySet[MemoryStore]", conditions: Mapping[str, tuple[Q, str]], asked: Asked) -> "list[Filter]":
    """Return the filters in use, each with how many stores would match without it."""
    return [
        Filter(
            words,
            _filtered(stores, {name: other for name, other in conditions.items() if name != given}).count(),
            asked.address(**{given: ""}),
        )
        for given, (_, words) in conditions.items()
    ]


def agents_of(request: UserRequest, stores: list[MemoryStore]) -> dict[int, tuple[Link, ...] | None]:
    """Return the agents of each store by its id; None where nobody here knows of agents."""
    known: list[Mapping[int, list[Link]]] = slots.fill("store-agents", request, stores=stores)
    return {
        store.pk: tuple(link for agents in known for link in agents.get(store.pk, ())) if known else None
        for store in stores
    }


def _rows(request: UserRequest, stores: list[MemoryStore]) -> "list[Row]":
    agents, drawn = agents_of(request, stores), store_sparks(stores)
    return [
        Row(
            store,
            addresses.files(store.slug, MemoryPath.ROOT.text),
            Role(role).label if (role := getattr(store, "role", None)) else "Operator",
            agents[store.pk],
            drawn[store.pk],
        )
        for store in stores
    ]
