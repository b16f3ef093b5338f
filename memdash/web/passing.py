"""Notes that are written in passing: of a use, of a refusal. No answer waits long for one, and none fails by it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from django.db import DatabaseError, connection, transaction

log = logging.getLogger(__name__)

Came = TypeVar("Came")

PATIENCE: Final = 0.5
"""Seconds that a note waits for others who write."""


def in_passing(note: Callable[[], Came]) -> Came | None:
    """Run ``note`` in a transaction and return what it returns; None when the database could not take it in time.

    The note is lost then, and the log says so.
    """
    try:
        with _impatient(), transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('lock_timeout', %s, true)", (f"{PATIENCE:.3f}s",))
            return note()
    except DatabaseError:
        log.warning("the database did not take a note in time; it is lost", exc_info=True)
        return None


@contextmanager
def _impatient() -> Iterator[None]:
    """Let SQLite wait no longer than a note may for its turn to write."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    # The driver's own connection: Django's cursor refuses to run anything once a transaction has failed.
    driver = connection.connection
    (usual,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout = {usual}")
