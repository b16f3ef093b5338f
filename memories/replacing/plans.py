"""In which files of which stores a text would be replaced, and in which it would not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from memories.commands import Meant, Rewrite
from memories.models import Blob, MemoryEntry, MemoryStore
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.replacing.hits import Hit, HitRow, TooMuch, Wanted, hunks_of, rows_of
from memories.store import blobs
from memories.text import filesize
from memories.undo import trails

SCANNED: Final = 64 * 1024 * 1024
"""Bytes of text that are looked through at once."""

TAKEN: Final = 16 * 1024 * 1024
"""Bytes that the files may hold together in which something is found."""

FILES: Final = 500
"""Files in which something is found."""

HITS: Final = 20_000

LOOKED_THROUGH: Final = 20_000
"""Files that are looked through at once."""

PORTION: Final = 4 * 1024 * 1024
"""Bytes of text that are read with one statement."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: stores, and the directory or file in each."""

    stores: tuple[MemoryStore, ...]
    below: MemoryPath = MemoryPath.ROOT

    def files(self) -> QuerySet[MemoryEntry]:
        """Return the live files that are looked through, store by store in the order of their paths."""
        files = MemoryEntry.objects.live().files().filter(store__in=self.stores)
        if not self.below.is_root:
            inside = Q(path__gt=f"{self.below}/", path__lt=f"{self.below}0")
            files = files.filter(Q(path=self.below.text) | inside)
        return files.order_by("store", "path")


@dataclass(frozen=True, slots=True)
class FileHits:
    """A file in which the text occurs."""

    memory: MemoryStore
    uuid: UUID
    meant: Meant
    text: str
    hits: tuple[Hit, ...]

    def rows(self, wanted: Wanted) -> Iterator[HitRow]:
        return rows_of(wanted, self.text, self.hits)

    def rewrite(self, wanted: Wanted) -> Rewrite:
        """Return what the file shall say."""
        return Rewrite(self.meant, self.text, wanted.replaced(self.text, self.hits), hunks_of(self.text, self.hits))


@dataclass(frozen=True, slots=True)
class Left:
    """A file in which it occurs and stays, and why."""

    file: FileHits
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be replaced; ``shown`` is another text as soon as anything of that is another."""

    wanted: Wanted
    files: tuple[FileHits, ...]
    left: tuple[Left, ...]
    looked_through: int
    images: int

    @property
    def hits(self) -> int:
        return sum(len(file.hits) for file in self.files)

    @property
    def shown(self) -> str:
        wanted = self.wanted
        seen = sha256(repr((wanted.find, wanted.put, wanted.case, wanted.word)).encode())
        for file, why in (*((file, "") for file in self.files), *((left.file, left.why) for left in self.left)):
            seen.update(f"\0{file.memory.pk}\0{file.meant}\0{len(file.hits)}\0{why}".encode())
        return seen.hexdigest()


def planned(wanted: Wanted, scope: Scope) -> Plan:
    """Return where the text occurs and what would become of it; raise TooMuch, which names the limit."""
    stores = {memory.pk: memory for memory in scope.stores}
    found = scope.files().order_by().values("media").annotate(files=Count("pk"), size=Sum("size"))
    kinds = {row["media"]: (row["files"], row["size"]) for row in found}
    looked_through, size = kinds.pop(Media.TEXT, (0, 0))
    if size > SCANNED or looked_through > LOOKED_THROUGH:
        raise TooMuch(
            f"There are {looked_through:,} files with {filesize(size)} of text here, and one search looks through"
            f" {LOOKED_THROUGH:,} files with {filesize(SCANNED)} at most. Choose fewer stores, or one folder."
        )
    files: list[FileHits] = []
    left: list[Left] = []
    for entry, text in _texts(scope.files().filter(media=Media.TEXT)):
        if hits := wanted.hits(text):
            meant = Meant(entry.pk, entry.path, entry.version)
            file = FileHits(stores[entry.store_id], entry.uuid, meant, text, tuple(hits))
            if why := _why_left(wanted, file, entry):
                left.append(Left(file, why))
            else:
                files.append(file)
            _bound(files, left)
    return Plan(wanted, tuple(files), tuple(left), looked_through, sum(images for images, _ in kinds.values()))


def _texts(entries: QuerySet[MemoryEntry]) -> Iterator[tuple[MemoryEntry, str]]:
    """Yield files with their texts, of which no more than a few megabytes are held at a time."""
    for some in _portions(entries.values_list("pk", "size")):
        found = MemoryEntry.objects.in_bulk(some)
        packed = Blob.objects.in_bulk({entry.blob_id for entry in found.values() if entry.blob_id})
        for pk in some:
            if (entry := found.get(pk)) and entry.blob_id and (blob := packed.get(entry.blob_id)):
                yield entry, blobs.unpack(blob.encoding, blob.data).decode()


def _portions(sizes: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    some: list[int] = []
    held = 0
    for pk, size in sizes:
        if some and (held + size > PORTION or len(some) >= trails.BATCH):
            yield some
            some, held = [], 0
        some.append(pk)
        held += size
    if some:
        yield some


def _why_left(wanted: Wanted, file: FileHits, entry: MemoryEntry) -> str:
    if entry.locked:
        return "locked"
    grown = sum(len(wanted.put.encode()) - len(file.text[hit.start : hit.stop].encode()) for hit in file.hits)
    most = file.memory.max_file_bytes
    if grown > 0 and entry.size + grown > most:
        return f"it would be larger than the {filesize(most)} of its store’s limit"
    return ""


def _bound(files: Sequence[FileHits], left: Sequence[Left]) -> None:
    found = (*files, *(each.file for each in left[-1:]))
    if len(files) + len(left) > FILES:
        raise TooMuch(f"It occurs in more than {FILES:,} files, and one act takes as many at most. {_NARROW}")
    hits = sum(len(file.hits) for file in found)
    if hits > HITS:
        raise TooMuch(f"It occurs more than {HITS:,} times, and one act takes as many at most. {_NARROW}")
    if sum(len(file.text) for file in files) > TAKEN:
        raise TooMuch(
            f"The files in which it occurs hold more than the {filesize(TAKEN)} that one act takes. {_NARROW}"
        )


_NARROW: Final = "Narrow the path, choose fewer stores, or look for a longer text."
