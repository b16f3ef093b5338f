"""Tokens: the list, making one, ending one, and the calls that were turned away."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from agents import tokens as keys
from agents.access import may_revoke, refused_for, token_for, tokens_for, writable_by
from agents.models import Agent, ApiToken, Scope, TokenDay
from agents.token_forms import TokenForm
from agents.views.recording import record_token
from agents.views.token_rows import REFUSED, end_of, in_use, newest_in_use, roles_of_makers, today, token_rows
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.models import MemoryVersion, Role
from memories.models.slugs import with_slug

PAGE_TOKENS: Final = 40
PAGE_REFUSED: Final = 50
CHOICES: Final = 200
"""Agents that the form offers; the one that an address names is always among them."""

MADE_BEFORE: Final = "That token was made before, and its secret was shown then. Make another if it is lost."


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def tokens(request: UserRequest) -> HttpResponse:
    """List the tokens of the stores a person may see, or make one and show its secret, this once.

    ``?agent=`` chooses whose token it will be. The secret stands in the answer to the form alone: it is in no address,
    and in no session for another page to show.
    """
    asked = request.POST.get("agent") or request.GET.get("agent", "")
    agents = _choosable(request, asked)
    form = TokenForm(request.POST or None, request=request, agents=agents, initial={"agent": asked})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        made = make_once(
            request.user,
            form.agent_chosen,
            uuid=given["once"],
            name=given["name"],
            scope=Scope(given["scope"]),
            expires_at=form.expires_at,
        )
        if made is None:
            messages.info(request, MADE_BEFORE)
            return redirect("agents:tokens")
        record_token(request, made[0])
        fresh = TokenForm(None, request=request, agents=agents, initial={"agent": asked})
        return _page(request, fresh, agents, made=made)
    return _page(request, form, agents, status=form.status if form.errors else 200)


def make_once(user: User, agent: Agent, *, uuid: UUID, **given: Any) -> tuple[ApiToken, str] | None:
    """Make a token of ``agent`` under a public id and return it with its secret; None if one of that id is there."""
    try:
        with transaction.atomic():
            token, secret = keys.make_token(agent, agent.store, user=user, **given)
            token.uuid = uuid
            token.save(update_fields=["uuid"])
    except IntegrityError:
        return None
    return token, secret


@require_http_methods(["GET", "POST"])
def revoke(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Ask whether to end a token, saying what it did today, or end it: for good, from its next call on."""
    token = token_for(request.user, uuid)
    if not may_revoke(request.user, token):
        raise PermissionDenied("Only whoever made the token, and curators and owners of its store, may revoke it.")
    if request.method == "POST":
        if keys.revoke(token, by=request.user):
            record_token(request, token, revoked=True)
            messages.success(request, f"Revoked {token.name}. Its next call is refused.")
        else:
            messages.info(request, f"{token.name} was revoked before.")
        return redirect(f"{reverse('agents:tokens')}#token-{token.uuid}")
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    writes = MemoryVersion.objects.filter(agent_id=token.agent_id, authored_at__gte=midnight, token_id=token.pk)
    role = roles_of_makers([token]).get((token.store_id, token.made_by_id))
    context = {
        "title": f"Revoke {token.name}",
        "token": token,
        "end": end_of(token, role),
        "day": TokenDay.objects.filter(token=token, day=today()).first(),
        "wrote": writes.aggregate(versions=Count("pk"), files=Count("entry", distinct=True)),
    }
    return render_page(request, "agents/token_revoke.html", context)


@require_GET
def refused_calls(request: UserRequest) -> HttpResponse:
    """List the calls that were turned away at the stores a person may see, the newest first; ``?token=`` of one."""
    calls = refused_for(request.user).select_related("store", "token__agent").order_by("-refused_at", "-pk")
    token = None
    if given := request.GET.get("token"):
        token = token_for(request.user, _uuid(given))
        calls = calls.filter(token=token)
    page = Paginator(calls, PAGE_REFUSED).get_page(request.GET.get("page"))
    context = {
        "title": "Refused calls",
        "token": token,
        "page": page,
        "rows": [(call, REFUSED.get(call.reason, call.reason)) for call in page],
    }
    return render_page(request, "agents/refused_calls.html", context)


def _page(
    request: UserRequest,
    form: TokenForm,
    agents: list[Agent],
    *,
    made: tuple[ApiToken, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    visible = tokens_for(request.user)
    page = Paginator(newest_in_use(visible), PAGE_TOKENS).get_page(request.GET.get("page"))
    rows = token_rows(list(page), reader_id=request.user.pk, writable=_writable(request, list(page)))
    context = {
        "title": "Tokens",
        "form": form,
        "agents": agents,
        "made": made,
        "page": page,
        "rows": rows,
        "turned_away": [row for row in rows if row.refused],
        "counts": {"in_use": in_use(visible).count(), "all": page.paginator.count},
    }
    return render_page(request, "agents/tokens.html", context, status=status)


def _choosable(request: UserRequest, asked: str) -> list[Agent]:
    """Return agents that the person may make tokens of, by name; the one asked for is among them if it may be."""
    agents = writable_by(request.user).select_related("store").order_by("name", "pk")
    first = list(agents[:CHOICES])
    if asked and all(agent.slug != asked for agent in first):
        first = [*with_slug(agents, asked), *first]
    return first


def _writable(request: UserRequest, listed: list[ApiToken]) -> frozenset[int]:
    """Return which of the tokens' stores the person may change; one query."""
    stores = {token.store_id for token in listed}
    if request.user.is_superuser:
        return frozenset(stores)
    roles = request.user.memberships.filter(store__in=stores, role__in=(Role.CURATOR, Role.OWNER))
    return frozenset(roles.values_list("store", flat=True))


def _uuid(given: str) -> UUID:
    """Return the id that an address names; raise Http404 when it is none."""
    try:
        return UUID(given)
    except ValueError:
        raise Http404("There is no such token.") from None
