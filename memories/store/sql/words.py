"""Statements of what people put on files, and of what goes when a file is gone for good."""

import json
from collections.abc import Collection, Sequence

from memories.store.driver import Driver, Moment
from memories.store.records import Marked, Written


class WordStatements(Driver):
    """Labels and notes, none of which the tool's own statements touch."""

    def words_of(self, entry_id: int) -> tuple[tuple[str, ...], str]:
        """Return the labels of a file and its note."""
        labels = self.all("SELECT label FROM memories_filelabel WHERE entry_id = %s ORDER BY label", (entry_id,))
        notes = self.all("SELECT text FROM memories_filenote WHERE entry_id = %s", (entry_id,))
        return tuple(label for (label,) in labels), notes[0][0] if notes else ""

    def set_labels(self, store_id: int, entry_id: int, before: Sequence[str], after: Sequence[str]) -> None:
        """Give a file the labels ``after``, of which it has ``before`` already."""
        self.run_many(
            "DELETE FROM memories_filelabel WHERE entry_id = %s AND label = %s",
            [(entry_id, label) for label in before if label not in after],
        )
        self.run_many(
            "INSERT INTO memories_filelabel (store_id, entry_id, label) VALUES (%s, %s, %s)",
            [(store_id, entry_id, label) for label in after if label not in before],
        )
        self.run(
            "UPDATE memories_memoryentry SET labels = %s WHERE id = %s", ("\n".join(after) if after else None, entry_id)
        )

    def set_note(self, entry_id: int, text: str, by: str, moment: Moment) -> None:
        """Put a note on a file in place of the one it has; an empty one is none."""
        self.run("DELETE FROM memories_filenote WHERE entry_id = %s", (entry_id,))
        if text:
            self.run(
                "INSERT INTO memories_filenote (entry_id, text, written_by, written_at) VALUES (%s, %s, %s, %s)",
                (entry_id, text, by[:255], moment),
            )

    def seal_files(self, versions: Sequence[Written], moment: Moment) -> None:
        """Count the last versions of files that are gone for good."""
        self.run_many(
            "UPDATE memories_memoryentry SET version = %s, changed_seq = %s, updated_at = %s WHERE id = %s",
            [(last.number, last.seq, moment, last.entry_id) for last in versions],
        )

    def wipe_files(self, store_id: int, entry_ids: Sequence[int], by: str, moment: Moment) -> None:
        """Take from files of the trash all they ever held; what stays is who did what to them, and when.

        A blob goes where no version of another file holds the same bytes.
        """
        these = f"({', '.join(['%s'] * len(entry_ids))})"
        self.run(
            f"UPDATE memories_memoryentry SET state = 'purged', blob_id = NULL, labels = NULL WHERE id IN {these}",
            entry_ids,
        )
        self.run(
            f"DELETE FROM memories_blob WHERE store_id = %s"
            f" AND id IN (SELECT blob_id FROM memories_memoryversion WHERE entry_id IN {these})"
            f" AND id NOT IN (SELECT blob_id FROM memories_memoryversion WHERE store_id = %s"
            f" AND blob_id IS NOT NULL AND entry_id NOT IN {these})",
            (store_id, *entry_ids, store_id, *entry_ids),
        )
        # A hash would tell whoever guesses the text that the guess is right.
        self.run(
            "UPDATE memories_memoryversion SET blob_id = NULL, sha256 = '', summary = operation, note = '',"
            f" redacted_at = %s, redacted_by = %s WHERE entry_id IN {these}",
            (moment, by[:255], *entry_ids),
        )
        for table in ("filelabel", "filenote", "draft", "document"):
            self.run(f"DELETE FROM memories_{table} WHERE entry_id IN {these}", entry_ids)
        # The index keeps words for a while that it no longer finds; a worker takes them out.
        self.run("UPDATE memories_indexed SET unclean_since = %s WHERE store_id = %s", (moment, store_id))
        self._forget_words(store_id, frozenset(entry_ids))

    def _forget_words(self, store_id: int, entry_ids: frozenset[int]) -> None:
        """Leave of the labels and notes that acts put on these files and their versions no more than that they did."""
        rows = self.all("SELECT id, marks FROM memories_changeset WHERE store_id = %s AND marks <> '[]'", (store_id,))
        emptied = []
        for pk, known in rows:
            marks = json.loads(known) if isinstance(known, str) else known
            left = [
                _wordless(mark) if mark[0] in entry_ids and mark[1] in ("labels", "note") else mark for mark in marks
            ]
            if left != marks:
                emptied.append((json.dumps(left), pk))
        self.run_many("UPDATE memories_changeset SET marks = %s WHERE id = %s", emptied)
        rows = self.all(
            "SELECT id, settings FROM memories_changeset WHERE store_id = %s AND CAST(settings AS text) LIKE %s",
            (store_id, '[["note"%'),
        )
        emptied = []
        for pk, known in rows:
            settings = json.loads(known) if isinstance(known, str) else known
            left = [_unsaid(change) if _is_note_on(change, entry_ids) else change for change in settings]
            if left != settings:
                emptied.append((json.dumps(left), pk))
        self.run_many("UPDATE memories_changeset SET settings = %s WHERE id = %s", emptied)


def _wordless(mark: Sequence[object]) -> Marked:
    return mark[0], str(mark[1]), None, None  # type: ignore[return-value]


def _is_note_on(change: Sequence[object], entry_ids: Collection[int]) -> bool:
    """Say whether an act changed the note on a version of one of the files, which the key begins with."""
    return change[0] == "note" and int(str(change[1]).partition("/")[0]) in entry_ids


def _unsaid(change: Sequence[object]) -> list[object]:
    kind, key, field, _, _, name = change
    return [kind, key, field, None, None, name]
