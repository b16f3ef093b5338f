"""The first call of an agent that was just connected, or why none has come through."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.urls import reverse

from agents.models import Agent, ApiToken, RefusedCall, ToolCall
from agents.tokens import Reason
from agents.views.calls import ICONS, RESULT_CHARACTERS, asked, result_text
from agents.views.token_rows import REFUSED

WAITING: Final = "waiting"


@dataclass(frozen=True, slots=True)
class Came:
    """A call that came through; ``url`` is empty for one that named no session, of which no more is kept."""

    moment: datetime
    address: str
    milliseconds: float = 0
    verb: str = ""
    path: str = ""
    icon: str = ""
    result: str = ""
    is_error: bool = False
    url: str = ""

    @property
    def key(self) -> str:
        return "came"


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """A call that was refused: the status it got, when and from where it came, and in words what was wrong."""

    pk: int
    status: int
    moment: datetime
    address: str
    words: str

    @property
    def key(self) -> str:
        return f"refused-{self.pk}"


def newest_token(agent: Agent) -> ApiToken | None:
    """Return the token that a program of the agent is to use: the newest that is not revoked."""
    return agent.tokens.filter(revoked_at=None).select_related("made_by").first()


def first_call(agent: Agent, token: ApiToken) -> Came | TurnedAway | None:
    """Return the first call since ``token`` was made, else the last that was turned away, else None."""
    if token.used_at:
        return _came(agent, token, token.used_at)
    at_our_door = Q(token=token) | Q(store=agent.store_id, token=None)
    refused = RefusedCall.objects.filter(at_our_door, refused_at__gte=token.made_at)
    last = refused.order_by("-refused_at", "-pk").first()
    return _turned_away(agent, token, last) if last else None


def _came(agent: Agent, token: ApiToken, used_at: datetime) -> Came:
    calls = ToolCall.objects.filter(run__agent=agent, run__session__isnull=False, created_at__gte=token.made_at)
    call = calls.select_related("run").order_by("pk").first()
    if call is None:
        return Came(used_at, token.used_from)
    verb, path = asked(call.input, call.name)
    return Came(
        call.created_at,
        token.used_from,
        call.milliseconds,
        verb,
        path,
        ICONS.get(verb, "terminal"),
        result_text(call.content)[:RESULT_CHARACTERS],
        call.is_error,
        reverse("agents:run", args=[call.run.uuid]),
    )


def _turned_away(agent: Agent, token: ApiToken, call: RefusedCall) -> TurnedAway:
    return TurnedAway(call.pk, call.status, call.refused_at, call.address, _words(agent, token, call))


def _words(agent: Agent, token: ApiToken, call: RefusedCall) -> str:
    match call.reason:
        case Reason.UNKNOWN if call.ending:
            return f"brought a token that ends in {call.ending}. This agent’s ends in {token.ending}."
        case Reason.UNKNOWN:
            return f"brought a token that is too short to be one. This agent’s ends in {token.ending}."
        case Reason.MISSING:
            return "brought no token. It belongs into the header Authorization, after the word Bearer."
        case Reason.STORE:
            return f"brought this agent’s token to another store. Its store is {agent.store.slug}."
        case Reason.EXPIRED:
            return "brought this agent’s token, which has expired. Make a new one."
    return f"{REFUSED.get(call.reason, call.reason)}."
