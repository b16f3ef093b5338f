"""What comes with tokens: calls that were answered, and calls that were turned away at the door."""

import logging
from datetime import timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

from agents.models import ApiToken, RefusedCall
from agents.tokens.keys import Reason
from memdash.web import passing
from memories.models import MemoryStore
from memories.refusals import Busy
from memories.store.turns import in_turn

log = logging.getLogger(__name__)

KEPT: Final = 300
"""Refused calls that are kept for each store, the newest."""

FRESH: Final = timedelta(minutes=1)
"""A younger note of the last use is left as it is."""


def count_call(token: ApiToken, address: str) -> None:
    """Count an answered call of the token, in the transaction of the call."""
    now = timezone.now()
    _count(token, calls=1)
    if token.used_at is None or now - token.used_at >= FRESH or token.used_from != address:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now, used_from=address)


def record_refusal(
    store: MemoryStore, *, status: int, reason: Reason, address: str, ending: str = "", token: ApiToken | None = None
) -> None:
    """Note a call that was turned away, with the last characters of the token it showed; the oldest notes go.

    Where others keep the database for longer than a moment, the call is turned away without a note.
    """

    def note() -> None:
        RefusedCall.objects.create(
            store=store,
            token=token,
            status=status,
            reason=reason,
            ending=ending,
            address=address,
            refused_at=timezone.now(),
        )
        older = RefusedCall.objects.filter(store=store).order_by("-refused_at", "-pk").values("pk")[KEPT : 2 * KEPT]
        RefusedCall.objects.filter(pk__in=list(older.values_list("pk", flat=True))).delete()
        if token:
            _count(token, refused=1)

    try:
        with in_turn(passing.PATIENCE):
            passing.in_passing(note)
    except Busy:
        log.warning("a refused call is not noted: others were writing")


def _count(token: ApiToken, *, calls: int = 0, refused: int = 0) -> None:
    day = connection.ops.adapt_datefield_value(timezone.now().date())
    # One statement: of two first calls of a day, one would find no row and then be refused a second one.
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO agents_tokenday (token_id, day, calls, refused) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (token_id, day) DO UPDATE SET"
            " calls = agents_tokenday.calls + excluded.calls, refused = agents_tokenday.refused + excluded.refused",
            (token.pk, day, calls, refused),
        )
