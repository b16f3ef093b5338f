"""Directories as they were at a moment: what lay in each, with the sums of what lay below, and what is other now.

The database adds up; what comes from it is what a page shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from memories.models import MemoryStore
from memories.paths import MemoryPath

DIFFERS: Final = "e.state = 'live' AND (e.blob_id <> v.blob_id OR v.blob_id IS NULL)"
MOVED: Final = "e.state = 'live' AND e.blob_id = v.blob_id AND e.path <> v.path"
GONE: Final = "e.state <> 'live'"
"""What has become of a file ``v`` of then, of which ``e`` is what it is now."""


class Child(NamedTuple):
    """A file or a directory of a level; of a directory, the sums of all files below it.

    ``number`` is that of the file's version. ``differs``, ``moved`` and ``gone`` count files whose text is another one
    now, that are elsewhere with the same text, and that are there no more.
    """

    name: str
    is_folder: bool
    files: int
    size: int
    number: int
    differs: int
    moved: int
    gone: int


@dataclass(frozen=True, slots=True)
class LevelAt:
    """Children of a directory, directories first, by name; ``more`` says whether others follow the last one."""

    children: tuple[Child, ...]
    more: bool


class Cursor(NamedTuple):
    """A place in a level: what follows it comes next."""

    is_folder: bool
    name: str


class Then(NamedTuple):
    """A store as it was, in figures: ``differs`` to ``gone`` are files of then, ``came`` those that are there now only.

    A file that is elsewhere now counts as moved, or as differing where its text is another one as well.
    """

    files: int
    size: int
    differs: int
    moved: int
    gone: int
    came: int

    @property
    def is_now(self) -> bool:
        """Say whether every file is as it was."""
        return not (self.differs or self.moved or self.gone or self.came)


class Changed(NamedTuple):
    """A file of then that is other now; no ``blob_now``: it is not there."""

    entry_id: int
    uuid: UUID
    path: str
    blob_id: int
    size: int
    blob_now: int | None
    size_now: int


def levels_at(
    store: MemoryStore,
    seq: int,
    chain: Sequence[MemoryPath],
    limit: int,
    *,
    after: Cursor | None = None,
    last: str = "",
) -> list[LevelAt]:
    """Return the first ``limit`` children of each directory of a chain, in which each one holds the next; one query.

    Wherever its name stands, the next one is among the children of each, and the file ``last`` among those of the last.
    With ``after`` come the children behind that place; the chain has one directory then. One that was not there has
    none.
    """
    sql, params = _statement(store, seq, chain, limit=limit, after=after, last=last)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    found: list[list[Child]] = [[] for _ in chain]
    total = [0] * len(chain)
    for level, name, is_folder, *sums, count in rows:
        found[level].append(Child(name, bool(is_folder), *map(int, sums)))
        total[level] = count
    return [LevelAt(tuple(children), len(children) < count) for children, count in zip(found, total, strict=True)]


def then(store: MemoryStore, seq: int) -> Then:
    """Return the store's figures at a moment; one query beside those of the store, which has them as of now."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_NEWEST} SELECT COUNT(*), COALESCE(SUM(v.size), 0), {_COUNTED} {_FILES}", [store.pk, seq, store.pk]
        )
        files, size, differs, moved, gone = map(int, cursor.fetchone())
    return Then(files, size, differs, moved, gone, store.file_count - (files - gone))


def changed_since(store: MemoryStore, seq: int, limit: int, selected: int | None = None) -> list[Changed]:
    """Return the first files of a moment, by their paths of then, that are other now, the one ``selected`` among them.

    One query. A file that was purged, or whose text of then was blanked, cannot come back and is left out.
    """
    there = "v.blob_id IS NOT NULL AND e.state <> 'purged'"
    sql = f"{_NEWEST} {_CHANGED} {_FILES} WHERE {there} AND ({DIFFERS} OR {MOVED} OR {GONE})"
    order = " ORDER BY CASE WHEN v.entry_id = %s THEN 0 ELSE 1 END, v.path LIMIT %s"
    with connection.cursor() as cursor:
        cursor.execute(sql + order, [store.pk, seq, store.pk, selected or 0, limit])
        rows = cursor.fetchall()
    found = [Changed(row[0], UUID(str(row[1])), *row[2:]) for row in rows]
    return sorted(found, key=lambda file: file.path)


_CHANGED: Final = (
    "SELECT v.entry_id, e.uuid, v.path, v.blob_id, v.size, CASE e.state WHEN 'live' THEN e.blob_id END, e.size"
)

_NEWEST: Final = (
    "WITH newest AS (SELECT MAX(seq) AS seq FROM memories_memoryversion WHERE store_id = %s AND seq <= %s"
    " GROUP BY entry_id)"
)

_FILES: Final = (
    "FROM newest n JOIN memories_memoryversion v ON v.store_id = %s AND v.seq = n.seq"
    " AND v.operation NOT IN ('deleted', 'purged')"
    " JOIN memories_memoryentry e ON e.id = v.entry_id"
)

_COUNTED: Final = ", ".join(
    f"COALESCE(SUM(CASE WHEN {holds} THEN 1 ELSE 0 END), 0)" for holds in (DIFFERS, MOVED, GONE)
)


def _statement(
    store: MemoryStore, seq: int, chain: Sequence[MemoryPath], *, limit: int, after: Cursor | None, last: str
) -> tuple[str, list[int | str]]:
    slash = "INSTR(rest, '/')" if connection.vendor == "sqlite" else "STRPOS(rest, '/')"
    params: list[int | str] = [store.pk, seq]
    for level, folder in enumerate(chain):
        params += [level, len(folder.text) + 2, f"{folder}/", f"{folder}0"]
    params += [store.pk, f"{chain[0]}/", f"{chain[0]}0"]
    behind = ""
    if after:
        behind = " WHERE is_folder < %s OR is_folder = %s AND name > %s"
        params += [int(after.is_folder), int(after.is_folder), after.name]
    wanted = [(level, child.name, 1) for level, child in enumerate(chain[1:])]
    if last:
        wanted.append((len(chain) - 1, last, 0))
    params.append(limit)
    for each in wanted:
        params += each
    levels = ", ".join(["(CAST(%s AS integer), CAST(%s AS integer), CAST(%s AS text), CAST(%s AS text))"] * len(chain))
    sql = _LEVELS.format(levels=levels, slash=slash, behind=behind)
    return sql + " OR level = %s AND name = %s AND is_folder = %s" * len(wanted) + " ORDER BY level, place", params


# Without MATERIALIZED, SQLite goes through all versions once for each directory of the chain.
_LEVELS: Final = f"""{_NEWEST}, chain (level, start, low, high) AS (VALUES {{levels}}),
there AS MATERIALIZED (SELECT v.path, v.size, v.number, CASE WHEN {DIFFERS} THEN 1 ELSE 0 END AS differs,
 CASE WHEN {MOVED} THEN 1 ELSE 0 END AS moved, CASE WHEN {GONE} THEN 1 ELSE 0 END AS gone
 {_FILES} AND v.path > %s AND v.path < %s),
within AS (SELECT c.level, SUBSTR(t.path, c.start) AS rest, size, number, differs, moved, gone
 FROM there t JOIN chain c ON t.path > c.low AND t.path < c.high),
named AS (SELECT level, CASE {{slash}} WHEN 0 THEN rest ELSE SUBSTR(rest, 1, {{slash}} - 1) END AS name,
 CASE {{slash}} WHEN 0 THEN 0 ELSE 1 END AS is_folder, size, number, differs, moved, gone FROM within),
summed AS (SELECT level, name, is_folder, COUNT(*) AS files, SUM(size) AS size, MAX(number) AS number,
 SUM(differs) AS differs, SUM(moved) AS moved, SUM(gone) AS gone FROM named GROUP BY level, is_folder, name),
placed AS (SELECT summed.*, ROW_NUMBER() OVER (PARTITION BY level ORDER BY is_folder DESC, name) AS place,
 COUNT(*) OVER (PARTITION BY level) AS total FROM summed{{behind}})
SELECT level, name, is_folder, files, size, number, differs, moved, gone, total FROM placed WHERE place <= %s"""  # noqa: S608  (no value stands in it)
