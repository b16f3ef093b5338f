"""The hand-written SQL of the six commands, the same on SQLite and PostgreSQL.

With the ORM every small command is two to four times slower. Each method is one statement and knows no rule.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, cast
from uuid import uuid4

from memories.actors import Actor
from memories.commands import Entry, Row
from memories.paths import DEPTH, ROOT
from memories.store.driver import Driver, Moment, as_uuid
from memories.store.records import Read, Receipt, Written

# An expression in place of a time's column spares SQLite's driver the making of a time from each row's.
_TOTALS = (
    "s.seq, s.file_count, s.byte_count, s.max_file_bytes, s.max_files, s.max_bytes, s.create_overwrites,"
    " COALESCE(s.recorded_at, NULL)"
)
_SEEN = "e.id, e.path, e.kind, e.media, e.size, e.lines, e.version"
_UNSEEN = "e.uuid, e.file_count, e.pinned, e.locked, e.blob_id, b.sha256"


class Sql(Driver):
    """The statements."""

    # What is there

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
            _covered(len(paths), content), [value for path in paths for value in (store_id, _depth(path), path)]
        )

    def totals(self, store_id: int) -> list[tuple[Any, ...]]:
        """Return the totals of the store in a row, or no row when it is not there."""
        return self.all(f"SELECT {_TOTALS} FROM memories_memorystore s WHERE s.id = %s", (store_id,))

    def found(self, store_id: int, path: str) -> list[tuple[Any, ...]]:
        """Return the live file at ``path`` in a row, after the store's seq and the encoding and data of its blob."""
        return self.all(
            f"SELECT s.seq, b.encoding, b.data, {_SEEN} FROM memories_memoryentry e"
            " JOIN memories_memorystore s ON s.id = e.store_id LEFT JOIN memories_blob b ON b.id = e.blob_id"
            " WHERE e.store_id = %s AND e.depth = %s AND e.path = %s AND e.state = 'live' AND e.kind = 'file'",
            (store_id, _depth(path), path),
        )

    def listing(self, store_id: int, path: str) -> list[Row]:
        """Return a directory and its live entries up to two levels below, or nothing where there is no directory.

        In one statement, so that all is of one moment. In no order: asked for one, SQLite is slow.
        """
        depth, below = _depth(path), _subtree(path)
        levels = (store_id, depth + 1, *below, store_id, depth + 2, *below)
        own = (_ROOT, (store_id,)) if path == ROOT else (_TREE, (store_id, depth, path))
        return cast("list[Row]", self.all(own[0], (*own[1], *levels)))

    def below(self, store_id: int, path: str) -> list[Entry]:
        """Return every live file and directory below a directory, in path order."""
        rows = self.all(_BELOW[_depth(path)], (store_id, *_subtree(path)))
        return [Entry._make(row) for row in rows]

    # Files and directories

    def blob_id(self, store_id: int, sha256: str) -> int | None:
        """Return the id of the store's blob of that hash."""
        rows = self.all("SELECT id FROM memories_blob WHERE store_id = %s AND sha256 = %s", (store_id, sha256))
        return rows[0][0] if rows else None

    def add_blob(self, store_id: int, sha256: str, encoding: str, size: int, data: bytes) -> int:
        """Add a blob, which the store does not have yet, and return its id."""
        return self.added(
            "INSERT INTO memories_blob (store_id, sha256, encoding, size, data) VALUES (%s, %s, %s, %s, %s)",
            (store_id, sha256, encoding, size, data),
        )

    def add_file(self, store_id: int, file: Written, moment: Moment) -> int:
        """Add a live file at its first version; the newest deleted file of the same path is its predecessor."""
        return self.added(
            "INSERT INTO memories_memoryentry (uuid, store_id, path, depth, kind, state, media, blob_id, size, lines,"
            " file_count, version, changed_seq, created_at, updated_at, pinned, locked, predecessor)"
            " VALUES (%s, %s, %s, %s, 'file', 'live', %s, %s, %s, %s, 0, 1, %s, %s, %s, %s, %s,"
            " (SELECT uuid FROM memories_memoryentry WHERE store_id = %s AND path = %s AND state = 'trash'"
            " ORDER BY changed_seq DESC LIMIT 1))",
            (
                file.file, store_id, file.path, _depth(file.path), file.media, file.blob_id, file.size, file.lines,
                file.seq, moment, moment, False, False, store_id, file.path,
            ),
        )  # fmt: skip

    def change_files(self, versions: Iterable[Written], moment: Moment) -> None:
        """Give live files the content of their newest versions."""
        self.run_many(
            "UPDATE memories_memoryentry SET media = %s, blob_id = %s, size = %s, lines = %s, version = %s,"
            " changed_seq = %s, updated_at = %s WHERE id = %s",
            [
                (new.media, new.blob_id, new.size, new.lines, new.number, new.seq, moment, new.entry_id)
                for new in versions
            ],
        )

    def move_files(self, versions: Iterable[Written], moment: Moment) -> None:
        """Give live files the paths of their newest versions."""
        self.run_many(
            "UPDATE memories_memoryentry SET path = %s, depth = %s, version = %s, changed_seq = %s, updated_at = %s"
            " WHERE id = %s",
            [(new.path, _depth(new.path), new.number, new.seq, moment, new.entry_id) for new in versions],
        )

    def trash_files(self, versions: Iterable[Written], moment: Moment) -> None:
        """Put files into the trash; what they held stays with them, for whoever restores them."""
        self.run_many(
            "UPDATE memories_memoryentry SET state = 'trash', version = %s, changed_seq = %s, updated_at = %s"
            " WHERE id = %s",
            [(last.number, last.seq, moment, last.entry_id) for last in versions],
        )

    def mark_file(self, entry_id: int, name: str, value: bool) -> None:
        """Set or take away a person's mark, ``pinned`` or ``locked``."""
        column = {"pinned": "pinned", "locked": "locked"}[name]
        self.run(f"UPDATE memories_memoryentry SET {column} = %s WHERE id = %s", (value, entry_id))

    def add_directories(self, store_id: int, rows: Iterable[tuple[str, int, int]], moment: Moment) -> None:
        """Add directories, each with the bytes and the number of files below it."""
        self.run_many(
            "INSERT INTO memories_memoryentry (uuid, store_id, path, depth, kind, state, media, size, file_count,"
            " created_at, updated_at, pinned, locked, lines, version, changed_seq)"
            " VALUES (%s, %s, %s, %s, 'directory', 'live', '', %s, %s, %s, %s, %s, %s, 0, 0, 0)",
            [
                (uuid4(), store_id, path, _depth(path), size, files, moment, moment, False, False)
                for path, size, files in rows
            ],
        )

    def count_directories(self, rows: Iterable[tuple[int, int, int]], moment: Moment) -> None:
        """Add to directories, by id, the bytes and files that came to lie below them."""
        self.run_many(
            "UPDATE memories_memoryentry SET size = size + %s, file_count = file_count + %s, updated_at = %s"
            " WHERE id = %s",
            [(size, files, moment, entry_id) for entry_id, size, files in rows],
        )

    def remove_directories(self, ids: Iterable[int]) -> None:
        self.run_many("DELETE FROM memories_memoryentry WHERE id = %s", [(entry_id,) for entry_id in ids])

    def count_store(
        self, store_id: int, *, seq: int, size: int, files: int, recorded_at: Moment, authored_at: Moment
    ) -> None:
        """Set the store's seq, and add the bytes and files that came or went."""
        self.run(
            "UPDATE memories_memorystore SET seq = %s, byte_count = byte_count + %s, file_count = file_count + %s,"
            " recorded_at = %s, last_activity_at = CASE WHEN last_activity_at > %s THEN last_activity_at ELSE %s END"
            " WHERE id = %s",
            (seq, size, files, recorded_at, authored_at, authored_at, store_id),
        )

    # The record

    def change_set_id(self, store_id: int, key: str) -> int | None:
        rows = self.all("SELECT id FROM memories_changeset WHERE store_id = %s AND key = %s", (store_id, key))
        return rows[0][0] if rows else None

    def add_change_set(self, store_id: int, actor: Actor, recorded_at: Moment) -> int:
        return self.added(
            _ADD_CHANGE_SET,
            (uuid4(), store_id, actor.change_set or None, actor.reason[:1024], recorded_at, *_author(actor)),
        )

    def add_versions(
        self,
        store_id: int,
        change_set_id: int,
        versions: Iterable[Written],
        *,
        actor: Actor,
        authored_at: Moment,
        recorded_at: Moment,
    ) -> None:
        shared = (
            store_id, change_set_id, actor.turn, actor.tool_use_id[:255], authored_at, recorded_at, *_author(actor),
        )  # fmt: skip
        self.run_many(
            _ADD_VERSION,
            [
                (
                    new.entry_id, new.number, new.seq, new.operation, new.path, new.moved_from, new.blob_id,
                    new.sha256, new.size, new.lines, _spans(new), new.summary, *shared,
                )
                for new in versions
            ],
        )  # fmt: skip

    def versions_between(self, store_id: int, first_seq: int, last_seq: int) -> tuple[Written, ...]:
        """Return the versions of a range of the store's seq."""
        rows = self.all(
            "SELECT e.uuid, v.entry_id, v.number, v.seq, v.operation, v.path, v.moved_from, v.sha256, v.size"
            " FROM memories_memoryversion v JOIN memories_memoryentry e ON e.id = v.entry_id"
            " WHERE v.store_id = %s AND v.seq BETWEEN %s AND %s ORDER BY v.seq",
            (store_id, first_seq, last_seq),
        )
        return tuple(Written(as_uuid(uuid), *rest) for uuid, *rest in rows)

    def receipt(self, store_id: int, key: str) -> Receipt | None:
        """Return what was answered under ``key``, or None."""
        rows = self.all(
            "SELECT input_sha256, content, is_error, first_seq, last_seq FROM memories_receipt"
            " WHERE store_id = %s AND key = %s",
            (store_id, key),
        )
        for fingerprint, answer, *rest in rows:
            return Receipt(fingerprint, json.loads(answer), *rest)
        return None

    def add_receipt(self, store_id: int, key: str, receipt: Receipt, recorded_at: Moment) -> None:
        self.run(
            "INSERT INTO memories_receipt (input_sha256, content, is_error, first_seq, last_seq, store_id, key,"
            " recorded_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            (*receipt._replace(answer=json.dumps(receipt.answer)), store_id, key, recorded_at),
        )

    # Reads

    def add_reads(self, reads: Iterable[Read]) -> None:
        self.run_many(
            "INSERT INTO memories_readevent (store_id, entry_id, path, version, seq, first_line, last_line, actor_kind,"
            " actor_label, agent_id, run_id, token_id, turn, tool_use_id, read_at)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                (
                    read.store_id, read.entry_id, read.path, read.version, read.seq, read.first_line, read.last_line,
                    read.actor.kind.value, read.actor.label[:255], read.actor.agent_id, read.actor.run_id,
                    read.actor.token_id, read.actor.turn, read.actor.tool_use_id[:255], self.moment(read.read_at),
                )
                for read in reads
            ],
        )  # fmt: skip

    def stamp_access(self, rows: Iterable[tuple[int, Moment, Moment]]) -> None:
        """Set when files were last viewed: (id, moment, the moment before which an older stamp is worth replacing)."""
        self.run_many(
            "UPDATE memories_memoryentry SET accessed_at = %s"
            " WHERE id = %s AND (accessed_at IS NULL OR accessed_at < %s)",
            [(moment, entry_id, older) for entry_id, moment, older in rows],
        )


_AUTHOR = "actor_kind, actor_label, user_id, agent_id, run_id, token_id"

_ADD_CHANGE_SET = (
    f"INSERT INTO memories_changeset (uuid, store_id, key, reason, recorded_at, {_AUTHOR})"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)

_ADD_VERSION = (
    "INSERT INTO memories_memoryversion (entry_id, number, seq, operation, path, moved_from, blob_id,"
    " sha256, size, lines, spans, summary, note, review_state, redacted_by, store_id, change_set_id,"
    f" turn, tool_use_id, authored_at, recorded_at, {_AUTHOR})"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, '', 'unreviewed', '',"
    " %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)

_LEVEL = (
    " UNION ALL SELECT CASE kind WHEN 'directory' THEN path || '/' ELSE path END, size, NULL FROM memories_memoryentry"
    " WHERE store_id = %s AND depth = %s AND path > %s AND path < %s AND state = 'live'"
)

_ROOT = f"SELECT '{ROOT}/', byte_count, seq FROM memories_memorystore WHERE id = %s{_LEVEL}{_LEVEL}"

_TREE = (
    "SELECT e.path || '/', e.size, s.seq FROM memories_memoryentry e JOIN memories_memorystore s ON s.id = e.store_id"
    " WHERE e.store_id = %s AND e.depth = %s AND e.path = %s AND e.state = 'live' AND e.kind = 'directory'"
    f"{_LEVEL}{_LEVEL}"
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


def _subtree(path: str) -> tuple[str, str]:
    """Return the bounds of what lies below ``path``: "0" follows "/". LIKE would ignore case on SQLite."""
    return path + "/", path + "0"


def _depth(path: str) -> int:
    return path.count("/") - 1


def _author(actor: Actor) -> tuple[Any, ...]:
    return actor.kind.value, actor.label[:255], actor.user_id, actor.agent_id, actor.run_id, actor.token_id


def _spans(version: Written) -> str:
    # Lists of numbers are spelled alike in Python and in JSON.
    return str([[hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count] for hunk in version.hunks])
