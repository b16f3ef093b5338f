"""Which files a store had at a moment, and what each held: its newest version until then."""

from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Max, QuerySet

from memories.models import MemoryStore, MemoryVersion, Operation
from memories.paths import MemoryPath

GONE: Final = (Operation.DELETED, Operation.PURGED)
FIELDS: Final = ("entry_id", "entry__uuid", "path", "number", "seq", "blob_id", "sha256", "size", "lines", "operation")


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


def file_at(store: MemoryStore, seq: int, entry_id: int) -> FileAt | None:
    """Return one file as it was after the store's change ``seq``; None where it was not there. One query."""
    row = _until(store, seq).filter(entry=entry_id).order_by("-number").values_list(*FIELDS).first()
    return None if row is None or row[-1] in GONE else FileAt(*row[:-1])


def _until(store: MemoryStore, seq: int) -> QuerySet[MemoryVersion]:
    return MemoryVersion.objects.filter(store=store, seq__lte=seq)
