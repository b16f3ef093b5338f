"""What the record says of a path where nothing lives now."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest

from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Operation, State
from memories.paths import MemoryPath
from memories.views import addresses, departures
from memories.views.causes import Cause, Causes


@dataclass(frozen=True, slots=True)
class Gone:
    """The last file that lived at the path, or below it, and how it left."""

    path: str
    cause: Cause
    when: datetime
    history: str
    file_id: UUID
    restorable: bool
    """Whether it lies in the trash."""

    is_purged: bool = False

    moved_to: str = ""
    moved_url: str = ""
    """Where it lives now; empty when it does no more."""

    @property
    def name(self) -> str:
        return MemoryPath(self.path).relative

    @property
    def moved_name(self) -> str:
        return MemoryPath(self.moved_to).relative


def gone_from(request: HttpRequest, store: MemoryStore, path: MemoryPath) -> Gone | None:
    """Return how the last file left the path, or None when the store never had one there."""
    version = departures.last_from(store, path) or departures.last_from_below(store, path)
    if version is None:
        return None
    return Gone(
        path=version.moved_from or version.path,
        cause=Causes(request, [version]).of(version),
        when=version.authored_at,
        file_id=version.entry.uuid,
        restorable=version.entry.state == State.TRASH,
        is_purged=version.entry.state == State.PURGED,
        history=addresses.history(store.slug, version.path, file=version.entry.uuid, v=version.number),
        moved_to=version.path if version.operation == Operation.RENAMED else "",
        moved_url=_where_now(store, version),
    )


def _where_now(store: MemoryStore, version: MemoryVersion) -> str:
    entry: MemoryEntry = version.entry
    if version.operation != Operation.RENAMED or entry.state != State.LIVE:
        return ""
    return addresses.files(store.slug, entry.path)
