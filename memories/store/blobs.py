"""Bytes of files, kept once per store and compressed when that is worth it."""

from hashlib import sha256
from threading import local
from typing import Any

import zstandard

from memories.store.sql import Sql

LEVEL = 3
WORTH_COMPRESSING = 512


class _Codec(local):
    """A compressor and a decompressor of each thread: one shared by two threads crashes the process."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_codec = _Codec()


def keep(sql: Sql, store_id: int, data: bytes) -> tuple[int, str]:
    """Return the id of the store's blob that holds ``data``, made if there is none, and its SHA-256."""
    digest = sha256(data).hexdigest()
    blob_id = sql.blob_id(store_id, digest)
    if blob_id is None:
        size = len(data)
        encoding, packed = ("zstd", _codec.compressor.compress(data)) if size > WORTH_COMPRESSING else ("raw", data)
        blob_id = sql.add_blob(store_id, digest, encoding, size, packed)
    return blob_id, digest


def beginning(encoding: str, data: Any, size: int) -> bytes:
    """Return the first bytes of a blob, ``size`` at most, without unpacking the rest."""
    if encoding != "zstd":
        return bytes(data[:size])
    with _codec.decompressor.stream_reader(data) as reader:
        return reader.read(size)


def unpack(encoding: str, data: Any) -> bytes:
    """Return the bytes of a blob as they were given."""
    return _codec.decompressor.decompress(data) if encoding == "zstd" else bytes(data)
