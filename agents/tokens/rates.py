"""How often tokens may call. Each process that serves pages counts for itself, in memory."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

WINDOW: Final = 60.0
"""Seconds for which calls are counted together."""

MOST: Final = 10_000
"""Tokens that are counted at once; past that, those whose windows are over are forgotten."""


@dataclass(slots=True)
class Window:
    """A minute of one token: when it began, and how many calls came."""

    began: float
    calls: int = 0


@dataclass(frozen=True, slots=True)
class TooOften:
    """A call that is one too many: the seconds until the next is let in, and whether it is the first in its minute."""

    seconds: float
    is_first: bool


class Rates:
    """Counts the calls of each token by the minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._gate = threading.Lock()
        self._windows: dict[int, Window] = {}

    def take(self, token_id: int, limit: int) -> TooOften | None:
        """Count a call and return None, or what to say about one past ``limit`` in its minute."""
        now = self._clock()
        with self._gate:
            window = self._windows.get(token_id)
            if window is None or now - window.began >= WINDOW:
                if len(self._windows) >= MOST:
                    self._forget(now)
                window = self._windows[token_id] = Window(now)
            window.calls += 1
            if window.calls <= limit:
                return None
            return TooOften(window.began + WINDOW - now, window.calls == limit + 1)

    def _forget(self, now: float) -> None:
        self._windows = {token: window for token, window in self._windows.items() if now - window.began < WINDOW}


RATES: Final = Rates()
