"""Who has looked at what: read events, and the access stamps that expiry asks for.

A run records its looks in the transaction of the tool call. Outside runs they wait in memory, for seconds at most, so
that a look costs no write: they are written together once there are 100, after 5 seconds, and when the process ends.
"""

import atexit
import logging
import math
from collections.abc import Sequence
from datetime import timedelta
from threading import Lock, Timer

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memories.actors import Actor
from memories.commands import Effects, Snapshot
from memories.models import MemoryStore
from memories.store.records import Read
from memories.store.sql import Sql

log = logging.getLogger(__name__)

FRESH = timedelta(seconds=60)
"""A younger access stamp is left as it is."""


def shown(effects: Effects, seen: Snapshot, store_id: int, actor: Actor) -> tuple[Read, ...]:
    """Return what ``effects`` has shown to ``actor``, as rows to record."""
    look = effects.look
    if look is None:
        return ()
    entry_id, version = (look.entry.id, look.entry.version) if look.entry else (None, None)
    moment = actor.authored_at or timezone.now()
    lines = look.first_line, look.last_line
    return (Read(store_id, entry_id, look.path.text, version, seen.totals.seq, *lines, actor, moment),)


def record(sql: Sql, reads: Sequence[Read]) -> None:
    """Write reads and the access stamps that follow from them; a listing is no access."""
    if reads:
        sql.add_reads(reads)
        newest = {read.entry_id: read.read_at for read in reads if read.entry_id is not None}
        sql.stamp_access((entry_id, moment, moment - FRESH) for entry_id, moment in newest.items())


class Buffer:
    """Reads that wait to be written; none is ever skipped."""

    def __init__(self, *, most: int = 100, seconds: float = 5.0) -> None:
        self.most = most
        self.seconds = seconds
        self._gate = Lock()
        self._reads: list[Read] = []
        self._timer: Timer | None = None

    def add(self, reads: Sequence[Read]) -> None:
        """Keep reads for later, and write all that wait when they have become many."""
        with self._gate:
            self._reads.extend(reads)
            full = len(self._reads) >= self.most
            if self._timer is None and not full and self.seconds < math.inf:
                self._timer = Timer(self.seconds, self._flush_in_time)
                self._timer.daemon = True
                self._timer.start()
        if full:
            self.flush()

    def flush(self) -> None:
        """Write everything that waits. When the database cannot, it goes on waiting, and the error is raised."""
        with self._gate:
            reads, self._reads = self._reads, []
            if self._timer:
                self._timer.cancel()
                self._timer = None
        try:
            if reads:
                _write(reads)
        except BaseException:
            with self._gate:
                self._reads[:0] = reads
            raise

    def discard(self) -> None:
        """Forget everything that waits, which belongs to a database that is gone."""
        with self._gate:
            self._reads.clear()

    def _flush_in_time(self) -> None:
        try:
            self.flush()
        except DatabaseError:
            log.warning("reads could not be recorded yet; they wait for the next time")
        finally:
            connection.close()


def _write(reads: Sequence[Read]) -> None:
    """Write reads of the stores that still exist."""
    with transaction.atomic():
        stores = set(MemoryStore.objects.filter(pk__in={read.store_id for read in reads}).values_list("pk", flat=True))
        record(Sql(), [read for read in reads if read.store_id in stores])


buffer = Buffer()
flush = buffer.flush


@atexit.register
def _flush_at_exit() -> None:
    try:
        flush()
    except DatabaseError:
        log.error("the last reads of this process could not be recorded")
