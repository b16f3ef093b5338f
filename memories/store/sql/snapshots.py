"""Statements that ask what is there."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from memories.commands import Entry, Listing
from memories.paths import DEPTH, ROOT, depth_of
from memories.store.driver import Driver

# An expression in place of a time's column spares SQLite's driver the making of a time from each row's.
_TOTALS = (
    "s.seq, s.file_count, s.byte_count, s.max_file_bytes, s.max_files, s.max_bytes, s.create_overwrites,"
    " COALESCE(s.recorded_at, NULL), s.paused_at IS NOT NULL, s.archived_at IS NOT NULL"
)
_SEEN = "e.id, e.path, e.kind, e.media, e.size, e.lines, e.version"
_UNSEEN = "e.uuid, e.file_count, e.pinned, e.locked, e.blob_id, b.sha256"


class SnapshotStatements(Driver):
    """What a command covers or looks at."""

    def lock_store(self, store_id: int, patience: float) -> None:
        """Hold the store's row to the end of the transaction; wait ``patience`` seconds for it at most.

        On SQLite the transaction itself holds everything.
        """
        if not self.sqlite:
            # The row is locked last, when the limit is set already.
            self.run(
                "SELECT s.id FROM memories_memorystore s, set_config('lock_timeout', %s, true)"
                " WHERE s.id = %s FOR NO KEY UPDATE OF s",
                (f"{patience:.3f}s", store_id),
            )

    def covered(self, store_id: int, paths: Sequence[str], *, content: bool) -> list[tuple[Any, ...]]:
        """Return the store's totals before each live entry at ``paths`` and, after it, the encoding of its blob.

        The blob's data stands in the entry, unless it is not wanted. A look has a narrower statement of its own: each
        column costs as much as finding the row.
        """
        return self.all(
            _covered(len(paths), content), [value for path in paths for value in (store_id, depth_of(path), path)]
        )

    def totals(self, store_id: int) -> list[tuple[Any, ...]]:
        """Return the totals of the store in a row, or no row when it is not there."""
        return self.all(f"SELECT {_TOTALS} FROM memories_memorystore s WHERE s.id = %s", (store_id,))

    def found(self, store_id: int, path: str) -> list[tuple[Any, ...]]:
        """Return the live entry at ``path`` in a row, after the store's seq and the encoding and data of its blob."""
        return self.all(
            f"SELECT s.seq, b.encoding, b.data, {_SEEN} FROM memories_memoryentry e"
            " JOIN memories_memorystore s ON s.id = e.store_id LEFT JOIN memories_blob b ON b.id = e.blob_id"
            " WHERE e.store_id = %s AND e.depth = %s AND e.path = %s AND e.state = 'live'",
            (store_id, depth_of(path), path),
        )

    def trashed(self, store_id: int, entry_id: int) -> Entry | None:
        """Return a file of the store that is in the trash, by its id."""
        rows = self.all(
            f"SELECT {_SEEN}, NULL, {_UNSEEN} FROM memories_memoryentry e LEFT JOIN memories_blob b ON b.id = e.blob_id"
            " WHERE e.id = %s AND e.store_id = %s AND e.state = 'trash'",
            (entry_id, store_id),
        )
        return Entry._make(rows[0]) if rows else None

    def all_trashed(self, store_id: int, entry_ids: Sequence[int]) -> list[Entry]:
        """Return those of the store's files that are in the trash, by their ids, in path order."""
        rows = self.all(
            f"SELECT {_SEEN}, NULL, {_UNSEEN} FROM memories_memoryentry e LEFT JOIN memories_blob b ON b.id = e.blob_id"
            f" WHERE e.id IN ({', '.join(['%s'] * len(entry_ids))}) AND e.store_id = %s AND e.state = 'trash'"
            " ORDER BY e.path, e.id",
            (*entry_ids, store_id),
        )
        return [Entry._make(row) for row in rows]

    def files(self, store_id: int, ids: Sequence[int]) -> list[Entry]:
        """Return live files of the store by their ids."""
        rows = self.all(f"{_ENTRIES} AND e.kind = 'file' AND e.id IN ({_marks(len(ids))})", (store_id, *ids))
        return [Entry._make(row) for row in rows]

    def living(self, store_id: int, paths: Sequence[str]) -> list[Entry]:
        """Return what lives at many paths; by depth too, as the index has them."""
        depths = sorted({depth_of(path) for path in paths})
        rows = self.all(
            f"{_ENTRIES} AND e.depth IN ({_marks(len(depths))}) AND e.path IN ({_marks(len(paths))})",
            (store_id, *depths, *paths),
        )
        return [Entry._make(row) for row in rows]

    def listing(self, store_id: int, path: str) -> tuple[int, Listing] | None:
        """Return the store's seq, and a directory with its live entries up to two levels below; None where there is no
        directory.

        In one statement, so that all is of one moment. In no order: asked for one, SQLite is slow.
        """
        depth, below = depth_of(path), _subtree(path)
        levels = (store_id, depth + 1, *below, store_id, depth + 2, *below)
        own, at = (_ROOT, (store_id,)) if path == ROOT else (_TREE, (store_id, depth, path))
        level = _LEVEL.format("group_concat" if self.sqlite else "string_agg")
        rows = [row for row in self.all(own + level + level, (*at, *levels)) if row[0]]
        seq = next((seq for *_, seq in rows if seq is not None), None)
        if seq is None:
            return None
        return seq, Listing("\n".join([names for names, *_ in rows]), " ".join([sizes for _, sizes, _ in rows]))

    def below(self, store_id: int, path: str) -> list[Entry]:
        """Return every live file and directory below a directory, in path order."""
        rows = self.all(_BELOW[depth_of(path)], (store_id, *_subtree(path)))
        return [Entry._make(row) for row in rows]


# Strung together by the database: a row for each of many names is what takes long.
_LEVEL = (
    " UNION ALL SELECT {0}(CASE kind WHEN 'directory' THEN path || '/' ELSE path END, '\n'),"
    " {0}(CAST(size AS text), ' '), NULL FROM memories_memoryentry"
    " WHERE store_id = %s AND depth = %s AND path > %s AND path < %s AND state = 'live'"
)

_ROOT = f"SELECT '{ROOT}/', CAST(byte_count AS text), seq FROM memories_memorystore WHERE id = %s"

_TREE = (
    "SELECT e.path || '/', CAST(e.size AS text), s.seq"
    " FROM memories_memoryentry e JOIN memories_memorystore s ON s.id = e.store_id"
    " WHERE e.store_id = %s AND e.depth = %s AND e.path = %s AND e.state = 'live' AND e.kind = 'directory'"
)

_ENTRIES = (
    f"SELECT {_SEEN}, NULL, {_UNSEEN} FROM memories_memoryentry e LEFT JOIN memories_blob b ON b.id = e.blob_id"
    " WHERE e.store_id = %s AND e.state = 'live'"
)

# By depth: a range of paths is found by the index one level at a time.
_BELOW = [
    f"SELECT {_SEEN}, NULL, {_UNSEEN} FROM memories_memoryentry e LEFT JOIN memories_blob b ON b.id = e.blob_id"
    f" WHERE e.store_id = %s AND e.depth IN ({', '.join(map(str, range(above + 1, DEPTH + 1)))}) AND e.state = 'live'"
    " AND e.path > %s AND e.path < %s ORDER BY e.path"
    for above in range(DEPTH)
]


@cache
def _covered(paths: int, content: bool) -> str:
    one = (
        f"SELECT {_TOTALS}, {_SEEN}, {'b.data' if content else 'NULL'}, {_UNSEEN}, b.encoding"
        " FROM memories_memoryentry e JOIN memories_memorystore s ON s.id = e.store_id"
        " LEFT JOIN memories_blob b ON b.id = e.blob_id"
        " WHERE e.store_id = %s AND e.depth = %s AND e.path = %s AND e.state = 'live'"
    )
    return " UNION ALL ".join([one] * paths)


def _marks(count: int) -> str:
    return ", ".join(["%s"] * count)


def _subtree(path: str) -> tuple[str, str]:
    """Return the bounds of what lies below ``path``: "0" follows "/". LIKE would ignore case on SQLite."""
    return path + "/", path + "0"
