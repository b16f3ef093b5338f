"""What a view would have shown at a moment: the snapshot that the command runs on, rebuilt."""

from collections import Counter

from memories.commands import Entry, Listing, Snapshot, Totals
from memories.commands.contents import read
from memories.models import Blob, MemoryStore
from memories.moments.files import FileAt, files_at
from memories.paths import MemoryPath, depth_of, directories
from memories.store import blobs

LEVELS = 2
"""How deep a listing goes."""


def seen_at(store: MemoryStore, seq: int, path: MemoryPath) -> Snapshot:
    """Return what a look at ``path`` would have seen at a moment: a file, two levels of a directory, or nothing.

    Two queries, or one where no file is there. A file whose content was blanked since is seen as an empty one.
    """
    files = files_at(store, seq, below=path)
    totals = Totals(seq)
    if len(files) == 1 and files[0].path == path.text:
        return Snapshot(totals, {path.text: _entry(files[0])})
    if not files and not path.is_root:
        return Snapshot(totals, {})
    return Snapshot(totals, {}, listing=_listing(files, path))


def content_at(file: FileAt) -> bytes | None:
    """Return the bytes that a file held; None where they were blanked since. One query."""
    blob = Blob.objects.filter(pk=file.blob_id).first() if file.blob_id else None
    return blobs.unpack(blob.encoding, blob.data) if blob else None


def _entry(file: FileAt) -> Entry:
    data = content_at(file) or b""
    media, _ = read(file.memory_path, data)
    return Entry(file.entry_id, file.path, "file", media, file.size, file.lines if data else 0, file.number, data)


def _listing(files: list[FileAt], path: MemoryPath) -> Listing:
    deepest = path.depth + LEVELS
    inside: Counter[str] = Counter({f"{path.text}/": 0})
    for file in files:
        if depth_of(file.path) <= deepest:
            inside[file.path] = file.size
        for directory in directories(file.path):
            if len(directory) < len(path.text):
                break
            if depth_of(directory) <= deepest:
                inside[f"{directory}/"] += file.size
    return Listing("\n".join(inside), " ".join(map(str, inside.values())))
