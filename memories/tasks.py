"""Doors for the worker. A message may come twice or late; both are normal."""

from celery import shared_task

from memories.search import index
from memories.store import drafts, purging

INDEX_SECONDS = 4.0
"""For how long a message has a worker index; what is left then waits for the next one."""


@shared_task(name="memories.remove_old_drafts")
def remove_old_drafts() -> None:
    """Remove drafts that were discarded or left alone for too long; a second message finds none."""
    drafts.remove_old()


@shared_task(name="memories.empty_trash")
def empty_trash() -> None:
    """Go on with every order to empty a trash; a second message finds less to do, or nothing."""
    purging.go_on_with_all()


@shared_task(name="memories.update_search")
def update_search() -> None:
    """Index what changed since the last message; a second one at the same time does no harm."""
    index.catch_up(INDEX_SECONDS)
    index.clean_up()
