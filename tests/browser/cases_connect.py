"""The pages of tokens, and of connecting agents that run elsewhere."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent, ApiToken, RefusedCall, Scope, TokenDay
from agents.tokens import Reason, make_token
from agents.tokens.use import record_refusal
from tests.browser.cases import Case

LONG_NAME = "a-program-whose-name-has-no-blank-in-it-and-is-longer-than-any-column-has-room-for"


def seed(size: int) -> None:
    """Make tokens of the first agent, and calls that were turned away."""
    if not size:
        return
    agent = Agent.objects.select_related("store").earliest("pk")
    mara = User.objects.get(username="mara")
    now = timezone.now()
    expires_at = now + timedelta(days=3)
    token, _ = make_token(agent, agent.store, "Ticket bridge", Scope.WRITE, user=mara, expires_at=expires_at)
    ApiToken.objects.filter(pk=token.pk).update(used_at=now, used_from="2001:db8:1234:5678:9abc:def0:1234:5678")
    TokenDay.objects.create(token=token, day=now.date(), calls=1204, refused=11)
    record_refusal(agent.store, status=403, reason=Reason.SCOPE, address="192.0.2.14", ending="FTZU", token=token)
    if size > 1:
        ApiToken.objects.bulk_create(
            ApiToken(
                name=f"{LONG_NAME}-{n}",
                store=agent.store,
                agent=agent,
                prefix="mdh_Ab3_x9",
                ending="9f2c",
                sha256=f"{n:064}",
                made_by=mara,
                made_at=now,
                revoked_at=(None, now)[n % 2],
                revoked_by=("", "mara")[n % 2],
            )
            for n in range(size)
        )
        RefusedCall.objects.bulk_create(
            RefusedCall(store=agent.store, status=401, reason=reason, ending="9f2c", address="::1", refused_at=now)
            for reason in list(Reason) * 30
        )


def _of_token(name: str) -> str | None:
    token = ApiToken.objects.filter(revoked_at=None).order_by("pk").first()
    return reverse(name, args=[token.uuid]) if token else None


def _of_agent(name: str) -> str | None:
    agent = Agent.objects.filter(tokens__isnull=False).order_by("pk").first()
    return reverse(name, args=[agent.slug]) if agent else None


CASES = {
    "agents:connect": Case(lambda: reverse("agents:connect")),
    "agents:connection": Case(lambda: _of_agent("agents:connection")),
    "agents:client": Case(lambda: reverse("agents:client"), shown=False),
    "agents:first-call": Case(lambda: _of_agent("agents:first-call"), whole=False, status=286),
    "agents:tokens": Case(lambda: reverse("agents:tokens")),
    "agents:refused-calls": Case(lambda: reverse("agents:refused-calls")),
    "agents:revoke-token": Case(lambda: _of_token("agents:revoke-token")),
}
POST_ONLY = {"agents:unfollow", "agents:accept-deletions"}
