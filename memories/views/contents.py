"""What is stored behind an entry or a version, for pages that show it."""

from memories.models import Blob
from memories.store import blobs


def data_of(blob: Blob | None) -> bytes:
    """Return the bytes as they were written; none where there is no content."""
    return blobs.unpack(blob.encoding, blob.data) if blob else b""


def text_of(blob: Blob | None) -> str:
    """Return the text as it was written; bytes that are not UTF-8 show as U+FFFD."""
    return data_of(blob).decode("utf-8", errors="replace")
