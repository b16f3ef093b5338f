"""Workers and beat in threads of the process that serves pages, for a machine without Redis."""

import logging
import threading
import time
from collections.abc import Callable

from celery.beat import Service
from celery.worker import WorkController, state
from django.db import connections

from agents import runs
from agents.runs.keeper import KEEPER
from memdash.celery import APPS, CONCURRENCY

logger = logging.getLogger(__name__)

_threads: list[threading.Thread] = []
_beat: Service | None = None


def start() -> None:
    """Start working; return at once, while the workers get ready.

    The caller holds the data folder, which proves that every older worker on it is dead: what they left behind is taken
    up now and not when their leases lapse.
    """
    global _beat  # noqa: PLW0603  (one set of workers a process)
    runs.lapse_all()
    runs.reconcile()
    connections.close_all()
    _beat = Service(APPS["default"], max_interval=0.5, scheduler_cls="celery.beat:Scheduler", remote_control=False)
    _run("beat", _beat.start)
    for queue in CONCURRENCY:
        _run(f"worker-{queue}", _worker(queue).start)


def stop(timeout: float) -> bool:
    """Give runs back, end the workers and beat, and return whether all of it ended within ``timeout`` seconds.

    If it did, it can be started again.
    """
    deadline = time.monotonic() + timeout
    KEEPER.stop()
    if _beat is not None:
        _beat.stop()
    state.should_stop = 0
    for thread in _threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    ended = not any(thread.is_alive() for thread in _threads)
    _threads.clear()
    if ended:
        state.should_stop = None
        KEEPER.start()
    return ended


def _worker(queue: str) -> WorkController:
    return WorkController(
        app=APPS[queue],
        hostname=f"{queue}@embedded",
        queues=[queue],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )


def _run(name: str, work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work, name=name, daemon=True)
    _threads.append(thread)
    thread.start()
