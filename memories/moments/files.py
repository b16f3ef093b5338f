"""Which files a store had at a moment, and what each held: its newest version until then."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Max, QuerySet

from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Operation
from memories.paths import MemoryPath

GONE: Final = (Operation.DELETED, Operation.PURGED)
FIELDS: Final = ("entry_id", "entry__uuid", "path", "number", "seq", "blob_id", "sha256", "size", "lines", "operation")

FIELDS_NOW: Final = (
    *("pk", "uuid", "path", "version", "changed_seq"),
    *("blob_id", "blob__sha256", "size", "lines"),
)


class FileAt(NamedTuple):
    """A file as it was: ``number`` is that of its newest version until the moment; no ``blob_id``: it was blanked."""

    entry_id: int
    uuid: UUID
    path: str
    number: int
    seq: int
    blob_id: int | None
    sha256: str
    size: int
    lines: int

    @property
    def memory_path(self) -> MemoryPath:
        return MemoryPath(self.path)


def files_at(store: MemoryStore, seq: int, *, below: MemoryPath | None = None) -> list[FileAt]:
    """Return the files that lived in the store after its change ``seq``, in the order of their paths; one query.

    ``below`` asks for those at or under one path, as paths were at that moment.
    """
    newest = _until(store, seq).order_by().values("entry").annotate(newest=Max("seq")).values("newest")
    rows = MemoryVersion.objects.filter(store=store, seq__in=newest).exclude(operation__in=GONE)
    if below is not None and below != MemoryPath.ROOT:
        rows = rows.filter(path=below.text) | rows.filter(path__gt=f"{below}/", path__lt=f"{below}0")
    found = [FileAt(*row[:-1]) for row in rows.order_by().values_list(*FIELDS)]
    return sorted(found, key=lambda file: file.path)


def files_now(store: MemoryStore) -> list[FileAt]:
    """Return the files that live in the store, in the order of their paths; one query."""
    rows = MemoryEntry.objects.filter(store=store).live().files().order_by()
    found = [FileAt(*row) for row in rows.values_list(*FIELDS_NOW)]
    return sorted(found, key=lambda file: file.path)


def seq_at(store: MemoryStore, moment: datetime) -> int:
    """Return the store's change that was the last one at a moment, by when changes were written; 0 before the first."""
    later = MemoryVersion.objects.filter(store=store, authored_at__gt=moment).order_by("seq")
    first: int | None = later.values_list("seq", flat=True).first()
    return store.seq if first is None else first - 1


def written_at(store: MemoryStore, seq: int) -> datetime | None:
    """Return when the store's change ``seq`` was written; None before the first."""
    return MemoryVersion.objects.filter(store=store, seq=seq).values_list("authored_at", flat=True).first()


def file_at(store: MemoryStore, seq: int, entry_id: int) -> FileAt | None:
    """Return one file as it was after the store's change ``seq``; None where it was not there. One query."""
    row = _until(store, seq).filter(entry=entry_id).order_by("-number").values_list(*FIELDS).first()
    return None if row is None or row[-1] in GONE else FileAt(*row[:-1])


def _until(store: MemoryStore, seq: int) -> QuerySet[MemoryVersion]:
    return MemoryVersion.objects.filter(store=store, seq__lte=seq)
