"""What is new in stores to a person: files whose newest version they have neither seen nor made."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Case, Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from memories import access
from memories.models import FileSeen, MemoryEntry, MemoryStore, MemoryVersion, Operation, StoreSeen
from memories.moments.differences import Difference, net
from memories.moments.files import FIELDS, GONE, FileAt

STORES: Final = 200
"""Stores that are looked into at a time, those changed last."""

NEVER_SEEN: Final = "never seen"
"""What stands for the operation of the last version that a person saw, where there is none."""

REACH: Final = 1_000
"""How many changes of a store a quick count looks back."""


class Since(NamedTuple):
    """A store that has changed since a person saw it last, up to its change ``seq``."""

    store: MemoryStore
    seq: int


class Counts(NamedTuple):
    """How many files of a store are new to a person, and how many came and went without them."""

    files: int
    passing: int


@dataclass(slots=True)
class Author:
    """Who made some of the changes of a file, in which run; the newest of them is ``seq``."""

    actor_kind: str
    actor_label: str
    run_id: UUID | None
    changes: int
    seq: int
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What became of a file since a person saw it: one difference, whatever lay between.

    ``versions`` are the newest ones that make it up, by the ids of their files: of a file that was deleted and made
    again there are two. ``seen`` is the number of the last version of the file that the person saw, 0 for none.
    ``authors`` made the ``changes``.
    """

    difference: Difference
    versions: Mapping[int, MemoryVersion]
    seen: int
    authors: Sequence[Author]

    @property
    def newest(self) -> MemoryVersion:
        return max(self.versions.values(), key=lambda version: version.seq)

    @property
    def entry(self) -> MemoryEntry:
        return self.newest.entry

    @property
    def changes(self) -> int:
        return sum(author.changes for author in self.authors)


def changed_stores(user: User) -> list[Since]:
    """Return the stores that changed since the person saw them, those that changed last first; one query.

    What they did there themselves counts as a change here.
    """
    mine = StoreSeen.objects.filter(store=OuterRef("pk"), user=user).values("seq")[:1]
    stores = access.stores_for(user).annotate(seen_seq=Coalesce(Subquery(mine), 0)).filter(seq__gt=F("seen_seq"))
    found = stores.order_by(F("last_activity_at").desc(nulls_last=True), "pk")[:STORES]
    return [Since(store, store.seen_seq) for store in found]


def last_marked(user: User) -> StoreSeen | None:
    """Return the newest of the person's marks on stores they may see; one query."""
    marks = StoreSeen.objects.filter(user=user, seen_at__isnull=False, store__in=access.stores_for(user))
    return marks.order_by("-seen_at").first()


def quick_count(user: User, most: int) -> int:
    """Return how many files are new to the person, ``most`` for that many and more; two queries.

    Of each store only the last changes are looked at: it stands on every page.
    """
    stores = changed_stores(user)
    if not stores:
        return 0
    found = _told_apart(newest(user, stores, reach=REACH), user, stores).filter(passing=False)
    return found.values("pk")[:most].count()


def counts(user: User, stores: Sequence[Since]) -> dict[int, Counts]:
    """Return for each store that has something new how much; one query."""
    rows = (
        _told_apart(newest(user, stores), user, stores)
        .order_by()
        .values("store_id")
        .annotate(passed=Count("pk", filter=Q(passing=True)), stayed=Count("pk", filter=Q(passing=False)))
    )
    return {row["store_id"]: Counts(row["stayed"], row["passed"]) for row in rows}


def newest(user: User, stores: Sequence[Since], *, reach: int | None = None) -> QuerySet[MemoryVersion]:
    """Return the newest versions of the files that are new to the person, ``reach`` changes back at most."""
    if not stores:
        return MemoryVersion.objects.none()
    since = [Q(store=store.pk, seq__gt=max(seq, store.seq - reach) if reach else seq) for store, seq in stores]
    seen = FileSeen.objects.filter(entry=OuterRef("entry"), user=user, version__gte=OuterRef("number"))
    found = MemoryVersion.objects.filter(Q(*since, _connector=Q.OR), entry__changed_seq=F("seq"))
    return found.exclude(user_id=user.pk).exclude(Exists(seen))


def page(user: User, stores: Sequence[Since], first: int, most: int) -> list[MemoryVersion]:
    """Return a part of what is new, store by store in the order given, and in each by path; one query.

    What came and went is left out.
    """
    order = Case(*(When(store=store.pk, then=Value(place)) for place, (store, _) in enumerate(stores)), default=0)
    found = _told_apart(newest(user, stores), user, stores).filter(passing=False)
    rows = found.alias(position=order).select_related("entry").defer("spans").order_by("position", "path", "seq")
    return list(rows[first : first + most])


def passing(user: User, stores: Sequence[Since], most: int) -> dict[int, list[MemoryVersion]]:
    """Return by store the files that came and went without the person, ``most`` in all, the last first; one query."""
    rows = _told_apart(newest(user, stores), user, stores).filter(passing=True)
    found: dict[int, list[MemoryVersion]] = defaultdict(list)
    for version in rows.select_related("entry").defer("spans").order_by("-authored_at", "-pk")[:most]:
        found[version.store_id].append(version)
    return found


def news_of(user: User, stores: Sequence[Since], versions: Sequence[MemoryVersion]) -> list[News]:
    """Return what became of the files with these newest versions, store by store; three queries, however many."""
    if not versions:
        return []
    base = _last_seen(user, stores, versions)
    before = _at(base)
    authors = _authors(base)
    by_file = {version.entry_id: version for version in versions}
    found = []
    for since in stores:
        here = [version for version in versions if version.store_id == since.store.pk]
        now = [_file(version) for version in here if version.operation not in GONE]
        was = [before[version.entry_id] for version in here if version.entry_id in before]
        for difference in net(was, now):
            ids = {side.entry_id for side in difference if side}
            made = _together(each for key in ids for each in authors[key])
            made_up = {key: by_file[key] for key in ids}
            found.append(News(difference, made_up, base[difference.file.entry_id], made))
    return found


def _told_apart(found: QuerySet[MemoryVersion], user: User, stores: Sequence[Since]) -> QuerySet[Any]:
    """Return the versions with ``passing``: whether the file is gone, and was not there when the person saw it last.

    That a file was purged which the person knew to be in the trash is no news: what is there is the same as before.
    """
    known = _known(user, "entry").values("operation")[:1]
    was = Coalesce(Subquery(known), Value(NEVER_SEEN))
    rows = found.alias(until=_until(stores), opened=_opened(user, "entry"), was=was)
    rows = rows.exclude(operation=Operation.PURGED, was__in=GONE)
    gone = Q(operation__in=GONE, was__in=(*GONE, NEVER_SEEN))
    return rows.alias(passing=Case(When(gone, then=True), default=False))


def _known(user: User, entry: str) -> QuerySet[MemoryVersion]:
    """Return the versions of a file that the person saw or made, the last one first, for rows with what follows."""
    is_known = Q(seq__lte=OuterRef("until")) | Q(number__lte=OuterRef("opened")) | Q(user_id=user.pk)
    return MemoryVersion.objects.filter(is_known, entry=OuterRef(entry)).order_by("-number")


def _opened(user: User, entry: str) -> Coalesce:
    """Return the version at which the person opened a file or marked it."""
    opened = FileSeen.objects.filter(entry=OuterRef(entry), user=user).values("version")[:1]
    return Coalesce(Subquery(opened), 0)


def _until(stores: Collection[Since]) -> Case:
    """Return the ``seq`` up to which a version's store was seen, for queries over several stores."""
    cases = (When(store=store.pk, then=Value(seq)) for store, seq in stores)
    return Case(*cases, default=0, output_field=IntegerField())


def _last_seen(user: User, stores: Sequence[Since], versions: Sequence[MemoryVersion]) -> dict[int, int]:
    """Return the number of the last version that the person saw or made, by file; 0 for none."""
    files = MemoryEntry.objects.filter(pk__in=[version.entry_id for version in versions]).order_by()
    rows = files.annotate(until=_until(stores), opened=_opened(user, "pk"))
    known = Coalesce(Subquery(_known(user, "pk").values("number")[:1]), 0)
    return dict(rows.annotate(known=known).values_list("pk", "known"))


def _at(numbers: Mapping[int, int]) -> dict[int, FileAt]:
    """Return the files as they were at these versions, those left out that were not there then; one query."""
    wanted = [Q(entry=pk, number=number) for pk, number in numbers.items() if number]
    if not wanted:
        return {}
    rows = MemoryVersion.objects.filter(Q(*wanted, _connector=Q.OR)).exclude(operation__in=GONE)
    files = [FileAt(*row[:-1]) for row in rows.order_by().values_list(*FIELDS)]
    return {file.entry_id: file for file in files}


def _authors(base: Mapping[int, int]) -> dict[int, list[Author]]:
    """Return who changed each file after that version; one query."""
    later = [Q(entry=pk, number__gt=number) for pk, number in base.items()]
    names = ("entry_id", "actor_kind", "actor_label", "run_id")
    rows = MemoryVersion.objects.filter(Q(*later, _connector=Q.OR)).order_by().values_list(*names)
    found: dict[int, list[Author]] = defaultdict(list)
    for pk, kind, label, run_id, changes, seq in rows.annotate(changes=Count("pk"), last=Max("seq")):
        found[pk].append(Author(kind, label, run_id, changes, seq))
    return found


def _together(authors: Iterable[Author]) -> list[Author]:
    """Return the authors of one or two files, each once, the last one last."""
    found: dict[tuple[object, ...], Author] = {}
    for each in authors:
        who = (each.actor_kind, each.actor_label, each.run_id)
        known = found.get(who)
        changes, seq = (known.changes, known.seq) if known else (0, 0)
        found[who] = replace(each, changes=changes + each.changes, seq=max(seq, each.seq))
    return sorted(found.values(), key=lambda author: author.seq)


def _file(version: MemoryVersion) -> FileAt:
    return FileAt(
        version.entry_id,
        version.entry.uuid,
        version.path,
        version.number,
        version.seq,
        version.blob_id,
        version.sha256,
        version.size,
        version.lines,
    )
