"""What of a file goes into the index, and by what number it is known there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memories.models import Document, MemoryVersion, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.search.words import spaced
from memories.store import blobs

SEQ_BITS: Final = 40
TRASH: Final = 1 << SEQ_BITS


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a document: those of its path, and those of its text."""

    path: str
    text: str


def number(store_id: int, state: str, seq: int) -> int:
    """Return the id of a document: the store, whether it is in the trash, and the store's seq of its change."""
    return first_number(store_id, state) + seq


def first_number(store_id: int, state: str) -> int:
    """Return the id below all those of a store's documents of this state."""
    return (store_id << (SEQ_BITS + 1)) + (TRASH if state == State.TRASH else 0)


def store_and_state(group: int) -> tuple[int, str]:
    """Return the store and the state of documents whose ids, less ``SEQ_BITS``, are ``group``."""
    return group >> 1, State.TRASH if group & 1 else State.LIVE


def text_of(version: MemoryVersion) -> str:
    """Return the text that the file of a version holds now; nothing of a picture or of what was blanked."""
    entry = version.entry
    if entry.media != Media.TEXT or entry.blob is None:
        return ""
    return blobs.unpack(entry.blob.encoding, entry.blob.data).decode("utf-8", errors="replace")


def documents_of(versions: Iterable[MemoryVersion]) -> Sequence[tuple[Document, Words]]:
    """Return the documents of files by their newest versions; what is quarantined has none."""
    return [
        (
            Document(
                id=number(version.store_id, version.entry.state, version.entry.changed_seq),
                store_id=version.store_id,
                entry_id=version.entry_id,
                state=version.entry.state,
                seq=version.entry.changed_seq,
                path=version.entry.path,
                actor_kind=version.actor_kind,
                actor_label=version.actor_label,
                changed_at=version.entry.updated_at,
            ),
            Words(spaced(MemoryPath(version.entry.path).relative), spaced(text_of(version))),
        )
        for version in versions
        if version.entry.state in (State.LIVE, State.TRASH)
    ]
