"""SQLite's FTS5. A document's id is its row's, so a store is a range of them, and the newest come last."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection

from memories.models import Document, State
from memories.search.documents import SEQ_BITS, TRASH, Words, first_number, store_and_state
from memories.search.engines.base import Counts, Hit, conditions_of, ids, rows, summed
from memories.search.filters import Filters
from memories.search.queries import Query, Term

MATCHING: Final = "memories_words MATCH %s"
JOINED: Final = "memories_words CROSS JOIN memories_document d ON d.id = memories_words.rowid"
"""The words first, whatever the planner knows of the tables: it knows nothing of how rare a word is."""

MOST_SELECTS: Final = 400
"""SQLite puts no more than 500 of them together."""

MERGED_PAGES: Final = 500


class Fts5:
    """Documents with their words in a virtual table."""

    def add(self, documents: Sequence[tuple[Document, Words]]) -> None:
        Document.objects.bulk_create([document for document, _ in documents])
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO memories_words (rowid, path, words) VALUES (%s, %s, %s)",
                [(document.id, words.path, words.text) for document, words in documents],
            )

    def counts(
        self, query: Query, stores: Collection[int], filters: Filters, *, leaving_out: Collection[int] = ()
    ) -> Counts:
        if not stores:
            return {}
        match = expression(query)
        less, less_values = self._leaving_out(match, filters, leaving_out)
        if filters:
            asked, values = conditions_of(filters)
            low, high = first_number(min(stores), State.LIVE), first_number(max(stores) + 1, State.LIVE)
            found = rows(
                f"SELECT d.id >> {SEQ_BITS}, count(*) FROM {JOINED} WHERE {MATCHING}"  # noqa: S608  (numbers and our own words)
                f" AND memories_words.rowid BETWEEN {low} AND {high}{asked} GROUP BY 1{less}",
                [match, *values, *less_values],
            )
            return _counts(found, stores)
        ranges = ", ".join(f"({first_number(store, state)})" for store in stores for state in (State.LIVE, State.TRASH))
        found = rows(
            f"WITH place(low) AS (VALUES {ranges}) SELECT low >> {SEQ_BITS}, (SELECT count(*) FROM memories_words"  # noqa: S608  (numbers and our own words)
            f" WHERE {MATCHING} AND rowid BETWEEN low AND low + {TRASH - 1}) FROM place{less}",
            [match, *less_values],
        )
        return _counts(found, stores)

    def _leaving_out(self, match: str, filters: Filters, entries: Collection[int]) -> tuple[str, list[Any]]:
        """Return a statement to put behind another, which takes one off for each of the files that matches."""
        if not entries:
            return "", []
        asked, values = conditions_of(filters)
        sql = (
            f" UNION ALL SELECT d.id >> {SEQ_BITS}, -1 FROM memories_document d CROSS JOIN memories_words"  # noqa: S608  (numbers and our own words)
            f" ON memories_words.rowid = d.id WHERE d.entry_id IN ({ids(entries)}) AND {MATCHING}{asked}"
        )
        return sql, [match, *values]

    def newest(self, query: Query, places: Collection[tuple[int, str]], filters: Filters, most: int) -> list[Hit]:
        asked, values = conditions_of(filters)
        found: list[Hit] = []
        waiting = list(places)
        while waiting:
            some, waiting = waiting[:MOST_SELECTS], waiting[MOST_SELECTS:]
            found += self._newest(query, some, asked, values, most)
        return found

    def _newest(
        self, query: Query, places: Sequence[tuple[int, str]], asked: str, values: list[Any], most: int
    ) -> list[Hit]:
        selects = [
            f"SELECT * FROM (SELECT d.entry_id, d.store_id, d.state, d.path, d.changed_at FROM {JOINED}"  # noqa: S608  (numbers and our own words)
            f" WHERE {MATCHING} AND memories_words.rowid BETWEEN {low} AND {low + TRASH - 1}{asked}"
            f" ORDER BY memories_words.rowid DESC LIMIT {int(most)})"
            for low in (first_number(store, state) for store, state in places)
        ]
        found = rows(" UNION ALL ".join(selects), [expression(query), *values] * len(selects))
        return [Hit(entry, store, state, path, _moment(changed_at)) for entry, store, state, path, changed_at in found]

    def scrub(self, *, goes_on: bool) -> bool:
        # The first step, below zero, has all parts merged into one. The last one finds nothing to do.
        with connection.cursor() as cursor:
            cursor.execute("SELECT total_changes()")
            before = cursor.fetchone()[0]
            step = MERGED_PAGES if goes_on else -MERGED_PAGES
            cursor.execute("INSERT INTO memories_words (memories_words, rank) VALUES ('merge', %s)", [step])
            cursor.execute("SELECT total_changes()")
            return bool(cursor.fetchone()[0] - before >= 2)


def _moment(value: Any) -> datetime:
    """Return a time with its zone; SQLite gives it as a time or as text, by how it was asked for."""
    return datetime.fromisoformat(str(value)).replace(tzinfo=UTC)


def _counts(found: Iterable[tuple[Any, ...]], stores: Collection[int]) -> Counts:
    counted = summed((*store_and_state(group), count) for group, count in found)
    return {place: count for place, count in counted.items() if place[0] in stores}


def expression(query: Query) -> str:
    """Return the query as FTS5 reads it: nothing in it but our words in quotes and operators between them."""
    wanted = " AND ".join(map(_phrase, query.wanted))
    if not query.unwanted:
        return wanted
    return f"({wanted}) NOT ({' OR '.join(map(_phrase, query.unwanted))})"


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"{" *" if term.begins else ""}'
