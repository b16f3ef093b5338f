"""Keeps the leases of this process: one thread and one connection for all of its runs."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

from agents.models import Run
from agents.runs.lease import Ended, Lease, LeaseLost

logger = logging.getLogger(__name__)

BEAT_SECONDS = 0.25


class Keeper:
    """Renews leases, hears which were cancelled or taken by others, and lets requests write what has streamed.

    So a thread that reads a stream never waits for the database, and news need not wait for the stream's next event.
    Its own thread lives while a run is driven. A database that is away for a while is no reason to end: leases may
    lapse meanwhile, and their fencing numbers keep that harmless.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leases: set[Lease] = set()
        self._thread: threading.Thread | None = None
        self.stopping = False

    @contextmanager
    def keep(self, lease: Lease) -> Iterator[None]:
        """Look after ``lease`` while the block runs."""
        with self._lock:
            self._leases.add(lease)
            if self.stopping:
                lease.end(Ended.STOPPING)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="lease-keeper", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._leases.discard(lease)

    def stop(self) -> None:
        """Tell every driving thread to give its run back at the next event, and take no more; for a shutdown."""
        with self._lock:
            self.stopping = True
            for lease in self._leases:
                lease.end(Ended.STOPPING)

    def start(self) -> None:
        """Take runs again, after :meth:`stop` in the same process."""
        with self._lock:
            self.stopping = False

    def _kept(self) -> list[Lease]:
        """Return the leases to look after; when there are none, the thread counts as ended from here on."""
        with self._lock:
            if not self._leases:
                self._thread = None
            return list(self._leases)

    def _serve(self) -> None:
        next_renewal = time.monotonic() + settings.MEMDASH_RENEW_SECONDS
        while leases := self._kept():
            try:
                self._look(leases)
                renewing = time.monotonic() >= next_renewal
                if renewing:
                    next_renewal = time.monotonic() + settings.MEMDASH_RENEW_SECONDS
                for lease in leases:
                    self._beat(lease, renewing=renewing)
            except Exception:  # whatever it was, the leases of all runs depend on this thread
                logger.exception("the leases of this worker could not be looked after; trying again")
            finally:
                connection.close()
            time.sleep(BEAT_SECONDS)

    def _look(self, leases: list[Lease]) -> None:
        runs = Run.objects.filter(pk__in=[lease.run_id for lease in leases])
        rows = {pk: rest for pk, *rest in runs.values_list("pk", "lease_epoch", "cancel_requested_at")}
        for lease in leases:
            epoch, cancel_requested_at = rows.get(lease.run_id, (None, None))
            if epoch != lease.epoch:
                lease.end(Ended.LOST)
            elif cancel_requested_at is not None:
                lease.end(Ended.CANCELLED)

    def _beat(self, lease: Lease, *, renewing: bool) -> None:
        try:
            if renewing:
                lease.renew()
            lease.beat()
        except LeaseLost:
            lease.end(Ended.LOST)


KEEPER = Keeper()
