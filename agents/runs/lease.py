"""Who drives a run. A lapsed lease may be taken by anyone; its fencing number keeps the old holder from writing."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from agents.claude.interrupts import Interrupt
from agents.models import Run, RunState
from agents.runs import events
from memories.store.turns import in_turn


class LeaseLost(Exception):
    """Somebody else holds the run now, so nothing was written."""


class Ended(StrEnum):
    """Why a holder should let go."""

    CANCELLED = "cancelled"
    STOPPING = "stopping"
    LOST = "lost"


class Lease:
    """A claim on a run under fencing number ``epoch``. One thread drives; another may tell it to let go."""

    def __init__(self, run_id: int, epoch: int, attempts: int) -> None:
        self.run_id = run_id
        self.epoch = epoch
        self.attempts = attempts
        self.ended: Ended | None = None
        self._lock = threading.Lock()
        self._interrupt: Interrupt | None = None
        self._on_beat: Callable[[], None] | None = None
        self._counted_to = time.monotonic()

    def end(self, why: Ended) -> None:
        """Tell the driving thread to let go, even while it waits for the model; the first reason stays."""
        with self._lock:
            self.ended = self.ended or why
            if self._interrupt is not None:
                self._interrupt.fire(self.ended)

    @contextmanager
    def request(self, *, on_beat: Callable[[], None]) -> Iterator[Interrupt]:
        """Give the interrupt for one request to the model, which :meth:`end` fires, and answer beats meanwhile."""
        interrupt = Interrupt()
        with self._lock:
            self._interrupt, self._on_beat = interrupt, on_beat
            if self.ended:
                interrupt.fire(self.ended)
        try:
            yield interrupt
        finally:
            with self._lock:
                self._interrupt = self._on_beat = None

    def beat(self) -> None:
        """Do what the request under way wants done several times a second; called by the keeper's thread."""
        with self._lock:
            on_beat = self._on_beat
        if on_beat is not None:
            on_beat()

    def seconds_to_count(self) -> float:
        """Return the active seconds since this was last asked; each is counted once."""
        with self._lock:
            now = time.monotonic()
            passed, self._counted_to = now - self._counted_to, now
        return passed

    def renew(self) -> None:
        """Hold the run for another while; raise LeaseLost if it is somebody else's."""
        self.write(lease_until=_lapse())

    def write(self, **changes: Any) -> None:
        """Change the run's row if this lease still holds it, else raise LeaseLost."""
        mine = Run.objects.filter(pk=self.run_id, lease_epoch=self.epoch, state=RunState.RUNNING)
        active = F("active_seconds") + self.seconds_to_count()
        if not mine.update(updated_at=timezone.now(), active_seconds=active, **changes):
            raise LeaseLost

    @contextmanager
    def fenced(self, **changes: Any) -> Iterator[None]:
        """Open a transaction whose first statement is :meth:`write`: without the lease, nothing in it happens.

        Raises Busy when others keep the database for longer than a writer waits.
        """
        with in_turn(), transaction.atomic(durable=True):
            self.write(**changes)
            yield


def takeable(now: datetime) -> Q:
    """Return which runs have work and no living holder: queued, due for a retry, or with a lapsed lease."""
    return (
        Q(state=RunState.QUEUED)
        | Q(state=RunState.WAITING, wake_at__lte=now)
        | Q(state=RunState.RUNNING, lease_until__lte=now)
    )


def take(run_id: int) -> Lease | None:
    """Claim the run and count a try, or return None if there is no work in it or somebody holds it."""
    with in_turn(), transaction.atomic(durable=True):
        now = timezone.now()
        taken = Run.objects.filter(takeable(now), pk=run_id).update(
            state=RunState.RUNNING,
            reason="",
            detail="",
            wake_at=None,
            lease_owner=f"{socket.gethostname()[:80]}:{os.getpid()}",
            lease_until=_lapse(),
            lease_epoch=F("lease_epoch") + 1,
            attempts=F("attempts") + 1,
            started_at=Coalesce("started_at", now),
            updated_at=now,
        )
        if not taken:
            return None
        epoch, attempts = Run.objects.values_list("lease_epoch", "attempts").get(pk=run_id)
        events.add(run_id, events.Kind.STATE, {"state": RunState.RUNNING})
    return Lease(run_id, epoch, attempts)


def lapse_all() -> None:
    """Let every lease lapse now; only for whoever has proof that no worker lives, such as the data folder's lock."""
    Run.objects.filter(state=RunState.RUNNING).update(lease_until=timezone.now())


def _lapse() -> datetime:
    return timezone.now() + timedelta(seconds=settings.MEMDASH_LEASE_SECONDS)
