"""The files of a moment that are other now, as the page offers them to be put back."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from memories.commands.contents import text_in
from memories.diffs import counts, line_hunks
from memories.models import Blob, MemoryStore
from memories.moments import Changed, Then, changed_since
from memories.paths import MemoryPath
from memories.store import blobs

LISTED: Final = 40
COMPARED: Final = 24
COMPARED_BYTES: Final = 48 * 1024
"""Files that a list compares, and bytes that each of the two texts may have."""


@dataclass(frozen=True, slots=True)
class Back:
    """A file that can be put back: its path of then, and the lines that would come and go where they were compared."""

    uuid: UUID
    path: str
    added: int | None
    removed: int | None
    ticked: bool

    @property
    def relative(self) -> str:
        return MemoryPath(self.path).relative


@dataclass(frozen=True, slots=True)
class Backs:
    """The first files that can be put back, and how many more there are."""

    listed: tuple[Back, ...]
    more: int


def backs_of(store: MemoryStore, seq: int, then: Then, selected: int | None) -> Backs:
    """Return the files of a moment that are other now, the one ``selected`` among them; two queries."""
    files = changed_since(store, seq, LISTED, selected)
    texts = _texts(files[:COMPARED])
    backs = tuple(Back(file.uuid, file.path, *_lines(file, texts), ticked=file.entry_id == selected) for file in files)
    return Backs(backs, max(0, then.differs + then.moved + then.gone - len(files)))


def _texts(files: list[Changed]) -> dict[int, str | None]:
    wanted = {blob_id for file in files if max(file.size, file.size_now) <= COMPARED_BYTES for blob_id in _blobs(file)}
    found = Blob.objects.in_bulk(wanted)
    return {pk: text_in(blobs.unpack(blob.encoding, blob.data)) for pk, blob in found.items()}


def _blobs(file: Changed) -> list[int]:
    return [file.blob_id, *([file.blob_now] if file.blob_now else [])]


def _lines(file: Changed, texts: dict[int, str | None]) -> tuple[int | None, int | None]:
    then, now = texts.get(file.blob_id), texts.get(file.blob_now) if file.blob_now else ""
    return (None, None) if then is None or now is None else counts(line_hunks(now, then))
