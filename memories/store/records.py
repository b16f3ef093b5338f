"""What the write path records: versions and reads, as values on their way into the database and out of it."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from memories.actors import Actor
from memories.commands import TEXT, Answer
from memories.diffs import Hunk
from memories.store.driver import as_uuid


class Written(NamedTuple):
    """A version that was made: of which file (its public id and its row), what it did, what the file holds since."""

    uuid: UUID | str
    entry_id: int
    number: int
    seq: int
    operation: str
    path: str
    moved_from: str = ""
    sha256: str = ""
    size: int = 0
    blob_id: int | None = None
    media: str = TEXT
    lines: int = 0
    hunks: tuple[Hunk, ...] = ()
    summary: str = ""
    origin: int | None = None

    @property
    def file(self) -> UUID:
        """Return the file's public id, which SQLite gives as text and few ask for."""
        return as_uuid(self.uuid)


Marked = tuple[int | None, str, Any, Any]
"""A mark that was set: the id of the file, or None for the store, the mark's name, its value before and after."""


class Read(NamedTuple):
    """An actor's look at a file's version, or (with neither entry nor version) at the listing of a directory."""

    store_id: int
    entry_id: int | None
    path: str
    version: int | None
    seq: int
    first_line: int | None
    last_line: int | None
    actor: Actor
    read_at: datetime


class Outcome(NamedTuple):
    """What came of a command: its answer, the versions it made, what it showed, and what else there is to say.

    ``change_set`` is the public id of the change set that the command made for itself, by which it can be undone; None
    where nothing changed and for commands that share one.
    """

    answer: Answer
    versions: tuple[Written, ...] = ()
    reads: tuple[Read, ...] = ()
    notices: tuple[str, ...] = ()
    change_set: UUID | None = None


class Receipt(NamedTuple):
    """What was answered under a dedupe key, and to which command."""

    fingerprint: str
    answer: Any
    is_error: bool
    first_seq: int | None
    last_seq: int | None
