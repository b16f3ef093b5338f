"""Tokens of programs elsewhere: made, ended, and checked at every call.

A token is shown once, when it is made. What stays of it is its SHA-256 and the few characters by which people know it.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from agents.models import Agent, ApiToken, Scope
from memories import access
from memories.models import MemoryStore

BEGINS: Final = "mdh_"
RANDOM_BYTES: Final = 32
PREFIX: Final = 10
ENDING: Final = 4
SCHEME: Final = "bearer"

# Each call begins with this: the columns it needs are read in half the time of all there are.
_CHECKED: Final = ApiToken.objects.select_related("agent", "store", "made_by").only(
    *("uuid", "name", "scope", "ending", "expires_at", "revoked_at", "used_at", "used_from"),
    *("agent__name", "agent__archived_at", "store__slug", "made_by__is_active", "made_by__is_superuser"),
)


class Reason(StrEnum):
    """Why a call is turned away, as ``RefusedCall.reason`` keeps it."""

    MISSING = "missing"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"
    AGENT = "agent deleted"
    MAKER = "maker gone"
    STORE = "other store"
    SCOPE = "scope"
    RATE = "rate"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A token that opens nothing: why, the last characters of what was shown, and the token if there is such a one."""

    reason: Reason
    ending: str = ""
    token: ApiToken | None = None


def make_token(
    agent: Agent, store: MemoryStore, name: str, scope: Scope, *, user: User, expires_at: datetime | None
) -> tuple[ApiToken, str]:
    """Make a token with which a program uses ``store`` as ``agent``; return it with its secret, to be shown once.

    Whether ``user`` may do so is the caller's to ask; the token never may more than they, whatever its scope says.
    """
    if agent.store_id != store.pk:
        raise ValueError(f"{agent} does not use {store}.")
    secret = BEGINS + secrets.token_urlsafe(RANDOM_BYTES)
    token = ApiToken.objects.create(
        name=name,
        store=store,
        agent=agent,
        scope=scope,
        prefix=secret[:PREFIX],
        ending=secret[-ENDING:],
        sha256=_digest(secret),
        made_by=user,
        made_at=timezone.now(),
        expires_at=expires_at,
    )
    return token, secret


def revoke(token: ApiToken, *, by: User) -> bool:
    """End the token from the next call on; return False, and change nothing, if somebody had revoked it before."""
    alive = ApiToken.objects.filter(pk=token.pk, revoked_at=None)
    return bool(alive.update(revoked_at=timezone.now(), revoked_by=by.get_username()))


def authenticate(header: str) -> ApiToken | Refusal:
    """Return the token that an ``Authorization`` header shows, with agent, store and maker, if it is good now.

    It ends with its agent, and when its maker is deactivated or leaves the store.
    """
    scheme, _, secret = header.strip().partition(" ")
    secret = secret.strip()
    if scheme.lower() != SCHEME or not secret:
        return Refusal(Reason.MISSING)
    ending = secret[-ENDING:] if len(secret) > PREFIX + ENDING and secret.isascii() and secret.isprintable() else ""
    try:
        # Looked up by its hash, so that how long it takes tells nothing about any token.
        token = _CHECKED.get(sha256=_digest(secret))
    except ApiToken.DoesNotExist:
        return Refusal(Reason.UNKNOWN, ending)
    reason = _ended(token)
    return Refusal(reason, token.ending, token) if reason else token


def may_write(token: ApiToken) -> bool:
    """Return whether the token may change memory: it was made for that, and its maker still may."""
    return token.scope == Scope.WRITE and access.may_write(token.made_by, token.store)


def _ended(token: ApiToken) -> Reason | None:
    if token.revoked_at:
        return Reason.REVOKED
    if token.expires_at and token.expires_at <= timezone.now():
        return Reason.EXPIRED
    if token.agent.archived_at:
        return Reason.AGENT
    if not token.made_by.is_active or not access.stores_for(token.made_by).filter(pk=token.store_id).exists():
        return Reason.MAKER
    return None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
