"""Rows of memory. Nothing here changes a file: only ``memories.store`` writes paths, blobs and versions."""

from memories.models.access import Member, Role
from memories.models.drafts import Draft
from memories.models.emptying import Emptying
from memories.models.entries import Blob, Kind, MemoryEntry, State
from memories.models.search import Document, Indexed
from memories.models.seen import FileSeen, StoreSeen
from memories.models.stores import MemoryStore
from memories.models.versions import ChangeSet, Marked, MemoryVersion, Operation, ReadEvent, Receipt
from memories.models.words import FileLabel, FileNote

__all__ = [
    "Blob",
    "ChangeSet",
    "Document",
    "Draft",
    "Emptying",
    "FileLabel",
    "FileNote",
    "FileSeen",
    "Indexed",
    "Kind",
    "Marked",
    "Member",
    "MemoryEntry",
    "MemoryStore",
    "MemoryVersion",
    "Operation",
    "ReadEvent",
    "Receipt",
    "Role",
    "State",
    "StoreSeen",
]
