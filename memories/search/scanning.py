"""Looking through text itself, for what no index knows: parts of words, and what files held before.

That is bounded, and whoever shows it says how far it went.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import F, QuerySet

from memories.models import MemoryVersion, Operation
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.search.filters import Filters
from memories.search.finding import is_match
from memories.search.queries import Query
from memories.store import blobs

FILES: Final = 5_000
VERSIONS: Final = 1_000
BYTES: Final = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found; ``looked`` counts what was looked through, ``after`` is where to go on if anything is left."""

    found: tuple[MemoryVersion, ...]
    looked: int
    after: int | None


def parts_in_store(query: Query, store: int, filters: Filters) -> Scan:
    """Look through the files of one store, those changed last first, in its trash too; ``after`` is a seq."""
    current = MemoryVersion.objects.filter(store=store, seq=F("entry__changed_seq")).order_by("-seq")
    rows, after, looked = _reach(current, "seq", "entry__size", FILES)
    read = rows.select_related("entry__blob").defer("spans", "note")
    return Scan(tuple(version for version in read if is_match(query, filters, version)), looked, after)


def older_versions(
    query: Query, stores: Collection[int], states: Collection[str], filters: Filters, before: int | None = None
) -> Scan:
    """Look through what files of the stores held before they were changed; ``before`` and ``after`` are versions' ids.

    What was blanked is gone from here at once, since nothing of it was indexed.
    """
    older = MemoryVersion.objects.filter(
        store__in=stores,
        entry__state__in=states,
        entry__media=Media.TEXT,
        operation__in=(Operation.CREATED, Operation.MODIFIED),
        blob__isnull=False,
        redacted_at=None,
    ).exclude(blob=F("entry__blob"))
    if before:
        older = older.filter(pk__lt=before)

    rows, after, looked = _reach(older.order_by("-pk"), "pk", "size", VERSIONS)
    read = rows.select_related("entry", "blob").defer("spans", "note")
    return Scan(tuple(version for version in read if _held_it(query, filters, version)), looked, after)


def held(version: MemoryVersion) -> str:
    """Return the text of a version that was read with its blob."""
    if version.blob is None:
        return ""
    return blobs.unpack(version.blob.encoding, version.blob.data).decode("utf-8", errors="replace")


def _held_it(query: Query, filters: Filters, version: MemoryVersion) -> bool:
    return filters.lets_through(version, version.path, version.authored_at) and query.matches(
        MemoryPath(version.path).relative, held(version)
    )


def _reach(
    rows: QuerySet[MemoryVersion], place: str, size: str, most: int
) -> tuple[QuerySet[MemoryVersion], int | None, int]:
    """Return the first of the rows, as many as may be read; the place of the last if more follow; and how many."""
    found = list(rows.values_list(place, size)[: most + 1])
    room, count = BYTES, 0
    for _, bytes_held in found[:most]:
        room -= bytes_held
        if count and room < 0:
            break
        count += 1
    if not count:
        return rows.none(), None, 0
    last = found[count - 1][0]
    return rows.filter(**{f"{place}__gte": last}), last if len(found) > count else None, count
