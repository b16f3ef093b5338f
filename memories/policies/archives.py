"""Archived stores: nobody changes what lies out of everybody's reach."""

from collections.abc import Sequence

from memories import replies
from memories.commands import Change, Totals
from memories.refusals import StoreGone


def check(changes: Sequence[Change], totals: Totals) -> None:
    """Raise StoreGone for a writer who was let in before the making of the store was undone."""
    if changes and totals.archived:
        raise StoreGone(replies.STORE_GONE)
