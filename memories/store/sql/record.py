"""Statements of the record: change sets, versions, receipts, reads. Its rows are added and never changed."""

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from memories.actors import Actor
from memories.store.driver import Driver, Moment, batches
from memories.store.records import Marked, Read, Receipt, Written


class RecordStatements(Driver):
    """Who changed what, and who read what."""

    def change_set(self, store_id: int, key: str) -> tuple[int, int | None] | None:
        """Return the id of the store's change set of that key, and the seq of its first version, if it has one."""
        rows = self.all(
            "SELECT id, first_seq FROM memories_changeset WHERE store_id = %s AND key = %s", (store_id, key)
        )
        return rows[0] if rows else None

    def begin_change_set(self, change_set_id: int, first_seq: int) -> None:
        """Note the first version of a change set that began with marks."""
        self.run("UPDATE memories_changeset SET first_seq = %s WHERE id = %s", (first_seq, change_set_id))

    def add_change_set(
        self,
        store_id: int,
        uuid: UUID,
        *,
        first_seq: int | None,
        marks: Sequence[Marked],
        actor: Actor,
        authored_at: Moment | None,
        recorded_at: Moment,
    ) -> int:
        return self.added(
            _ADD_CHANGE_SET,
            (
                uuid, store_id, actor.change_set or None, actor.reason[:1024], json.dumps(marks), first_seq,
                actor.undoes, authored_at, recorded_at, *_author(actor),
            ),
        )  # fmt: skip

    def add_marks(self, change_set_id: int, marks: Sequence[Marked]) -> None:
        """Add marks to those that a change set has set already."""
        known = self.all("SELECT marks FROM memories_changeset WHERE id = %s", (change_set_id,))[0][0]
        known = json.loads(known) if isinstance(known, str) else known
        self.run(
            "UPDATE memories_changeset SET marks = %s WHERE id = %s", (json.dumps([*known, *marks]), change_set_id)
        )

    def add_versions(
        self,
        store_id: int,
        change_set_id: int,
        versions: Sequence[Written],
        *,
        actor: Actor,
        authored_at: Moment,
        recorded_at: Moment,
    ) -> None:
        """Add versions; those that deleted a file are read off its row, which lies in the trash by now."""
        shared = (
            store_id, change_set_id, actor.turn, actor.tool_use_id[:255], authored_at, recorded_at, *_author(actor),
        )  # fmt: skip
        self.run_many(
            _ADD_VERSION,
            [
                (
                    new.entry_id, new.number, new.seq, new.operation, new.path, new.moved_from, new.blob_id,
                    new.sha256, new.size, new.lines, _spans(new), new.summary, new.origin, *shared,
                )
                for new in versions
                if new.operation != "deleted"
            ],
        )  # fmt: skip
        for some in batches([new.entry_id for new in versions if new.operation == "deleted"]):
            self.run(
                f"{_ADD_DELETED.format(spans=self.as_json(_GONE))} WHERE id IN ({', '.join(['%s'] * len(some))})"
                " ORDER BY changed_seq",
                (*shared, *some),
            )

    def versions_between(self, store_id: int, first_seq: int, last_seq: int) -> tuple[Written, ...]:
        """Return the versions of a range of the store's seq."""
        rows = self.all(
            "SELECT e.uuid, v.entry_id, v.number, v.seq, v.operation, v.path, v.moved_from, v.sha256, v.size"
            " FROM memories_memoryversion v JOIN memories_memoryentry e ON e.id = v.entry_id"
            " WHERE v.store_id = %s AND v.seq BETWEEN %s AND %s ORDER BY v.seq",
            (store_id, first_seq, last_seq),
        )
        return tuple(Written(*row) for row in rows)

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


_AUTHOR = "actor_kind, actor_label, user_id, agent_id, run_id, token_id"

_ADD_CHANGE_SET = (
    f"INSERT INTO memories_changeset (uuid, store_id, key, reason, marks, first_seq, undoes,"
    f" authored_at, recorded_at, {_AUTHOR})"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)

_INTO_VERSIONS = (
    "INSERT INTO memories_memoryversion (entry_id, number, seq, operation, path, moved_from, blob_id,"
    " sha256, size, lines, spans, summary, origin, note, review_state, redacted_by, store_id, change_set_id,"
    f" turn, tool_use_id, authored_at, recorded_at, {_AUTHOR})"
)

_ADD_VERSION = (
    f"{_INTO_VERSIONS} VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, '', 'unreviewed', '',"
    " %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)

_ADD_DELETED = (
    f"{_INTO_VERSIONS} SELECT id, version, changed_seq, 'deleted', path, '', NULL, '', 0, 0, {{spans}}, 'deleted',"
    " NULL, '', 'unreviewed', '', %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s FROM memories_memoryentry"
)

_GONE = "CASE WHEN lines > 0 THEN '[[0, ' || lines || ', 0, 0]]' ELSE '[]' END"


def _author(actor: Actor) -> tuple[Any, ...]:
    return actor.kind.value, actor.label[:255], actor.user_id, actor.agent_id, actor.run_id, actor.token_id


def _spans(version: Written) -> str:
    # Lists of numbers are spelled alike in Python and in JSON.
    return str([list(hunk if hunk.source is not None else hunk[:4]) for hunk in version.hunks])
