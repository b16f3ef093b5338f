"""Who is let in: the token in the ``Authorization`` header, the store it opens, and how often it calls."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest
from ninja.security.http import HttpAuthBase

from agents.api import problems
from agents.api.problems import Problem, Stopped
from agents.models import ApiToken
from agents.tokens import Reason, Refusal, authenticate
from agents.tokens.rates import RATES
from agents.tokens.use import record_refusal
from memdash.accounts import throttle
from memdash.web.passing import in_passing
from memories.models import MemoryStore

FREE_REFUSALS: Final = 20
"""Calls without a good token that an address may make before it has to wait."""

_REFUSED: Final = {
    Reason.MISSING: ("no-token", "Send a token in the header, as Authorization: Bearer mdh_…"),
    Reason.UNKNOWN: ("unknown-token", "This token is not known. Make one on the store's pages and send that."),
    Reason.REVOKED: ("revoked-token", "This token was revoked. Make a new one on the store's pages."),
    Reason.EXPIRED: ("expired-token", "This token has expired. Make a new one on the store's pages."),
    Reason.AGENT: ("deleted-agent", "The agent of this token was deleted. Restore it, or make a token of another one."),
    Reason.MAKER: (
        "maker-gone",
        "Whoever made this token may no longer use the store. A member of the store can make a new one.",
    ),
}


class Token(HttpAuthBase):
    """A token as the API's document describes it; what it opens is known to the view as ``request.auth``."""

    openapi_scheme = "bearer"

    def __call__(self, request: HttpRequest) -> ApiToken:
        """Return the token that opens the store in the address; raise Stopped, and note that, if none does."""
        assert request.resolver_match
        return let_in(request, request.resolver_match.kwargs["slug"])


def let_in(request: HttpRequest, slug: str) -> ApiToken:
    """Return the token that was shown if it opens the store ``slug``, else raise Stopped."""
    token = authenticate(request.headers.get("Authorization", ""))
    if isinstance(token, Refusal):
        raise Stopped(_refused(request, slug, token))
    limit: int = settings.MEMDASH_TOKEN_CALLS_PER_MINUTE
    if late := RATES.take(token.pk, limit):
        if late.is_first:
            note(request, token, 429, Reason.RATE)
        detail = f"This token may call {limit:,} times a minute. Wait, then go on."
        raise Stopped(problems.too_often("too-many-calls", detail, late.seconds))
    if token.store.slug != slug:
        note(request, token, 404, Reason.STORE)
        raise Stopped(problems.NO_STORE)
    return token


def note(request: HttpRequest, token: ApiToken, status: int, reason: Reason) -> None:
    """Note at the token's own store that a call of it was turned away."""
    record_refusal(
        token.store, status=status, reason=reason, address=address_of(request), ending=token.ending, token=token
    )


def address_of(request: HttpRequest) -> str:
    """Return the address that the call came from."""
    return str(request.META.get("REMOTE_ADDR", ""))[:45]


def _refused(request: HttpRequest, slug: str, refusal: Refusal) -> Problem:
    """Return what to answer to a token that opens nothing, and note it where somebody may look for it.

    An address that goes on failing has to wait, which is not noted: the notes say already what is wrong. A call that
    cannot be counted at the moment is turned away all the same; nobody guesses a token of 256 bits.
    """
    limits = (throttle.limit_of_address(request, "token", FREE_REFUSALS),)
    if wait := in_passing(lambda: throttle.claim(limits)):
        detail = "Too many calls without a good token came from this address. Wait, then send one with a good token."
        return problems.too_often("too-many-refusals", detail, wait.total_seconds())
    store = refusal.token.store if refusal.token else MemoryStore.objects.filter(slug=slug).first()
    if store:
        record_refusal(
            store,
            status=401,
            reason=refusal.reason,
            address=address_of(request),
            ending=refusal.ending,
            token=refusal.token,
        )
    return problems.unauthorized(*_REFUSED[refusal.reason])
