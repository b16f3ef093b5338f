"""Export: a store written into an empty directory, byte for byte, each file with the time of its newest version."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path

from memories.models import Blob, Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.store import blobs
from memories.transfer import manifest
from memories.transfer.spelling import portable

BATCH_FILES = 100
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


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
        """Write file after file and yield the name of each, below the directory; the last may be the manifest."""
        root = self._folder / "memories"
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        paths = iter(self._files)
        while batch := list(islice(paths, BATCH_FILES)):
            packed = Blob.objects.in_bulk([self._files[path][0] for path in batch])
            for path in batch:
                blob_id, modified = self._files[path]
                blob = packed[blob_id]
                _write(root, self._spelled[path], blobs.unpack(blob.encoding, blob.data), modified)
                yield f"memories/{self._spelled[path]}"
        if text := manifest.text_of(self._spelled):
            (self._folder / manifest.NAME).write_text(text)
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


def _write(root: Path, spelling: str, data: bytes, modified: datetime) -> None:
    *directories, name = spelling.split("/")
    with _directory(root, directories) as directory:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=directory)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            moment = _nanoseconds(modified)
            os.utime(descriptor, ns=(moment, moment))


@contextmanager
def _directory(root: Path, names: Sequence[str]) -> Iterator[int]:
    """Open a directory below ``root``, made if need be, without following a link on the way."""
    descriptor = os.open(root, _DIRECTORY)
    try:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=descriptor)
            inner = os.open(name, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _nanoseconds(moment: datetime) -> int:
    # Not through a float: that would lose the last digit, and the next import would see another time.
    since = moment - datetime(1970, 1, 1, tzinfo=moment.tzinfo)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
