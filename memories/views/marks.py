"""What sets a file apart in a list: new to the person, long unread or not known to be, locked, pinned."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import F, FilteredRelation, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from memories.models import Kind, MemoryEntry, MemoryStore, StoreSeen

UNREAD_DAYS = 90
SHOWN = 2
"""A row carries at most this many marks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """``kind`` is its class in the tree, ``icon`` its symbol elsewhere (none: a dot), ``label`` what it says."""

    kind: str
    label: str
    icon: str
    tone: str = ""


NEW = Mark("new", "new to you", "", "new")
OLD = Mark("old", f"not read for {UNREAD_DAYS} days", "clock", "warn")
UNKNOWN = Mark("unknown", "reads unknown", "off")
LOCKED = Mark("lock", "locked", "lock")
PINNED = Mark("pin", "pinned", "pin")


class Listed(NamedTuple):
    """An entry as lists show it, with the version of it that the person has seen. Lists are long: it is no model."""

    path: str
    kind: str
    size: int
    file_count: int
    version: int
    changed_seq: int
    pinned: bool
    locked: bool
    accessed_at: datetime | None
    confirmed_at: datetime | None
    updated_at: datetime
    labels: str | None
    seen_version: int | None
    uuid: UUID


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks at a store and when: what is new and what is old depends on it.

    Where an agent may read a store unseen, no file counts as unread.
    """

    user_id: int
    seen_seq: int
    now: datetime
    reads_are_seen: bool = True

    def marks_of(self, entry: Listed) -> tuple[Mark, ...]:
        """Return the marks of a file, in the order they are shown; none for a directory."""
        if entry.kind == Kind.DIRECTORY:
            return ()
        marks = (
            (NEW, self.is_new(entry)),
            (OLD, self.is_old(entry)),
            (UNKNOWN, self.is_unknown(entry)),
            (LOCKED, entry.locked),
            (PINNED, entry.pinned),
        )
        return tuple(mark for mark, holds in marks if holds)[:SHOWN]

    def is_new(self, entry: Listed) -> bool:
        """Say whether its newest version is later than what the person has seen of the store and of it."""
        return entry.changed_seq > self.seen_seq and entry.version > (entry.seen_version or 0)

    def is_old(self, entry: Listed) -> bool:
        """Say whether no agent viewed it, and nobody wrote or confirmed it, for 90 days."""
        return self.reads_are_seen and self._is_untouched(entry)

    def is_unknown(self, entry: Listed) -> bool:
        """Say whether it would be old, were it known that no agent read it."""
        return not self.reads_are_seen and self._is_untouched(entry)

    def _is_untouched(self, entry: Listed) -> bool:
        touched = max(entry.accessed_at or entry.updated_at, entry.confirmed_at or entry.updated_at, entry.updated_at)
        return self.now - touched > timedelta(days=UNREAD_DAYS)

    def over(self, entries: QuerySet[MemoryEntry]) -> QuerySet[MemoryEntry]:
        """Return the entries, each with the version the person has seen of it as ``seen_version``.

        Whoever made the newest version has seen it.
        """
        mine = FilteredRelation("seen_by", condition=Q(seen_by__user=self.user_id))
        own = FilteredRelation("versions", condition=Q(versions__user_id=self.user_id, versions__number=F("version")))
        return entries.annotate(mine=mine, own=own, seen_version=Coalesce("own__number", "mine__version"))

    def listed(self, entries: QuerySet[MemoryEntry]) -> list[Listed]:
        """Return entries from :meth:`over` as lists show them; one query."""
        return [Listed._make(row) for row in entries.values_list(*Listed._fields)]


def eyes_of(user_id: int, store: MemoryStore) -> Eyes:
    """Return the person's eyes on the store as of now."""
    seen = StoreSeen.objects.filter(store=store, user=user_id).values_list("seq", flat=True).first()
    return Eyes(user_id, seen or 0, timezone.now(), reads_are_seen=store.unseen_since is None)
