"""Doors for the worker. A message may come twice or late; both are normal."""

from celery import shared_task

from memories.store import drafts


@shared_task(name="memories.remove_old_drafts")
def remove_old_drafts() -> None:
    """Remove drafts that were discarded or left alone for too long; a second message finds none."""
    drafts.remove_old()
