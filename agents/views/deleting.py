"""Deleting agents and bringing them back: their rows, their stores and their runs stay all the while."""

from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.access import agent_to_manage, deleted_for, ownable_by
from agents.models import Agent, ApiToken, Run, WatchedFolder
from agents.models.runs import LIVE_STATES
from agents.views.recording import set_on
from agents.views.token_rows import in_use
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.refusals import Refused
from memories.settings import EXISTS
from memories.views.acts import undo_of_act

PAGE_AGENTS: Final = 40
NAMED: Final = 12
"""Other agents, and tokens, that are named one by one."""


@require_http_methods(["GET", "POST"])
def delete_agent(request: UserRequest, slug: str) -> HttpResponse:
    """Ask whether to delete the agent, saying what stays, or delete it; one with a live run is kept."""
    agent = agent_to_manage(request.user, slug)
    live = live_run_of(agent)
    if request.method == "POST" and not live and not agent.archived_at:
        try:
            act = set_on(request, agent, "agent", {EXISTS: False})
        except Refused:
            # A run began this moment.
            return redirect("agents:delete", slug=slug)
        said = f"Deleted {agent.name}. Its store and its runs are still there."
        messages.success(request, said, extra_tags=undo_of_act(act) if act else "")
        return redirect("agents:list")
    context = {
        "title": f"Delete {agent.name}",
        "agent": agent,
        "live": live,
        **what_stays(agent),
    }
    return render_page(request, "agents/delete.html", context, status=409 if request.method == "POST" else 200)


@require_POST
def restore_agent(request: UserRequest, slug: str) -> HttpResponse:
    """Bring a deleted agent back."""
    agent = agent_to_manage(request.user, slug)
    act = set_on(request, agent, "agent", {EXISTS: True})
    messages.success(request, f"{agent.name} is back.", extra_tags=undo_of_act(act) if act else "")
    return redirect("agents:settings", slug=slug)


@require_GET
def deleted_agents(request: UserRequest) -> HttpResponse:
    """List the deleted agents of the stores a person may see, the last deleted first; owners may bring them back."""
    deleted = deleted_for(request.user).select_related("store").annotate(run_count=Count("runs"))
    context = {
        "title": "Deleted agents",
        "page": Paginator(deleted.order_by("-archived_at", "-pk"), PAGE_AGENTS).get_page(request.GET.get("page")),
        "owned": set(ownable_by(request.user).values_list("pk", flat=True)),
    }
    return render_page(request, "agents/deleted_agents.html", context)


def what_stays(agent: Agent) -> dict[str, Any]:
    """Return what is to be said before an agent is deleted: who goes on with its store, and what of it ends."""
    others = Agent.objects.filter(store=agent.store_id, archived_at=None).exclude(pk=agent.pk)
    tokens = in_use(ApiToken.objects.filter(agent=agent)).order_by("-made_at", "-pk")
    other_count, token_count = others.count(), tokens.count()
    return {
        "others": others[:NAMED],
        "other_count": other_count,
        "more_others": max(0, other_count - NAMED),
        "run_count": agent.runs.count(),
        "tokens": tokens[:NAMED],
        "token_count": token_count,
        "more_tokens": max(0, token_count - NAMED),
        "folder": WatchedFolder.objects.filter(agent=agent).first(),
    }


def live_run_of(agent: Agent) -> Run | None:
    """Return the newest run of the agent that has not ended, or None."""
    return agent.runs.filter(state__in=LIVE_STATES).order_by("-pk").first()
