"""What is new, store by store, as far as one page has room for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.urls import reverse

from memdash.web import slots
from memdash.web.requests import UserRequest
from memories import access
from memories.models import ChangeSet, MemoryStore, MemoryVersion
from memories.moments import news
from memories.moments.news import Counts, News, Since
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.places import Link
from memories.views.since_rows import CAUSES, Row, lived, rows_of

FILES: Final = 20
"""Files that one page shows at most."""

ROOM: Final = 48_000
ROW: Final = 2_100
PATH: Final = 8
GROUP: Final = 1_700
NAME: Final = 5
"""Bytes that all rows of a page may take, their differences aside; what a row and each byte of its path takes, and what
the heading of a store and each byte of its name does."""

PASSING: Final = 10
"""Files that came and went which a page names, and stores with nothing but such files."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A file that was made and deleted again, and how long it was there."""

    path: str
    url: str
    lived: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run that changed files of a group, its page, and the page that takes it back."""

    cause: Cause
    undo: str


@dataclass(frozen=True, slots=True)
class Group:
    """What is new in one store, as far as this page shows it; ``is_last`` says that no other page has more of it."""

    since: Since
    agents: Sequence[Link]
    counts: Counts
    rows: Sequence[Row]
    passed: Sequence[Passed]
    runs: Sequence[Run]
    more_runs: int
    is_last: bool
    may_write: bool

    @property
    def store(self) -> MemoryStore:
        return self.since.store

    @property
    def url(self) -> str:
        return addresses.files(self.store.slug, MemoryPath.ROOT.text)

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def upto(self) -> str:
        """What marking the group sends: the store up to the change that this page knows."""
        return f"{self.store.pk}:{self.store.seq}"


def groups_of(
    request: UserRequest, stores: Sequence[Since], counted: Mapping[int, Counts], first: int
) -> tuple[list[Group], int]:
    """Return what stands on a page that begins with file ``first`` of all, and how many files it shows."""
    versions = news.page(request.user, stores, first, FILES)
    versions = _fitting(versions, stores)
    following = first + len(versions)
    here: list[Since] = []
    at = bare = 0
    ended: set[int] = set()
    for each in stores:
        files = counted[each.store.pk].files
        # A store with nothing but what came and went stands where its files would.
        bare += not files and first <= at <= following
        if (at < following and at + files > first) or (not files and first <= at <= following and bare <= PASSING):
            here.append(each)
        at += files
        if at <= following:
            ended.add(each.store.pk)
    made = news.news_of(request.user, here, versions)
    passing = [each for each in here if each.store.pk in ended and counted[each.store.pk].passing]
    passed = news.passing(request.user, passing, PASSING) if passing else {}
    writable = access.writable_among(request.user, [each.store for each in here])
    rows = rows_of(request, made, {each.store.pk: each.store.slug for each in here}, writable)
    agents = _agents(request, here)
    runs = _runs(request, made)
    groups = []
    for each in here:
        pk = each.store.pk
        own = [row for row in rows if row.news.newest.store_id == pk]
        groups.append(
            Group(
                since=each,
                agents=agents.get(pk, ()),
                counts=counted[pk],
                rows=own,
                passed=[_passed(each.store, version) for version in passed.get(pk, ())],
                runs=runs.get(pk, [])[:CAUSES],
                more_runs=max(0, len(runs.get(pk, [])) - CAUSES),
                is_last=pk in ended,
                may_write=pk in writable,
            )
        )
    return groups, len(versions)


def _fitting(versions: Sequence[MemoryVersion], stores: Sequence[Since]) -> list[MemoryVersion]:
    """Return the first of the files for which a page has room; one at least."""
    headings = {store.pk: GROUP + NAME * len(store.name.encode()) for store, _ in stores}
    room = ROOM
    for count, version in enumerate(versions):
        room -= ROW + PATH * len(version.path.encode()) + headings.pop(version.store_id, 0)
        if room < 0 and count:
            return list(versions[:count])
    return list(versions)


def _passed(store: MemoryStore, version: MemoryVersion) -> Passed:
    url = addresses.history(store.slug, version.path, file=version.entry.uuid)
    return Passed(MemoryPath(version.path).relative, url, lived(version))


def _agents(request: UserRequest, stores: Sequence[Since]) -> Mapping[int, Sequence[Link]]:
    found: dict[int, Sequence[Link]] = {}
    for known in slots.fill("store-agents", request, stores=[each.store for each in stores]) if stores else ():
        found |= known
    return found


def _runs(request: UserRequest, made: Iterable[News]) -> dict[int, list[Run]]:
    """Return the runs that changed files of each store, the last one first; two queries."""
    authors: dict[UUID, tuple[int, Any]] = {}
    for each in made:
        for author in each.authors:
            if author.run_id and (author.run_id not in authors or author.seq > authors[author.run_id][1].seq):
                authors[author.run_id] = (each.newest.store_id, author)
    if not authors:
        return {}
    keys = {f"run:{run_id}": run_id for run_id in authors}
    sets = ChangeSet.objects.filter(store__in={store_id for store_id, _ in authors.values()}, key__in=keys)
    undo = {
        keys[key]: reverse("memories:undo-act", args=[uuid]) for key, uuid in sets.values_list("key", "uuid") if key
    }
    causes = Causes(request, [author for _, author in authors.values()])
    found: dict[int, list[Run]] = {}
    for store_id, author in sorted(authors.values(), key=lambda each: -each[1].seq):
        cause = causes.of(author)
        if cause.in_run:
            found.setdefault(store_id, []).append(Run(cause, undo.get(author.run_id, "")))
    return found
