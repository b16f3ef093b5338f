"""The list of deleted files: of all stores a person may see, filtered, sorted, a page at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from memdash.web.requests import UserRequest
from memories import access
from memories.actors import ActorKind
from memories.models import Blob, Emptying, Member, MemoryEntry, MemoryStore, MemoryVersion, Role, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.store import blobs
from memories.text import storable
from memories.views.causes import Cause, Causes
from memories.views.levels import RELATIVE
from memories.views.store_list import Sort

PAGE_FILES: Final = 40
QUERY_CHARACTERS: Final = 200
FIRST_LINE: Final = 2_000
"""Bytes of a text in which its first line is looked for."""

MOST_COUNTED: Final = 1_000
"""The rail counts no further."""

KINDS: Final = {
    "people": ("People", (ActorKind.PERSON,)),
    "agents": ("Agents", (ActorKind.AGENT, ActorKind.TOKEN)),
    "folders": ("Folders", (ActorKind.FOLDER,)),
    "others": ("Anything else", (ActorKind.IMPORT, ActorKind.SWEEP, ActorKind.SYSTEM)),
}
LABELS: Final = {"file": "File", "store": "Store", "removed": "Removed", "size": "Size"}
ORDERS: Final = {
    "removed": ("-updated_at", "-pk"),
    "file": ("path", "pk"),
    "store": ("store__name", "store", "path", "pk"),
    "size": ("-size", "path", "pk"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks of the list."""

    query: str
    store: str
    by: str
    order: str

    @classmethod
    def read(cls, request: HttpRequest) -> "Asked":
        """Return the filters and the order of the address; what is unknown counts as not given."""
        given = request.GET
        query, slug = given.get("q", "").strip()[:QUERY_CHARACTERS], given.get("store", "")
        return cls(
            query if storable(query) else "",
            slug if storable(slug) else "",
            by if (by := given.get("by", "")) in KINDS else "",
            order if (order := given.get("order", "")) in ORDERS else "removed",
        )

    def address(self, **changed: str) -> str:
        """Return the address of the list with some of it changed; an empty value takes a filter away."""
        values = {"q": self.query, "store": self.store, "by": self.by, "order": self.order, **changed}
        given = {name: value for name, value in values.items() if value and (name, value) != ("order", "removed")}
        return reverse("memories:trash") + (f"?{urlencode(given)}" if given else "")

    def sorts(self) -> dict[str, Sort]:
        """Return the columns that sort the list, by the order they give."""
        ways = {"removed": "descending", "size": "descending", "file": "ascending", "store": "ascending"}
        return {
            order: Sort(LABELS[order], self.address(order=order), ways[order] if order == self.order else "")
            for order in ORDERS
        }

    @property
    def filters(self) -> bool:
        return bool(self.query or self.store or self.by)


@dataclass(frozen=True, slots=True)
class Row:
    """A deleted file: who removed it, why and when, and what it was."""

    entry: MemoryEntry
    cause: Cause | None
    reason: str
    removed_at: datetime
    first_line: str
    may_write: bool

    @property
    def relative(self) -> str:
        return MemoryPath(self.entry.path).relative

    @property
    def url(self) -> str:
        return reverse("memories:trash-file", args=[self.entry.uuid])


@dataclass(frozen=True, slots=True)
class TrashList:
    """A page of the trash.

    ``store`` is the one that is asked for, or the only one there is; who ``may_empty`` it is one of its owners.
    """

    asked: Asked
    page: Page[MemoryEntry]
    rows: tuple[Row, ...]
    stores: tuple[MemoryStore, ...]
    store: MemoryStore | None
    may_empty: bool
    may_purge: bool
    emptyings: tuple[Emptying, ...]

    @property
    def may_act(self) -> bool:
        """Say whether there is something to check rows for."""
        return any(row.may_write for row in self.rows)


def trash_list(request: UserRequest) -> TrashList:
    """Return what a person sees of the trash; eight queries, and those of whoever knows the runs."""
    asked = Asked.read(request)
    reachable = access.stores_for(request.user)
    trashed = MemoryEntry.objects.filter(store=OuterRef("pk"), state=State.TRASH)
    stores = tuple(reachable.filter(Exists(trashed)).order_by("name", "pk"))
    chosen = next((store for store in stores if store.slug == asked.store), None)
    if asked.store and chosen is None:
        chosen = reachable.filter(slug=asked.store).first()
    entries = _filtered(reachable, asked).select_related("store").order_by(*ORDERS[asked.order])
    page = Paginator(entries, PAGE_FILES).get_page(request.GET.get("page"))
    roles = Roles(request.user, (entry.store_id for entry in page.object_list), chosen)
    owned = chosen or (stores[0] if len(stores) == 1 else None)
    return TrashList(
        asked,
        page,
        tuple(rows_of(request, list(page.object_list), roles)),
        stores,
        owned,
        owned is not None and owned in stores and roles.may_own(owned.pk),
        any(roles.may_own(entry.store_id) for entry in page.object_list),
        tuple(Emptying.objects.filter(store__in=reachable, finished_at=None).select_related("store")),
    )


def _filtered(stores: QuerySet[MemoryStore], asked: Asked) -> QuerySet[MemoryEntry]:
    entries = MemoryEntry.objects.filter(state=State.TRASH, store__in=stores)
    if asked.store:
        entries = entries.filter(store__slug=asked.store)
    if asked.query or asked.by:
        entries = entries.annotate(last=FilteredRelation("versions", condition=Q(versions__number=F("version"))))
    wanted = Q()
    if asked.by:
        wanted &= Q(last__actor_kind__in=KINDS[asked.by][1])
    if asked.query:
        wanted &= Q(relative__icontains=asked.query) | Q(last__actor_label__icontains=asked.query)
    return entries.alias(relative=RELATIVE).filter(wanted)


class Roles:
    """What a person may do in each of some stores; one query, none for the operator."""

    def __init__(self, user: User, store_ids: Iterable[int], *more: MemoryStore | None) -> None:
        self._all = user.is_superuser
        ids = {*store_ids, *(store.pk for store in more if store)}
        members = () if self._all else Member.objects.filter(user=user, store__in=ids).values_list("store", "role")
        self._roles: dict[int, str] = dict(members)

    def may_write(self, store_id: int) -> bool:
        return self._all or self._roles.get(store_id) in (Role.CURATOR, Role.OWNER)

    def may_own(self, store_id: int) -> bool:
        return self._all or self._roles.get(store_id) == Role.OWNER


def rows_of(request: HttpRequest, entries: Sequence[MemoryEntry], roles: Roles) -> list[Row]:
    """Return a row for each deleted file; two queries, and those of whoever knows the runs."""
    wanted = [Q(entry=entry, number=entry.version) for entry in entries]
    found = MemoryVersion.objects.filter(Q(*wanted, _connector=Q.OR)) if wanted else MemoryVersion.objects.none()
    last = {version.entry_id: version for version in found.select_related("change_set").defer("spans")}
    causes = Causes(request, last.values())
    texts = Blob.objects.in_bulk([entry.blob_id for entry in entries if entry.media == Media.TEXT and entry.blob_id])
    return [
        Row(
            entry,
            causes.of(last[entry.pk]) if entry.pk in last else None,
            last[entry.pk].change_set.reason if entry.pk in last else "",
            last[entry.pk].authored_at if entry.pk in last else entry.updated_at,
            first_line(texts.get(entry.blob_id or 0)),
            roles.may_write(entry.store_id),
        )
        for entry in entries
    ]


def first_line(blob: Blob | None) -> str:
    """Return the first line of a text that says something, or its beginning."""
    if blob is None:
        return ""
    text = blobs.beginning(blob.encoding, blob.data, FIRST_LINE).decode("utf-8", errors="ignore")
    return next((" ".join(line.split()) for line in text.split("\n") if line.strip()), "")


def in_trash(request: UserRequest, ids: Iterable[str]) -> list[MemoryEntry]:
    """Return those of the files that are in the trash of a store the person may see, by path; ids may be any text."""
    uuids = [UUID(text) for text in dict.fromkeys(ids) if _is_uuid(text)][:PAGE_FILES]
    found = MemoryEntry.objects.filter(uuid__in=uuids, state=State.TRASH, store__in=access.stores_for(request.user))
    return list(found.select_related("store").order_by("store__name", "store", "path", "-changed_seq"))


def counted(request: UserRequest) -> int:
    """Return how many deleted files a person may see; one query, which counts to 1,000 at most."""
    trash = MemoryEntry.objects.filter(state=State.TRASH, store__in=access.stores_for(request.user))
    return trash[:MOST_COUNTED].count()


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
