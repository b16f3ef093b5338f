"""One writer at a time: the lock around a store's changes.

SQLite lets its writers poll for the database, so that the unlucky wait for seconds. A queue in the process and a file
lock between processes, both taken before the transaction begins and given back after it ends, let them go in turn.
PostgreSQL needs neither: there the store's row is the lock.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import OperationalError, connection, transaction

from memories import replies
from memories.refusals import Busy
from memories.store.queue import FairLock
from memories.store.transaction import Transaction

PATIENCE = 20.0
"""Seconds a writer waits before it gives up as busy; the database's own timeout is the same."""

POLL = 0.001

_queue = FairLock()


class _Mine(threading.local):
    """What this thread holds: the descriptor of the lock file, its own since a file lock belongs to a descriptor."""

    path: str = ""
    descriptor: int = -1
    writing: bool = False


_mine = _Mine()


@contextmanager
def locked(store_id: int, *, before: Callable[[], None] | None = None) -> Iterator[Transaction]:
    """Open the one transaction in which the store may change, and close it for every other writer meanwhile.

    ``before`` runs in the transaction ahead of the store's lock: a run takes its own row there, since that lock always
    comes first. What else the block writes is committed or rolled back with the changes. Raises Busy when others hold
    the store too long; refuses to run inside another transaction, so that nothing can wait while rows are locked.
    """
    if _mine.writing:
        raise RuntimeError("locked() inside locked() would wait for itself.")
    _mine.writing = True
    try:
        with _turn(), transaction.atomic(durable=True):
            if before:
                before()
            yield Transaction.begin(store_id)
    except OperationalError as error:
        if _means_busy(error):
            raise Busy(replies.BUSY) from error
        raise
    finally:
        _mine.writing = False


@contextmanager
def _turn() -> Iterator[None]:
    if connection.vendor != "sqlite":
        yield
        return
    deadline = time.monotonic() + PATIENCE
    if not _queue.acquire(PATIENCE):
        raise Busy(replies.BUSY)
    try:
        descriptor = _descriptor()
        while not _took(descriptor):
            if time.monotonic() > deadline:
                raise Busy(replies.BUSY)
            time.sleep(POLL)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        _queue.release()


def _took(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _descriptor() -> int:
    path = f"{connection.settings_dict['NAME']}.lock"
    if _mine.path != path:
        if _mine.descriptor >= 0:
            os.close(_mine.descriptor)
        Path(path).touch(mode=0o600)
        _mine.path, _mine.descriptor = path, os.open(path, os.O_RDWR | os.O_CLOEXEC)
    return _mine.descriptor


def _means_busy(error: OperationalError) -> bool:
    """Return whether the database gave up waiting for a lock, as opposed to being unreachable or full."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", None) == "55P03" or "database is locked" in str(error)
