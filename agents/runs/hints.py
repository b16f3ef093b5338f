"""Telling a worker that a run has work. Losing a hint costs time and nothing else: the row says what is due."""

import logging

from celery import current_app
from django.db import transaction

logger = logging.getLogger(__name__)

TASK = "agents.drive_run"
QUEUE = "runs"


def send(run_id: int, *, after_seconds: float = 0) -> None:
    """Once the present transaction is committed, ask a worker to drive the run; without a broker, reconcile will."""
    transaction.on_commit(lambda: _send(run_id, after_seconds))


def waiting() -> int | None:
    """Return how many hints wait in the broker, or None if it does not say."""
    try:
        with current_app.connection_for_write() as connection:
            return int(connection.default_channel.queue_declare(QUEUE, passive=True).message_count)
    except Exception:  # whatever a broker's client raises when it is away
        return None


def _send(run_id: int, after_seconds: float) -> None:
    try:
        current_app.send_task(TASK, args=[run_id], queue=QUEUE, countdown=after_seconds or None)
    except Exception as error:  # as above; the run is queued in the database, so the page that asked is right
        logger.warning("run %s was queued, and the broker could not be told: %s", run_id, type(error).__name__)
