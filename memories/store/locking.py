"""One writer at a time: the lock around a store's changes."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction

from memories import replies
from memories.refusals import Busy
from memories.store.transaction import Transaction
from memories.store.turns import PATIENCE, in_turn


class _Mine(threading.local):
    """Whether this thread is inside ``locked``."""

    writing = False


_mine = _Mine()


@contextmanager
def locked(store_id: int, *, before: Callable[[], None] | None = None) -> Iterator[Transaction]:
    """Open the one transaction in which the store may change, and close it for every other writer meanwhile.

    ``before`` runs in the transaction ahead of the store's lock: a run takes its own row there, since that lock always
    comes first. What else the block writes is committed or rolled back with the changes. Raises Busy when others hold
    the store too long; refuses to run inside another transaction, so that nothing can wait while rows are locked.
    """
    if _mine.writing:
        raise RuntimeError("locked() inside locked() would wait for itself.")
    _mine.writing = True
    try:
        with in_turn(PATIENCE), transaction.atomic(durable=True):
            if before:
                before()
            yield Transaction.begin(store_id, PATIENCE)
    except OperationalError as error:
        if _means_busy(error):
            raise Busy(replies.BUSY) from error
        raise
    finally:
        _mine.writing = False


@contextmanager
def locked_together(store_ids: Iterable[int]) -> Iterator[dict[int, Transaction]]:
    """Open one transaction in which several stores may change: all that is done in it happens, or nothing does.

    Raises Busy as :func:`locked` does.
    """
    # In the same order by everybody, so that no two wait for each other.
    first, *others = sorted(set(store_ids))
    with locked(first) as tx:
        yield {first: tx} | {other: Transaction.begin(other, PATIENCE) for other in others}


def _means_busy(error: OperationalError) -> bool:
    """Return whether the database gave up waiting for a lock, as opposed to being unreachable or full."""
    return getattr(error.__cause__, "sqlstate", None) == "55P03" or "database is locked" in str(error)
