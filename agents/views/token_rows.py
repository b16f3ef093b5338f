"""Tokens as lists show them: what each may, how much it is used, and when it ends."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import F, QuerySet
from django.utils import timezone

from agents.models import ApiToken, Scope, TokenDay
from agents.tokens import Reason
from memories.models import Member, Role

SOON: Final = timedelta(days=7)
"""A token that ends within this time is about to stop somebody's program."""

REFUSED: Final[Mapping[str, str]] = {
    Reason.MISSING: "brought no token",
    Reason.UNKNOWN: "brought a token that nobody made here",
    Reason.REVOKED: "brought a revoked token",
    Reason.EXPIRED: "brought an expired token",
    Reason.AGENT: "brought a token of a deleted agent",
    Reason.MAKER: "brought a token whose maker may no longer use the store",
    Reason.STORE: "asked for another store than the token’s",
    Reason.SCOPE: "would have changed something with a token that may read only",
    Reason.RATE: "came too often; further ones in the same minute are not listed",
    Reason.INPUT: "sent what is no call of the memory tool",
}
"""What a call did that was turned away, by the code that is kept of it."""


@dataclass(frozen=True, slots=True)
class End:
    """When and why a token ends or has ended; ``is_near`` calls for somebody."""

    words: str = ""
    moment: datetime | None = None
    is_over: bool = False
    is_near: bool = False


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token with what came with it today and what the person may do about it."""

    token: ApiToken
    may: str
    calls: int
    refused: int
    end: End
    may_revoke: bool


def newest_in_use(tokens: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    """Return the tokens, revoked ones last, the newest first."""
    related = tokens.select_related("agent", "store", "made_by")
    return related.order_by(F("revoked_at").desc(nulls_first=True), "-made_at", "-pk")


def in_use(tokens: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    """Return the tokens that are neither revoked nor expired."""
    return tokens.filter(revoked_at=None).exclude(expires_at__lte=timezone.now())


def today() -> date:
    """Return the day that counts of calls are of."""
    return timezone.now().date()


def token_rows(tokens: Sequence[ApiToken], *, reader_id: int, writable: frozenset[int]) -> list[TokenRow]:
    """Return a row for each token; ``writable`` are the stores the reader may change. Two queries however many."""
    days = {day.token_id: day for day in TokenDay.objects.filter(token__in=tokens, day=today())}
    roles = roles_of_makers(tokens)
    rows = []
    for token in tokens:
        role, day = roles.get((token.store_id, token.made_by_id)), days.get(token.pk)
        end = end_of(token, role)
        rows.append(
            TokenRow(
                token,
                may_words(token, role),
                day.calls if day else 0,
                day.refused if day else 0,
                end,
                not token.revoked_at and (token.made_by_id == reader_id or token.store_id in writable),
            )
        )
    return rows


def roles_of_makers(tokens: Iterable[ApiToken]) -> dict[tuple[int, int], Role]:
    """Return the roles that makers of tokens have in the tokens' stores, by store and maker; one query."""
    stores, makers = {token.store_id for token in tokens}, {token.made_by_id for token in tokens}
    members = Member.objects.filter(store__in=stores, user__in=makers)
    return {(member.store_id, member.user_id): Role(member.role) for member in members}


def may_words(token: ApiToken, role: Role | None) -> str:
    """Return what the token lets a program do, whose maker has ``role`` in its store."""
    if token.scope != Scope.WRITE:
        return "Read"
    if role is Role.VIEWER and not token.made_by.is_superuser:
        return f"Read; {token.made_by} may write no longer"
    return "Read, write"


def end_of(token: ApiToken, role: Role | None) -> End:
    """Return when the token ends or why it has ended, whose maker has ``role`` in its store."""
    if token.revoked_at:
        return End(f"Revoked by {token.revoked_by}", token.revoked_at, is_over=True)
    if token.expires_at and token.expires_at <= timezone.now():
        return End("Expired", token.expires_at, is_over=True)
    if token.agent.archived_at:
        return End("Ended with its agent", token.agent.archived_at, is_over=True)
    if not token.made_by.is_active or not (role or token.made_by.is_superuser):
        return End(f"Ended, {token.made_by} may no longer use the store", is_over=True)
    if token.expires_at is None:
        return End("No end", is_near=True)
    return End("", token.expires_at, is_near=token.expires_at - timezone.now() <= SOON)
