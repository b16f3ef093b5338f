"""Who has looked at what: read events, and the access stamps that expiry asks for.

A run records its looks in the transaction of the tool call. Outside runs they wait in memory, for seconds at most, so
that a look costs no write: they are written together once there are 100, after 5 seconds, and when the process ends.
"""

import atexit
import logging
from collections.abc import Sequence
from datetime import timedelta
from threading import Event, Lock, Thread

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memories.actors import Actor
from memories.commands import Look, Snapshot
from memories.models import MemoryStore
from memories.refusals import Busy
from memories.store.records import Read
from memories.store.sql import Sql
from memories.store.turns import in_turn

log = logging.getLogger(__name__)

FRESH = timedelta(seconds=60)
"""A younger access stamp is left as it is."""


def shown(look: Look, seen: Snapshot, store_id: int, actor: Actor) -> tuple[Read, ...]:
    """Return what ``actor`` was shown, as rows to record."""
    entry_id, version = (look.entry.id, look.entry.version) if look.entry else (None, None)
    moment = actor.authored_at or timezone.now()
    lines = look.first_line, look.last_line
    return (Read(store_id, entry_id, look.path.text, version, seen.totals.seq, *lines, actor, moment),)


def record(sql: Sql, reads: Sequence[Read]) -> None:
    """Write reads and the access stamps that follow from them; a listing is no access."""
    if reads:
        sql.add_reads(reads)
        newest = {read.entry_id: read.read_at for read in reads if read.entry_id is not None}
        sql.stamp_access(
            (entry_id, sql.moment(moment), sql.moment(moment - FRESH)) for entry_id, moment in newest.items()
        )


class Buffer:
    """Reads that wait to be written; none is ever skipped.

    A thread writes them, so that no look waits for a writer: once there are ``most``, or ``seconds`` after the first
    (None: only when they are many).
    """

    def __init__(self, *, most: int = 100, seconds: float | None = 5.0) -> None:
        self.most = most
        self.seconds = seconds
        self._gate = Lock()
        self._reads: list[Read] = []
        self._due = Event()
        self._writer: Thread | None = None

    def add(self, reads: Sequence[Read]) -> None:
        """Keep reads for later."""
        with self._gate:
            before = len(self._reads)
            self._reads.extend(reads)
            if self._reads and self._writer is None:
                self._due.clear()
                self._writer = Thread(target=self._write_in_time, name="memdash-reads", daemon=True)
                self._writer.start()
            if before < self.most <= len(self._reads):
                self._due.set()

    def flush(self) -> None:
        """Write everything that waits. When the database cannot, it goes on waiting, and the error is raised."""
        with self._gate:
            reads, self._reads = self._reads, []
        try:
            if reads:
                _write(reads)
        except BaseException:
            with self._gate:
                self._reads[:0] = reads
            raise

    def discard(self) -> None:
        """Forget everything that waits, which belongs to a database that goes away, and end the thread."""
        with self._gate:
            self._reads.clear()
            writer = self._writer
        self._due.set()
        if writer:
            writer.join()

    def _write_in_time(self) -> None:
        while self._still_waiting():
            self._due.wait(self.seconds)
            self._due.clear()
            try:
                self.flush()
            except Exception:
                # Whatever it was, this thread goes on: without it nothing would be written any more.
                log.exception("reads could not be recorded yet; they wait for the next time")
            finally:
                connection.close()

    def _still_waiting(self) -> bool:
        with self._gate:
            if not self._reads:
                self._writer = None
            return self._writer is not None


def _write(reads: Sequence[Read]) -> None:
    """Write reads of the stores that still exist."""
    with in_turn(), transaction.atomic():
        # Locked in one order, and before any file: two that stamp the same files could wait for each other for ever.
        stores = MemoryStore.objects.select_for_update(no_key=True).order_by("pk")
        there = set(stores.filter(pk__in={read.store_id for read in reads}).values_list("pk", flat=True))
        record(Sql(), [read for read in reads if read.store_id in there])


buffer = Buffer()
flush = buffer.flush


@atexit.register
def _flush_at_exit() -> None:
    try:
        flush()
    except (DatabaseError, Busy):
        log.error("the last reads of this process could not be recorded")
