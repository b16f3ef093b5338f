"""Writes a day as a row of small bars."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import CharField, Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce, Substr
from django.utils import timezone

from memdash.web.formats import counted, thousands
from memories.models import MemoryStore, MemoryVersion

DAYS: Final = 30
STEP, WIDTH, HEIGHT, LEAST = 3.6, 2.4, 24, 1.5

WITHIN: Final = 3_000
"""Writes to a store are counted among so many of its newest changes: a hundred a day."""

DAY: Final = Substr(Cast("authored_at", CharField()), 1, 10)
"""The day of a version as text. Times are stored in UTC, in which days are told here too; for SQLite, Django would call
Python for each row to say the same, which takes five times as long."""


@dataclass(frozen=True, slots=True)
class Spark:
    """Writes a day, oldest first: the outline of the bars as SVG draws a path, and the same in words."""

    path: str
    words: str


def since() -> datetime:
    """Return the moment from which on writes are shown."""
    return timezone.now() - timedelta(days=DAYS)


def sparks(keys: Collection[int], writes: Iterable[tuple[int, str, int]], most: int | None = None) -> dict[int, Spark]:
    """Return the bars of each key, all drawn to one scale, so that rows can be compared.

    ``writes`` are key, :data:`DAY` and how many. Of a key with ``most`` of them no more were counted, which it says.
    """
    first = timezone.localdate() - timedelta(days=DAYS - 1)
    by_key: dict[int, dict[date, int]] = {key: defaultdict(int) for key in keys}
    for key, day, count in writes:
        # The first hours of the 30 days belong to a day before them.
        by_key[key][max(date.fromisoformat(day), first)] += count
    highest = max((count for days in by_key.values() for count in days.values()), default=1)
    days = [first + timedelta(days=number) for number in range(DAYS)]
    return {key: _spark([(day, found.get(day, 0)) for day in days], highest, most) for key, found in by_key.items()}


def store_sparks(stores: Collection[MemoryStore]) -> dict[int, Spark]:
    """Return the writes to each of the stores, by its id; one query."""
    if not stores:
        return {}
    newest = reduce(or_, (Q(store=store.pk, seq__gt=store.seq - WITHIN) for store in stores))
    versions = MemoryVersion.objects.filter(newest, authored_at__gte=since()).order_by()
    writes = versions.annotate(day=DAY).values_list("store_id", "day").annotate(Count("pk"))
    return sparks([store.pk for store in stores], writes, most=WITHIN)


def with_writes(stores: QuerySet[MemoryStore]) -> QuerySet[MemoryStore]:
    """Return the stores, each with the same writes as a number, ``writes``."""
    versions = MemoryVersion.objects.filter(
        store=OuterRef("pk"), seq__gt=OuterRef("seq") - WITHIN, authored_at__gte=since()
    )
    counts = versions.order_by().values("store").annotate(count=Count("pk")).values("count")
    return stores.annotate(writes=Coalesce(Subquery(counts), 0))


def _spark(writes: list[tuple[date, int]], highest: int, most: int | None) -> Spark:
    heights = [max(LEAST, round(HEIGHT * count / highest, 1)) for _, count in writes]
    bars = (f"M{place * STEP:.4g} {HEIGHT}v-{height:g}h{WIDTH}v{height:g}z" for place, height in enumerate(heights))
    total = sum(count for _, count in writes)
    words = f"{counted(total, 'write')} in the last {DAYS} days"
    if most is not None and total >= most:
        words = f"{counted(total, 'write')} or more in the last {DAYS} days; the newest are drawn"
    elif total:
        busiest, count = max(writes, key=lambda write: write[1])
        words += f", most on {busiest.day} {busiest:%b}: {thousands(count)}"
    return Spark("".join(bars), words)
