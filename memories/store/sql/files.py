"""Statements that change what is there: blobs, files, directories, counters."""

from collections.abc import Iterable, Sequence
from uuid import uuid4

from memories.paths import depth_of
from memories.store.driver import Driver, Moment, batches
from memories.store.records import Written


class FileStatements(Driver):
    """The rows of paths, and the counters above them."""

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
                file.uuid, store_id, file.path, depth_of(file.path), file.media, file.blob_id, file.size, file.lines,
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
            [(new.path, depth_of(new.path), new.number, new.seq, moment, new.entry_id) for new in versions],
        )

    def trash_files(self, versions: Sequence[Written], moment: Moment) -> None:
        """Put files into the trash; what they held stays with them, for whoever restores them."""
        for some in batches(versions):
            self.run(
                f"WITH gone (id, seq) AS (VALUES {', '.join(['(%s, %s)'] * len(some))}) UPDATE memories_memoryentry"
                " SET state = 'trash', version = version + 1, changed_seq = gone.seq, updated_at = %s"
                " FROM gone WHERE gone.id = memories_memoryentry.id",
                (*(value for last in some for value in (last.entry_id, last.seq)), moment),
            )

    def bring_files(self, versions: Iterable[Written], moment: Moment) -> None:
        """Take files out of the trash and let them live at the paths of their newest versions."""
        self.run_many(
            "UPDATE memories_memoryentry SET state = 'live', path = %s, depth = %s, version = %s, changed_seq = %s,"
            " updated_at = %s WHERE id = %s",
            [(new.path, depth_of(new.path), new.number, new.seq, moment, new.entry_id) for new in versions],
        )

    def pause_store(self, store_id: int, moment: Moment | None, by: str) -> None:
        """Note since when, and by whom, agents may not write to the store; None lets them."""
        self.run(
            "UPDATE memories_memorystore SET paused_at = %s, paused_by = %s WHERE id = %s", (moment, by[:255], store_id)
        )

    def mark_files(self, name: str, rows: Sequence[tuple[bool, int]]) -> None:
        """Set or take away a person's mark, ``pinned`` or ``locked``, of files by their ids."""
        column = {"pinned": "pinned", "locked": "locked"}[name]
        self.run_many(f"UPDATE memories_memoryentry SET {column} = %s WHERE id = %s", rows)

    def add_directories(self, store_id: int, rows: Iterable[tuple[str, int, int]], moment: Moment) -> None:
        """Add directories, each with the bytes and the number of files below it."""
        self.run_many(
            "INSERT INTO memories_memoryentry (uuid, store_id, path, depth, kind, state, media, size, file_count,"
            " created_at, updated_at, pinned, locked, lines, version, changed_seq)"
            " VALUES (%s, %s, %s, %s, 'directory', 'live', '', %s, %s, %s, %s, %s, %s, 0, 0, 0)",
            [
                (uuid4(), store_id, path, depth_of(path), size, files, moment, moment, False, False)
                for path, size, files in rows
            ],
        )

    def grow_directories(self, store_id: int, rows: Iterable[tuple[str, int]], moment: Moment) -> None:
        """Add to directories, by path, the bytes that came to lie below them in files that were there already."""
        self.run_many(
            "UPDATE memories_memoryentry SET size = size + %s, updated_at = %s"
            " WHERE store_id = %s AND depth = %s AND path = %s AND state = 'live'",
            [(size, moment, store_id, depth_of(path), path) for path, size in rows],
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

    def stamp_access(self, rows: Iterable[tuple[int, Moment, Moment]]) -> None:
        """Set when files were last viewed: (id, moment, the moment before which an older stamp is worth replacing)."""
        self.run_many(
            "UPDATE memories_memoryentry SET accessed_at = %s"
            " WHERE id = %s AND (accessed_at IS NULL OR accessed_at < %s)",
            [(moment, entry_id, older) for entry_id, moment, older in rows],
        )
