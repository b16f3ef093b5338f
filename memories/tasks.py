"""Doors for the worker. A message may come twice or late; both are normal."""

from celery import shared_task

from memories.store import drafts, purging


@shared_task(name="memories.remove_old_drafts")
def remove_old_drafts() -> None:
    """Remove drafts that were discarded or left alone for too long; a second message finds none."""
    drafts.remove_old()


@shared_task(name="memories.empty_trash")
def empty_trash() -> None:
    """Go on with every order to empty a trash; a second message finds less to do, or nothing."""
    purging.go_on_with_all()
