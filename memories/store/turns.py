"""Writers of one SQLite database go in turn.

Left to SQLite they poll for it, and the unlucky one waits for seconds. Here the threads of a process queue up, and the
one in front waits for the other processes' turns to end: first for the gate, which newcomers have to pass too, so that
a busy process cannot shut the others out, and then for the turn itself.
"""

import fcntl
import os
import threading
import time
from collections import deque
from contextlib import AbstractContextManager, nullcontext

from django.db import DEFAULT_DB_ALIAS, connections

from memories import replies
from memories.refusals import Busy

PATIENCE = 20.0
"""Seconds a writer waits before it gives up as busy; SQLite's own timeout is the same."""

POLL = 0.0005
"""Seconds between two tries for a lock that another process holds."""


class FairLock:
    """A lock for the threads of a process that is handed on in the order in which they asked."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()

    def acquire(self, timeout: float) -> bool:
        """Take the lock, waiting up to ``timeout`` seconds; return whether it was got."""
        with self._gate:
            if not self._taken:
                self._taken = True
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=timeout):
            return True
        with self._gate:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        # It was handed over between the end of the wait and here.
        return True

    def release(self) -> None:
        """Hand the lock to whoever waits longest."""
        with self._gate:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


class FileLock:
    """A lock between processes. Each thread needs its own: the lock belongs to the open file, not to who opened it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __del__(self) -> None:
        os.close(self._descriptor)

    def acquire(self, deadline: float) -> None:
        """Take the lock; raise Busy when the monotonic clock reaches ``deadline`` first."""
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Busy(replies.BUSY) from None
                time.sleep(POLL)
            else:
                return

    def release(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)


class _Mine(threading.local):
    """The lock files that this thread has open."""

    path = ""
    gate: FileLock
    turn: FileLock

    def open(self, path: str) -> None:
        """Open the files beside the database at ``path``, unless they are the ones that are open."""
        if self.path != path:
            self.path, self.gate, self.turn = path, FileLock(f"{path}.gate"), FileLock(f"{path}.lock")


_queue = FairLock()
_mine = _Mine()


class Turn:
    """A thread's turn to write to the database at ``path``; a class, since a generator takes twice as long."""

    __slots__ = ("_path", "_patience")

    def __init__(self, path: str, patience: float) -> None:
        self._path, self._patience = path, patience

    def __enter__(self) -> None:
        deadline = time.monotonic() + self._patience
        if not _queue.acquire(self._patience):
            raise Busy(replies.BUSY)
        try:
            _mine.open(self._path)
            _mine.gate.acquire(deadline)
            try:
                _mine.turn.acquire(deadline)
            finally:
                _mine.gate.release()
        except BaseException:
            _queue.release()
            raise

    def __exit__(self, *error: object) -> None:
        try:
            _mine.turn.release()
        finally:
            _queue.release()


def in_turn(patience: float = PATIENCE) -> AbstractContextManager[None]:
    """Wait for this thread's turn to write, and end it with the block; raise Busy after ``patience`` seconds.

    On PostgreSQL it is always everybody's turn: there the rows are the locks.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    return Turn(str(connection.settings_dict["NAME"]), patience) if connection.vendor == "sqlite" else nullcontext()
