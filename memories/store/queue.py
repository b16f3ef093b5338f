"""A fair lock: whoever waits longest goes first."""

from collections import deque
from threading import Lock


class FairLock:
    """A lock for the threads of a process that is handed on in the order in which they asked."""

    def __init__(self) -> None:
        self._gate = Lock()
        self._taken = False
        self._waiting: deque[Lock] = deque()

    def acquire(self, timeout: float) -> bool:
        """Take the lock, waiting up to ``timeout`` seconds; return whether it was got."""
        with self._gate:
            if not self._taken:
                self._taken = True
                return True
            turn = Lock()
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
