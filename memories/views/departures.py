"""How files left a path: deleted there, which entries out of the store tell, or renamed, which versions tell."""

from django.db.models import F, QuerySet

from memories.models import MemoryEntry, MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath


def last_from(store: MemoryStore, path: MemoryPath) -> MemoryVersion | None:
    """Return the version by which the last file left the path, with that file; None when none ever did."""
    return _newest(
        MemoryEntry.objects.filter(store=store, path=path.text),
        MemoryVersion.objects.filter(store=store, moved_from=path.text),
    )


def last_from_below(store: MemoryStore, folder: MemoryPath) -> MemoryVersion | None:
    """Return the version by which a file last left the directory, with that file; None when none ever did."""
    first, end = f"{folder}/", f"{folder}0"
    return _newest(
        MemoryEntry.objects.filter(store=store, path__gt=first, path__lt=end),
        MemoryVersion.objects.filter(store=store, moved_from__gt=first, moved_from__lt=end),
    )


def _newest(entries: QuerySet[MemoryEntry], versions: QuerySet[MemoryVersion]) -> MemoryVersion | None:
    gone = (entries.filter(state=state).order_by("-changed_seq").first() for state in (State.TRASH, State.PURGED))
    deleted = max((entry for entry in gone if entry), key=lambda entry: entry.changed_seq, default=None)
    # What the index of renames holds is said again, without which no database takes it, and the sum keeps PostgreSQL
    # from walking through all of the store's changes in their order instead, in the hope of a rename from here.
    renamed = versions.filter(moved_from__gt="").order_by((F("seq") + 0).desc())
    moved = renamed.select_related("entry").first()
    if deleted is None or (moved and moved.seq > deleted.changed_seq):
        return moved
    return MemoryVersion.objects.select_related("entry").get(entry=deleted, number=deleted.version)
