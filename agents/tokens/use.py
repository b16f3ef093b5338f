"""What comes with tokens: calls that were answered, and calls that were turned away at the door."""

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.models import ApiToken, RefusedCall, TokenDay
from agents.tokens.keys import Reason
from memories.models import MemoryStore
from memories.store.turns import in_turn

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
    """Note a call that was turned away, with the last characters of the token it showed; the oldest notes go."""
    with in_turn(), transaction.atomic():
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


def _count(token: ApiToken, **more: int) -> None:
    today = TokenDay.objects.filter(token=token, day=timezone.now().date())
    raised: dict[str, Any] = {name: F(name) + number for name, number in more.items()}
    if not today.update(**raised):
        TokenDay.objects.create(token=token, day=timezone.now().date(), **more)
