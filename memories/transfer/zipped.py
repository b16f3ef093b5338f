"""Files of a store as one zip file that is made while it is sent."""

import io
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from typing import Final

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header

from memories.models import MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.store import blobs
from memories.transfer.source import MEMORIES

AT_ONCE: Final = 20
"""Files that are held in memory together; each may have 1 MiB."""

EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
"""Zip files know no moment before."""


def zip_response(memory: MemoryStore, ids: Sequence[int]) -> StreamingHttpResponse:
    """Answer with live files of the store, by their ids, as a download that no browser opens by itself.

    Each is as it is when its turn comes; one that has gone by then is left out. Names are the files' own, below a
    directory as ``memdash import`` takes it.
    """
    response = StreamingHttpResponse(_parts(memory, ids), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{memory.slug}.zip")
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "no-store"
    return response


async def _parts(memory: MemoryStore, ids: Sequence[int]) -> AsyncIterator[bytes]:
    parts = zip_parts(memory, ids)

    def following() -> bytes | None:
        return next(parts, None)

    while (part := await sync_to_async(following)()) is not None:
        yield part


def zip_parts(memory: MemoryStore, ids: Sequence[int]) -> Iterator[bytes]:
    """Yield the bytes of the zip file piece by piece."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in range(0, len(ids), AT_ONCE):
            live = MemoryEntry.objects.live().files().filter(store=memory, pk__in=ids[start : start + AT_ONCE])
            for entry in live.select_related("blob").order_by("path"):
                if entry.blob:
                    archive.writestr(_info(entry), blobs.unpack(entry.blob.encoding, entry.blob.data))
            if written := pipe.take():
                yield written
    yield pipe.take()


class _Pipe(io.RawIOBase):
    """A file that can only be written to, and gives away what was."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        self._written += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self._written)
        self._written.clear()
        return taken


def _info(entry: MemoryEntry) -> zipfile.ZipInfo:
    # Checked on the way out too: whatever a row holds, no name leads out of the directory it is unpacked to.
    name = f"{MEMORIES}/{MemoryPath.parse(entry.path).relative}"
    info = zipfile.ZipInfo(name, max(_clock(entry.updated_at), EARLIEST))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _clock(moment: datetime) -> tuple[int, int, int, int, int, int]:
    local = timezone.localtime(moment)
    return local.year, local.month, local.day, local.hour, local.minute, local.second
