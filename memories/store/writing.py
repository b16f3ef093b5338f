"""From effects to rows: files, directories, counters, versions."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from uuid import uuid4

from django.utils import timezone

from memories.actors import Actor
from memories.commands import Change, Entry, Mark, Move, Put, Remove, Snapshot
from memories.paths import ROOT
from memories.store import blobs
from memories.store.records import VersionDetails, Written
from memories.store.sql import Sql, as_moment, as_uuid


class Writing:
    """The rows of one command's changes, gathered first and then written in a few statements."""

    def __init__(self, sql: Sql, store_id: int, seen: Snapshot, actor: Actor) -> None:
        self._sql, self._store_id, self._seen, self._actor = sql, store_id, seen, actor
        now = timezone.now()
        # The clock may be set back; the record only ever goes on.
        self.recorded_at = max(now, as_moment(seen.totals.recorded_at or now))
        self.authored_at = actor.authored_at or self.recorded_at
        self._versions: list[tuple[Written, VersionDetails]] = []
        self._changed: list[tuple[Written, VersionDetails, str]] = []
        self._trashed: list[Written] = []
        self._growth: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    def write(self, changes: Iterable[Change]) -> tuple[Written, ...]:
        """Write ``changes`` and return the versions they made, in order."""
        for change in changes:
            match change:
                case Put(entry=None):
                    self._add(change)
                case Put(entry=entry):
                    self._change(entry, change)
                case Move(entry, to):
                    self._move(entry, to.text)
                case Remove(entry):
                    self._remove(entry)
                case Mark(entry, name, value):
                    self._sql.mark_file(entry.id, name, value)
        if self._versions:
            self._flush()
        return tuple(written for written, _ in self._versions)

    def _add(self, change: Put) -> None:
        blob = blobs.keep(self._sql, self._store_id, change.data)
        written = Written(
            uuid4(), 0, 1, self._next_seq(), change.operation, change.path.text, sha256=blob.sha256, size=blob.size
        )
        details = _details(change, blob.id)
        entry_id = self._sql.add_file(self._store_id, written, details, change.media, self.authored_at)
        self._versions.append((replace(written, entry_id=entry_id), details))
        self._grow(written.path, blob.size, 1)

    def _change(self, entry: Entry, change: Put) -> None:
        blob = blobs.keep(self._sql, self._store_id, change.data)
        written = self._next(entry, change.operation, sha256=blob.sha256, size=blob.size)
        details = _details(change, blob.id)
        self._versions.append((written, details))
        self._changed.append((written, details, change.media))
        self._grow(entry.path, blob.size - entry.size, 0)

    def _move(self, entry: Entry, path: str) -> None:
        written = self._next(
            entry, "renamed", path=path, moved_from=entry.path, sha256=entry.sha256, size=entry.size
        )
        details = VersionDetails(entry.blob_id, entry.lines, summary="renamed")
        self._versions.append((written, details))
        self._changed.append((written, details, entry.media))
        self._grow(entry.path, -entry.size, -1)
        self._grow(path, entry.size, 1)

    def _remove(self, entry: Entry) -> None:
        written = self._next(entry, "deleted")
        self._versions.append((written, VersionDetails(summary="deleted")))
        self._trashed.append(written)
        self._grow(entry.path, -entry.size, -1)

    def _next(self, entry: Entry, operation: str, *, path: str = "", moved_from: str = "", sha256: str = "", size: int = 0) -> Written:
        return Written(
            as_uuid(entry.uuid), entry.id, entry.version + 1, self._next_seq(), operation, path or entry.path,
            moved_from, sha256, size,
        )  # fmt: skip

    def _next_seq(self) -> int:
        return self._seen.totals.seq + len(self._versions) + 1

    def _grow(self, path: str, size: int, files: int) -> None:
        """Count for every directory above ``path``, the root too, what came to lie below it."""
        while path != ROOT:
            path = path.rpartition("/")[0]
            growth = self._growth[path]
            growth[0] += size
            growth[1] += files

    def _flush(self) -> None:
        self._sql.trash_files(self._trashed, self.authored_at)
        self._sql.change_files(self._changed, self.authored_at)
        root_size, root_files = self._growth.pop(ROOT)
        self._flush_directories()
        self._sql.add_versions(
            self._store_id,
            self._change_set_id(),
            self._versions,
            actor=self._actor,
            authored_at=self.authored_at,
            recorded_at=self.recorded_at,
        )
        self._sql.count_store(
            self._store_id,
            seq=self._next_seq() - 1,
            size=root_size,
            files=root_files,
            recorded_at=self.recorded_at,
            authored_at=self.authored_at,
        )

    def _flush_directories(self) -> None:
        """Add, count and remove directories: one exists as long as a live file lies below it."""
        there = {entry.path: entry for entry in (*self._seen.entries.values(), *self._seen.below) if not entry.is_file}
        added, counted, emptied = [], [], []
        for path, (size, files) in self._growth.items():
            directory = there.get(path)
            if directory is None:
                added.append((path, size, files))
            elif directory.file_count + files == 0:
                emptied.append(directory.id)
            else:
                counted.append((directory.id, size, files))
        self._sql.remove_directories(emptied)
        self._sql.count_directories(counted, self.authored_at)
        self._sql.add_directories(self._store_id, added, self.authored_at)

    def _change_set_id(self) -> int:
        """Return the change set these versions belong to: the actor's shared one, or a new one for this act."""
        shared = self._sql.change_set_id(self._store_id, self._actor.change_set) if self._actor.change_set else None
        return shared or self._sql.add_change_set(self._store_id, self._actor, self.recorded_at)


def _details(change: Put, blob_id: int) -> VersionDetails:
    return VersionDetails(blob_id, change.lines, change.hunks, change.origin, change.summary or change.operation)
