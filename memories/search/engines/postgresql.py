"""PostgreSQL's tsvector under a GIN index. It holds which words there are; their order is looked up in the words.

The positions of a tsvector end at 16,383 and its size at 1 MB. So it is kept without positions, and documents with more
different words than fit (``is_cut``) are looked through.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from django.db import connection

from memories.models import Document
from memories.search.documents import Words
from memories.search.engines.base import Counts, Hit, conditions_of, rows, summed
from memories.search.filters import Filters
from memories.search.queries import Query, Term

TERMS_BYTES: Final = 900_000
FEW_STORES: Final = 30
"""Up to so many, the index is asked for the stores along with the words."""


class Gin:
    """Documents with their words beside them."""

    def add(self, documents: Sequence[tuple[Document, Words]]) -> None:
        Document.objects.bulk_create([document for document, _ in documents])
        with connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE memories_document SET words = %s, terms = array_to_tsvector(%s::text[]), is_cut = %s"
                " WHERE id = %s",
                [
                    (f"{words.path}\n{words.text}", *_terms(document.store_id, words), document.id)
                    for document, words in documents
                ],
            )

    def counts(
        self, query: Query, stores: Collection[int], filters: Filters, *, leaving_out: Collection[int] = ()
    ) -> Counts:
        asked, values = _asked(query, stores, filters)
        sql = f"SELECT d.store_id, d.state, count(*) FROM memories_document d WHERE {asked} GROUP BY 1, 2"  # noqa: S608  (our own words)
        if leaving_out:
            sql += f" UNION ALL SELECT d.store_id, d.state, -1 FROM memories_document d WHERE {asked}"  # noqa: S608  (our own words)
            sql += " AND d.entry_id = ANY(%s)"
            values = [*values, *values, list(leaving_out)]
        return summed((store, state, count) for store, state, count in rows(sql, values))

    def newest(self, query: Query, places: Collection[tuple[int, str]], filters: Filters, most: int) -> list[Hit]:
        if not places:
            return []
        asked, values = _asked(query, {store for store, _ in places}, filters)
        return [
            Hit(*row)
            for row in rows(
                "SELECT d.entry_id, d.store_id, d.state, d.path, d.changed_at FROM memories_document d"  # noqa: S608  (our own words)
                f" WHERE {asked} AND d.state = ANY(%s) ORDER BY d.changed_at DESC, d.id DESC LIMIT {int(most)}",
                [*values, list({state for _, state in places})],
            )
        ]

    def scrub(self, *, goes_on: bool) -> bool:  # noqa: ARG002  (there are no steps here)
        """Nothing is left behind that a vacuum, which the server does by itself, would not take away."""
        return False


def _terms(store_id: int, words: Words) -> tuple[list[str], bool]:
    """Return the different words that fit, and whether some did not; the store is one that no text can hold."""
    every = sorted({*words.path.split(), *words.text.split()})
    room = TERMS_BYTES
    for place, word in enumerate(every):
        room -= len(word.encode())
        if room < 0:
            return [_store(store_id), *every[:place]], True
    return [_store(store_id), *every], False


def _store(store_id: int) -> str:
    return f"/{store_id}"


def _asked(query: Query, stores: Collection[int], filters: Filters) -> tuple[str, list[Any]]:
    match, values = _matching(query, stores if len(stores) <= FEW_STORES else ())
    also, more = conditions_of(filters)
    return f"d.store_id = ANY(%s) AND {match}{also}", [list(stores), *values, *more]


def _matching(query: Query, stores: Collection[int]) -> tuple[str, list[Any]]:
    """Return the condition that a document matches: by its words and, where that is not enough, by their order."""
    places, values = _in_order(query, whole=False)
    every, all_values = _in_order(query, whole=True)
    sql = f"((NOT d.is_cut AND d.terms @@ %s::tsquery{places}) OR (d.is_cut{every}))"
    return sql, [_tsquery(query, stores), *values, *all_values]


def _tsquery(query: Query, stores: Collection[int]) -> str:
    parts = [f"({' | '.join(_lexeme(_store(store)) for store in stores)})"] if stores else []
    for term in query.wanted:
        *whole, last = term.words
        parts += [*map(_lexeme, whole), _lexeme(last, begins=term.begins)]
    parts += [f"!{_lexeme(term.words[0], begins=term.begins)}" for term in query.unwanted if len(term.words) == 1]
    return " & ".join(parts)


def _lexeme(word: str, *, begins: bool = False) -> str:
    return f"'{word}'{':*' if begins else ''}"


def _in_order(query: Query, *, whole: bool) -> tuple[str, list[Any]]:
    """Return the condition that the words hold terms of several words, or all terms, and not what is unwanted."""

    def told(terms: Sequence[Term]) -> list[str]:
        # No word of ours holds a sign of a LIKE pattern.
        return [f"%{term.needle}%" for term in terms if whole or len(term.words) > 1]

    wanted, unwanted = told(query.wanted), told(query.unwanted)
    sql = " AND d.words LIKE %s" * len(wanted) + " AND d.words NOT LIKE %s" * len(unwanted)
    return sql, [*wanted, *unwanted]
