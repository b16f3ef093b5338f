"""What an engine can do. Its statements are put together from words of ours; what people typed is a parameter."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db import connection

from memories.models import Document
from memories.search.documents import Words
from memories.search.filters import Condition, Filters
from memories.search.queries import Query

Counts = Mapping[tuple[int, str], int]
"""How many files of a store and a state match."""


class Hit(NamedTuple):
    """A document that matches."""

    entry_id: int
    store_id: int
    state: str
    path: str
    changed_at: datetime


class Engine(Protocol):
    """Words of documents, and which documents hold some."""

    def add(self, documents: Sequence[tuple[Document, Words]]) -> None:
        """Add documents, none of which is there."""

    def counts(
        self, query: Query, stores: Collection[int], filters: Filters, *, leaving_out: Collection[int] = ()
    ) -> Counts:
        """Count what matches in the stores, but for some files, in one statement; places without a match are absent."""

    def newest(self, query: Query, places: Collection[tuple[int, str]], filters: Filters, most: int) -> list[Hit]:
        """Return of each place, a store and a state, the ``most`` matches that were changed last, in any order."""

    def scrub(self, *, goes_on: bool) -> bool:
        """Take a step towards leaving nothing of words that no document holds any more; return whether more follow."""


def conditions_of(filters: Filters) -> tuple[str, list[Any]]:
    """Return what the filters ask of ``d``, each condition with an AND before it."""
    found: list[Condition] = filters.conditions()
    return "".join(f" AND {sql}" for sql, _ in found), [value for _, values in found for value in values]


def summed(found: Iterable[tuple[int, str, int]]) -> Counts:
    """Return counts of which several may be of one place, some of them negative."""
    sums: Counter[tuple[int, str]] = Counter()
    for store, state, count in found:
        sums[store, state] += count
    return {place: count for place, count in sums.items() if count}


def rows(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def ids(numbers: Collection[int]) -> str:
    """Return numbers as SQL writes a list of them."""
    return ", ".join(str(int(number)) for number in numbers)
