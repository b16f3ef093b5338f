"""From effects to rows: files, directories, counters, versions."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from memories.actors import Actor
from memories.commands import Bring, Change, Entry, Mark, Move, Put, Remove, Snapshot, Wipe
from memories.diffs import Hunk
from memories.paths import ROOT, directories
from memories.store import blobs
from memories.store.driver import as_moment
from memories.store.records import Marked, Written
from memories.store.sql import Sql


class Writing:
    """The rows of one command's changes, gathered first and then written in a few statements."""

    def __init__(self, sql: Sql, store_id: int, seen: Snapshot, actor: Actor) -> None:
        self._sql, self._store_id, self._seen, self._actor = sql, store_id, seen, actor
        now = timezone.now()
        # The clock may be set back; the record only ever goes on.
        recorded_at = max(now, as_moment(seen.totals.recorded_at or now))
        self._recorded_at = self._authored_at = sql.moment(recorded_at)
        if actor.authored_at:
            self._authored_at = sql.moment(actor.authored_at)
        self._versions: list[Written] = []
        self._changed: list[Written] = []
        self._moved: list[Written] = []
        self._trashed: list[Written] = []
        self._brought: list[Written] = []
        self._wiped: list[Written] = []
        self._marks: list[Marked] = []
        self._marked: dict[str, list[tuple[bool, int]]] = {}
        self._growth: dict[str, tuple[int, int]] = {}
        self.change_set: UUID | None = None

    def write(self, changes: Iterable[Change]) -> tuple[Written, ...]:
        """Write ``changes`` and return the versions they made, in order."""
        for change in changes:
            match change:
                case Put():
                    self._put(change)
                case Move(entry, to):
                    self._move(entry, to.text)
                case Remove(entry):
                    self._remove(entry)
                case Bring(entry, to):
                    self._bring(entry, to.text)
                case Mark():
                    self._mark(change)
                case Wipe(entry):
                    self._wiped.append(self._next(entry, "purged", entry.path, summary="purged"))
        if self._versions or self._marks:
            self._flush()
        return tuple(self._versions)

    def _put(self, change: Put) -> None:
        entry, path, size = change.entry, change.path.text, len(change.data)
        blob_id, digest = blobs.keep(self._sql, self._store_id, change.data)
        version = Written(
            entry.uuid if entry else uuid4(),
            entry.id if entry else 0,
            entry.version + 1 if entry else 1,
            self._next_seq(),
            change.operation,
            path,
            sha256=digest,
            size=size,
            blob_id=blob_id,
            media=change.media,
            lines=change.lines,
            hunks=change.hunks,
            summary=change.summary or change.operation,
            origin=change.origin,
        )
        if entry:
            self._changed.append(version)
            self._grow(path, size - entry.size, 0)
        else:
            version = version._replace(entry_id=self._sql.add_file(self._store_id, version, self._authored_at))
            self._grow(path, size, 1)
        self._versions.append(version)

    def _move(self, entry: Entry, path: str) -> None:
        self._moved.append(
            self._next(
                entry,
                "renamed",
                path,
                moved_from=entry.path,
                sha256=entry.sha256,
                size=entry.size,
                blob_id=entry.blob_id,
                media=entry.media,
                lines=entry.lines,
                summary="renamed",
            )
        )
        self._grow(entry.path, -entry.size, -1)
        self._grow(path, entry.size, 1)

    def _remove(self, entry: Entry) -> None:
        self._trashed.append(self._next(entry, "deleted", entry.path))
        self._grow(entry.path, -entry.size, -1)

    def _bring(self, entry: Entry, path: str) -> None:
        back = (Hunk(0, 0, 0, entry.lines, 0),) if entry.lines else ()
        self._brought.append(
            self._next(
                entry,
                "restored",
                path,
                moved_from=entry.path if entry.path != path else "",
                sha256=entry.sha256,
                size=entry.size,
                blob_id=entry.blob_id,
                media=entry.media,
                lines=entry.lines,
                hunks=back,
                summary="restored",
                origin=entry.version - 1,
            )
        )
        self._grow(path, entry.size, 1)

    def _mark(self, mark: Mark) -> None:
        entry, name, before, after = mark
        if entry is None:
            by = self._actor.label if after else ""
            self._sql.pause_store(self._store_id, self._recorded_at if after else None, by)
        elif name == "labels":
            self._sql.set_labels(self._store_id, entry.id, before, after)
        elif name == "note":
            self._sql.set_note(entry.id, after, self._actor.label, self._recorded_at)
        else:
            self._marked.setdefault(name, []).append((after, entry.id))
        self._marks.append((entry.id if entry else None, name, before, after))

    def _next(self, entry: Entry, operation: str, path: str, **holding: Any) -> Written:
        """Return the next version of a file, counted in."""
        number = entry.version + 1
        version = Written(entry.uuid, entry.id, number, self._next_seq(), operation, path, **holding)
        self._versions.append(version)
        return version

    def _next_seq(self) -> int:
        return self._seen.totals.seq + len(self._versions) + 1

    def _grow(self, path: str, size: int, files: int) -> None:
        """Count for the directory in which ``path`` lies what came into it."""
        directory = path.rpartition("/")[0]
        bytes_within, files_within = self._growth.get(directory, (0, 0))
        self._growth[directory] = bytes_within + size, files_within + files

    def _growth_below(self) -> dict[str, tuple[int, int]]:
        """Return for every directory that grew and all above, the root too, what came to lie below it."""
        below: dict[str, tuple[int, int]] = {}
        for inner, (size, files) in self._growth.items():
            for directory in (inner, *directories(inner)):
                bytes_below, files_below = below.get(directory, (0, 0))
                below[directory] = bytes_below + size, files_below + files
        return below

    def _flush(self) -> None:
        for name, rows in self._marked.items():
            self._sql.mark_files(name, rows)
        change_set_id = self._change_set_id()
        if not self._versions:
            return
        self._sql.trash_files(self._trashed, self._authored_at)
        self._sql.change_files(self._changed, self._authored_at)
        self._sql.move_files(self._moved, self._authored_at)
        self._sql.bring_files(self._brought, self._authored_at)
        growth = self._growth_below()
        size, files = growth.pop(ROOT, (0, 0))
        self._flush_directories(growth)
        self._sql.add_versions(
            self._store_id,
            change_set_id,
            self._versions,
            actor=self._actor,
            authored_at=self._authored_at,
            recorded_at=self._recorded_at,
        )
        if self._wiped:
            self._sql.seal_files(self._wiped, self._authored_at)
            gone = [version.entry_id for version in self._wiped]
            self._sql.wipe_files(self._store_id, gone, self._actor.label, self._recorded_at)
        self._sql.count_store(
            self._store_id,
            seq=self._versions[-1].seq,
            size=size,
            files=files,
            recorded_at=self._recorded_at,
            authored_at=self._authored_at,
        )

    def _flush_directories(self, growth: dict[str, tuple[int, int]]) -> None:
        """Add, count and remove directories: one exists as long as a live file lies below it."""
        there = {entry.path: entry for entry in (*self._seen.entries.values(), *self._seen.below) if not entry.is_file}
        added, grown, counted, emptied = [], [], [], []
        for path, (size, files) in growth.items():
            directory = there.get(path)
            if not files:
                grown.append((path, size))
            elif directory is None:
                added.append((path, size, files))
            elif directory.file_count + files == 0:
                emptied.append(directory.id)
            else:
                counted.append((directory.id, size, files))
        self._sql.grow_directories(self._store_id, grown, self._authored_at)
        self._sql.remove_directories(emptied)
        self._sql.count_directories(counted, self._authored_at)
        self._sql.add_directories(self._store_id, added, self._authored_at)

    def _change_set_id(self) -> int:
        """Return the change set these versions belong to: the actor's shared one, or a new one for this act."""
        shared = self._sql.change_set(self._store_id, self._actor.change_set) if self._actor.change_set else None
        if shared:
            change_set_id, first_seq = shared
            if self._marks:
                self._sql.add_marks(change_set_id, self._marks)
            if self._versions and first_seq is None:
                self._sql.begin_change_set(change_set_id, self._versions[0].seq)
            return change_set_id
        self.change_set = uuid4()
        return self._sql.add_change_set(
            self._store_id,
            self.change_set,
            first_seq=self._versions[0].seq if self._versions else None,
            marks=self._marks,
            actor=self._actor,
            authored_at=self._authored_at if self._actor.authored_at and not self._actor.dates_files else None,
            recorded_at=self._recorded_at,
        )
