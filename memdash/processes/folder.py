"""The data folder: private, with the secret key made at the first start, held by one ``memdash up`` at a time."""

import contextlib
import fcntl
import json
import os
import secrets
import time
from pathlib import Path

GLANCE_SECONDS = 0.3
"""Longer than :func:`holder` keeps the lock that it takes to see whether anybody has it."""

_held: dict[Path, int] = {}


class FolderTaken(Exception):
    """Another process holds the data folder."""


def make(folder: Path) -> None:
    """Make the data folder with mode 0700; one that is there, ours and still empty is made private too.

    A folder with something in it keeps its mode: it may be shared on purpose, and :func:`is_open` tells.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid() and not any(folder.iterdir()):
        folder.chmod(0o700)


def is_open(folder: Path) -> bool:
    """Return whether others on this machine may look into the folder."""
    return bool(folder.stat().st_mode & 0o077)


def secret_key(folder: Path) -> str:
    """Return the folder's secret key, made at the first call (mode 0600); several processes may ask at once."""
    file = folder / "secret-key"
    if not file.exists():
        make(folder)
        draft = folder / f".secret-key-{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        # A link never replaces: whoever comes second reads the key of the first, and nobody reads half a key.
        with contextlib.suppress(FileExistsError):
            file.hardlink_to(draft)
        draft.unlink()
    return file.read_text().strip()


def hold(folder: Path) -> None:
    """Hold the folder until this process ends, however it ends; holding it already is fine.

    Raises FolderTaken, with the holder's process and address where they are known.
    """
    if folder in _held:
        return
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + GLANCE_SECONDS
    while not _locked(descriptor, fcntl.LOCK_EX):
        if time.monotonic() > deadline:
            os.close(descriptor)
            raise FolderTaken(_taken(folder))
        time.sleep(0.05)
    _held[folder] = descriptor
    describe(folder, "")


def describe(folder: Path, address: str) -> None:
    """Write into the lock who holds the folder and where they serve, for whoever comes second."""
    descriptor = _held[folder]
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "address": address}).encode(), 0)


def holder(folder: Path) -> dict[str, object] | None:
    """Return ``pid`` and ``address`` of the process that holds the folder now, or None when nobody does."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _locked(descriptor, fcntl.LOCK_SH) else _note(folder)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note(folder: Path) -> dict[str, object]:
    try:
        note = json.loads((folder / "lock").read_text())
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _taken(folder: Path) -> str:
    note = _note(folder)
    who = f"process {note['pid']}" if note.get("pid") else "another process"
    where = f", which serves {note['address']}" if note.get("address") else ""
    return (
        f"The data folder {folder} is held by {who}{where}. Open that one, stop it first, or set"
        " MEMDASH_DATA to another folder."
    )
