"""Where to go from a path that goes away."""

from memories.models import Kind, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.views.levels import Cursor, Levels
from memories.views.marks import Eyes


def neighbour_of(store: MemoryStore, entry: MemoryEntry, eyes: Eyes) -> MemoryPath | None:
    """Return what stands behind a file or directory among the rows of its directory; None when it is the last one."""
    path = MemoryPath(entry.path)
    level = Levels(store, eyes).after(path.parent, Cursor(Kind(entry.kind), entry.path), 1)
    return MemoryPath(level.rows[0].path) if level.rows else None


def nearest_folder(store: MemoryStore, path: MemoryPath) -> MemoryPath:
    """Return the nearest directory above a path that there is; the root always is."""
    above = [folder for folder in path.ancestors() if not folder.is_root]
    entries = MemoryEntry.objects.filter(store=store, kind=Kind.DIRECTORY).at(*above) if above else ()
    there = {MemoryPath(entry.path) for entry in entries}
    return next((folder for folder in above if folder in there), MemoryPath.ROOT)
