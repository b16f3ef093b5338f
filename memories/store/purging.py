"""Trash that is emptied for good, some files in each transaction, so that nobody waits long for the store.

What is due stands in a row: a worker that is killed leaves whole transactions behind, and the next one goes on.
"""

import logging
from contextlib import suppress
from dataclasses import replace
from typing import Final

from celery import current_app
from django.db import DatabaseError, connection
from django.db.models import F
from django.utils import timezone

from memories.actors import Actor, ActorKind
from memories.commands import Purge
from memories.commands.purges import MOST
from memories.models import Emptying, MemoryEntry, MemoryStore, State
from memories.store.locking import locked
from memories.store.records import Outcome

TASK: Final = "memories.empty_trash"

log = logging.getLogger(__name__)

VERSIONS: Final = 5_000
"""Versions that the files of one transaction have together; a file that has more goes alone."""

PATIENCE_MS: Final = 2_000
"""How long SQLite's log may wait for readers before it is left for later."""


def begin(store: MemoryStore, *, actor: Actor, upto_seq: int) -> Emptying:
    """Keep that what went into the trash up to ``upto_seq`` is to be purged, and return what says so."""
    with locked(store.pk):
        due = MemoryEntry.objects.filter(store=store, state=State.TRASH, changed_seq__lte=upto_seq)
        return Emptying.objects.create(
            store=store,
            user_id=actor.user_id,
            actor_label=actor.label,
            upto_seq=upto_seq,
            total=due.count(),
            asked_at=timezone.now(),
        )


def go_on(emptying: Emptying) -> bool:
    """Purge the next files of an order and return whether there may be more; doing it twice does no harm.

    All of it is one act, whoever does it and however often it was cut off.
    """
    count = f"{emptying.total:,} {'file' if emptying.total == 1 else 'files'}"
    actor = Actor(
        ActorKind.PERSON,
        emptying.actor_label,
        user_id=emptying.user_id,
        change_set=f"empty:{emptying.uuid}",
        reason=f"Emptied the trash of {count}.",
    )
    with locked(emptying.store_id) as tx:
        orders = Emptying.objects.filter(pk=emptying.pk, finished_at=None)
        if due := _next(emptying):
            tx.apply(Purge(due), actor=actor)
            orders.update(purged=F("purged") + len(due))
            return True
        orders.update(finished_at=timezone.now())
    forget_freed_bytes()
    return False


def go_on_with_all() -> int:
    """Finish every order that is not finished; return how many there were."""
    orders = list(Emptying.objects.filter(finished_at=None).order_by("pk"))
    for emptying in orders:
        while go_on(emptying):
            pass
    return len(orders)


def send_for_a_worker() -> None:
    """Ask a worker to go on with what is due; without a broker, the next periodic message does."""
    try:
        current_app.send_task(TASK)
    except Exception as error:  # whatever a broker's client raises when it is away
        log.warning("Could not send for a worker to empty the trash: %s", type(error).__name__)


def purge(store_id: int, file_ids: tuple[int, ...], *, actor: Actor) -> Outcome:
    """Purge files of the trash as one act; PathMissing when none of them is in it."""
    count = f"{len(file_ids):,} {'file' if len(file_ids) == 1 else 'files'}"
    with locked(store_id) as tx:
        outcome = tx.apply(Purge(file_ids), actor=replace(actor, reason=f"Purged {count} from the trash."))
    forget_freed_bytes()
    return outcome


def _next(emptying: Emptying) -> tuple[int, ...]:
    trash = MemoryEntry.objects.filter(
        store=emptying.store_id, state=State.TRASH, changed_seq__lte=emptying.upto_seq
    ).order_by("path", "changed_seq")
    due: list[int] = []
    versions = 0
    for pk, version in trash.values_list("pk", "version")[:MOST]:
        versions += version
        if due and versions > VERSIONS:
            break
        due.append(pk)
    return tuple(due)


def forget_freed_bytes() -> None:
    """Have SQLite write what was overwritten into the database file, where the old bytes stand until then.

    Left for later where somebody reads for long. PostgreSQL frees them when it vacuums.
    """
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with suppress(DatabaseError), connection.cursor() as cursor:
            before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
            try:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {before}")
