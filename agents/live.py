"""Live pages: one thread of each web process reads the database for every open stream.

A stream that asked by itself would cost a connection and a query a beat for each viewer. Here a run's news is read and
rendered once for all who are equally far, and handed to them over their event loops.
"""

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.db import Error, connection

from agents.models import Run

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
BEAT_SECONDS = 15.0
LIFE_SECONDS = 600.0
STREAMS_PER_USER = 8


@dataclass(frozen=True)
class Update:
    """News of a run up to event ``seq``, as HTML; ``over`` says that no more will come."""

    seq: int
    html: str
    over: bool


@dataclass(frozen=True)
class Beat:
    """Nothing new; sent so that a dead connection is noticed."""


@dataclass(frozen=True)
class Closed:
    """The stream ends: the person may no longer look, or the run cannot be shown."""


News = Update | Beat | Closed
Render = Callable[[int, int, bool], Update | None]


@dataclass(eq=False)
class Viewer:
    """An open stream: which run it watches, how far it got, and what its person may do."""

    run_id: int
    cursor: int
    user_id: int
    may_write: bool
    still_allowed: Callable[[], bool]
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    news: "asyncio.Queue[News]" = field(default_factory=asyncio.Queue)

    def tell(self, news: News) -> bool:
        """Hand ``news`` to the stream's event loop; return False when that loop has gone."""
        try:
            self.loop.call_soon_threadsafe(self.news.put_nowait, news)
        except RuntimeError:
            return False
        return True


class Poller:
    """Feeds all viewers of this process from one thread, which lives while somebody looks."""

    def __init__(self, render: Render, *, poll: float = POLL_SECONDS, beat: float = BEAT_SECONDS) -> None:
        self.render = render
        self.poll = poll
        self.beat = beat
        self._viewers: set[Viewer] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def join(self, viewer: Viewer) -> None:
        """Feed ``viewer`` from now on, starting behind its cursor."""
        with self._lock:
            self._viewers.add(viewer)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name="live-pages", daemon=True)
                self._thread.start()

    def leave(self, viewer: Viewer) -> None:
        """Feed ``viewer`` no more; leaving twice is the same as once."""
        with self._lock:
            self._viewers.discard(viewer)

    def streams_of(self, user_id: int) -> int:
        """Return how many streams of the person are open in this process."""
        with self._lock:
            return sum(viewer.user_id == user_id for viewer in self._viewers)

    def _watching(self) -> list[Viewer]:
        """Return who looks now; when nobody does, the thread counts as ended from here on."""
        with self._lock:
            if not self._viewers:
                self._thread = None
            return list(self._viewers)

    def _serve(self) -> None:
        next_beat = time.monotonic() + self.beat
        while viewers := self._watching():
            try:
                if time.monotonic() >= next_beat:
                    next_beat = time.monotonic() + self.beat
                    self._check(viewers)
                self._feed(viewers)
            except Error:
                logger.exception("live pages could not read the database; trying again")
            finally:
                connection.close()
            time.sleep(self.poll)

    def _feed(self, viewers: Iterable[Viewer]) -> None:
        """Send what is new: one query for all runs, one rendering for viewers who are equally far."""
        alike: dict[tuple[int, int, bool], list[Viewer]] = defaultdict(list)
        for viewer in viewers:
            alike[viewer.run_id, viewer.cursor, viewer.may_write].append(viewer)
        newest = dict(Run.objects.filter(pk__in={run_id for run_id, _, _ in alike}).values_list("pk", "last_event"))
        for (run_id, cursor, may_write), group in alike.items():
            if newest.get(run_id, cursor) > cursor:
                self._send(group, run_id, cursor, may_write)

    def _send(self, viewers: Iterable[Viewer], run_id: int, cursor: int, may_write: bool) -> None:
        try:
            update = self.render(run_id, cursor, may_write)
        except Error:
            raise
        except Exception:
            # A run that cannot be shown must not take the news of all others away.
            logger.exception("the news of run %s could not be rendered", run_id)
            self._dismiss(viewers)
            return
        if update is None:
            return
        for viewer in viewers:
            viewer.cursor = update.seq
            self._tell(viewer, update)

    def _check(self, viewers: Iterable[Viewer]) -> None:
        """Ask again whether each viewer may look, and end the streams of those who may not."""
        for viewer in viewers:
            if viewer.still_allowed():
                self._tell(viewer, Beat())
            else:
                self._dismiss([viewer])

    def _dismiss(self, viewers: Iterable[Viewer]) -> None:
        for viewer in viewers:
            self._tell(viewer, Closed())
            self.leave(viewer)

    def _tell(self, viewer: Viewer, news: News) -> None:
        if not viewer.tell(news):
            self.leave(viewer)
