"""Stores as tests look at them."""

import itertools
from collections import Counter
from hashlib import sha256

from memories import store, tool
from memories.actors import Actor, ActorKind
from memories.commands import Answer
from memories.models import Blob, MemoryEntry, MemoryStore
from memories.paths import ROOT, MemoryPath
from memories.store import blobs

AGENT = Actor(ActorKind.AGENT, "support-bot")
PERSON = Actor(ActorKind.PERSON, "mia")

_numbers = itertools.count(1)


def new_store() -> MemoryStore:
    """Return an empty store of its own."""
    return store.create_store(name=f"store {next(_numbers)}")


def text_of(content: Answer) -> str:
    """Return an answer's text: the answer itself, or the text blocks in it."""
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content if block["type"] == "text")


def content_of(blob: Blob) -> bytes:
    return blobs.unpack(blob.encoding, blob.data)


def files_of(memory: MemoryStore) -> dict[str, bytes]:
    """Return every live file of a store: its bytes by its path."""
    rows = MemoryEntry.objects.live().files().filter(store=memory).select_related("blob")
    return {row.path: content_of(row.blob) for row in rows if row.blob}


class ToolStore:
    """An empty store behind the memory tool, as an agent outside runs uses it."""

    def __init__(self) -> None:
        self.memory = new_store()

    def call(self, value: object) -> tuple[str, bool]:
        result = tool.execute(self.memory, value, AGENT)
        return text_of(result.content), result.is_error

    def files(self) -> dict[str, str]:
        return {path: data.decode() for path, data in files_of(self.memory).items()}


def assert_sound(memory: MemoryStore) -> None:
    """Check what holds in every store at every moment."""
    memory.refresh_from_db()
    entries = list(MemoryEntry.objects.filter(store=memory).select_related("blob"))
    live = [entry for entry in entries if entry.state == "live"]
    files = [entry for entry in live if entry.kind == "file"]
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for file in files:
        assert str(MemoryPath.parse(file.path)) == file.path
        assert file.blob
        data = content_of(file.blob)
        assert (len(data), sha256(data).hexdigest()) == (file.size, file.blob.sha256)
        if file.media == "text/plain":
            text = data.decode()
            assert file.lines == text.count("\n") + (text != "" and not text.endswith("\n"))
        for above in MemoryPath(file.path).ancestors():
            sizes[above.text] += file.size
            counts[above.text] += 1
    assert (memory.byte_count, memory.file_count) == (sizes.pop(ROOT, 0), counts.pop(ROOT, 0))
    directories = {entry.path: (entry.size, entry.file_count) for entry in live if entry.kind == "directory"}
    assert directories == {path: (sizes[path], counts[path]) for path in counts}
    assert all(entry.depth == MemoryPath(entry.path).depth for entry in entries)

    held = {*memory.versions.values_list("blob_id", flat=True)}
    assert {*memory.blobs.values_list("pk", flat=True)} <= held
    versions = list(memory.versions.order_by("seq").select_related("blob"))
    assert [version.seq for version in versions] == list(range(1, memory.seq + 1))
    assert all(earlier.recorded_at <= later.recorded_at for earlier, later in itertools.pairwise(versions))
    for version in versions:
        if version.operation in ("deleted", "purged"):
            assert version.blob is None
        elif not version.redacted_at:
            assert version.blob
            assert sha256(content_of(version.blob)).hexdigest() == version.sha256
    for entry in entries:
        own = [version for version in versions if version.entry_id == entry.pk]
        if entry.kind == "directory":
            assert not own
            continue
        assert [version.number for version in own] == list(range(1, entry.version + 1))
        newest = own[-1]
        assert (newest.seq, newest.path) == (entry.changed_seq, entry.path)
        assert (newest.operation == "deleted") == (entry.state == "trash")
        is_purged = newest.operation == "purged"
        assert is_purged == (entry.state == "purged")
        for version in own if is_purged else ():
            assert version.blob is None
            assert (version.sha256, version.summary, version.note) == ("", version.operation, "")
        if entry.state == "live":
            assert (newest.blob_id, newest.size, newest.lines) == (entry.blob_id, entry.size, entry.lines)
