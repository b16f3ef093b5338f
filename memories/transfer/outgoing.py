"""Export: a store written into an empty directory, byte for byte, each file with the time of its newest version."""

import os
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from memories.models import Blob, Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.store import blobs
from memories.transfer import manifest
from memories.transfer.opening import open_below, open_top
from memories.transfer.source import MEMORIES
from memories.transfer.spelling import portable

BATCH_FILES = 100


class TargetRefused(Exception):
    """The directory is not one to export to; the text says why and what to do."""


class Export:
    """The files that a store has now, on their way to a directory; later changes do not come along.

    Nothing is ever replaced: the directory must hold no file yet. Raises TargetRefused.
    """

    def __init__(self, store: MemoryStore, folder: Path, *, spell_portably: bool = False) -> None:
        _refuse_files(folder)
        self._folder = folder
        files = MemoryEntry.objects.filter(store=store, state=State.LIVE, kind=Kind.FILE).order_by("path")
        rows = list(files.values_list("path", "blob_id", "updated_at"))
        # Names are checked on the way out too: whatever a row holds, nothing is written outside the directory.
        self._files = {MemoryPath.parse(path): (blob_id, updated_at) for path, blob_id, updated_at in rows}
        self._spelled = portable(self._files) if spell_portably else {path: path.relative for path in self._files}

    def __len__(self) -> int:
        return len(self._files)

    def write(self) -> Iterator[str]:
        """Write file after file and yield the name of each, below the directory; the last may be the manifest.

        Raises OSError, also when something else was put in the directory's place.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_top(self._folder.resolve()) as top, open_below(top, [MEMORIES], make=True) as root:
            paths = iter(self._files)
            while batch := list(islice(paths, BATCH_FILES)):
                packed = Blob.objects.in_bulk([self._files[path][0] for path in batch])
                for path in batch:
                    blob_id, modified = self._files[path]
                    blob = packed[blob_id]
                    _write(root, self._spelled[path], blobs.unpack(blob.encoding, blob.data), modified)
                    yield f"{MEMORIES}/{self._spelled[path]}"
            if text := manifest.text_of(self._spelled):
                _write(top, manifest.NAME, text.encode())
                yield manifest.NAME


def _refuse_files(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise TargetRefused(f"{folder} is no directory. Name a new or empty one.")
    for top, directories, files in os.walk(folder):
        links = [name for name in directories if (Path(top) / name).is_symlink()]
        if files or links:
            raise TargetRefused(
                f"{folder} holds files already, such as {Path(top) / (files or links)[0]}. An export replaces nothing:"
                " name a new or empty directory."
            )


def _write(top: int, name: str, data: bytes, modified: datetime | None = None) -> None:
    *above, last = name.split("/")
    with open_below(top, above, make=True) as directory:
        descriptor = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=directory)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if modified:
                moment = _nanoseconds(modified)
                os.utime(descriptor, ns=(moment, moment))


def _nanoseconds(moment: datetime) -> int:
    # Not through a float: that would lose the last digit, and the next import would see another time.
    since = moment - datetime(1970, 1, 1, tzinfo=moment.tzinfo)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
