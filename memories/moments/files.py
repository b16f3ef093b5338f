"""Which files a store had at a moment, and what each held: its newest version until then."""

from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, QuerySet

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
    newest = newest_until(store.pk, seq)
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


def file_at(store: MemoryStore, seq: int, entry_id: int) -> FileAt | None:
    """Return one file as it was after the store's change ``seq``; None where it was not there. One query."""
    until = MemoryVersion.objects.filter(store=store, seq__lte=seq, entry=entry_id)
    row = until.order_by("-number").values_list(*FIELDS).first()
    return None if row is None or row[-1] in GONE else FileAt(*row[:-1])


def file_on(store: MemoryStore, seq: int, path: MemoryPath) -> FileAt | None:
    """Return the file that lived at a path after the store's change ``seq``; None where none did. One query.

    Only files that were at the path at some time are looked at.
    """
    there = MemoryVersion.objects.filter(store=store, seq__lte=seq, path=path.text).exclude(operation__in=GONE)
    later = MemoryVersion.objects.filter(entry=OuterRef("entry"), number__gt=OuterRef("number"), seq__lte=seq)
    row = there.filter(~Exists(later)).order_by("-seq").values_list(*FIELDS).first()
    return None if row is None else FileAt(*row[:-1])


def newest_until(store_id: int, seq: int) -> QuerySet[MemoryVersion, int]:
    """Return the seq of the newest version of each file until a moment, for use in a query over versions."""
    until = MemoryVersion.objects.filter(store=store_id, seq__lte=seq)
    return until.order_by().values("entry").annotate(newest=Max("seq")).values_list("newest", flat=True)
