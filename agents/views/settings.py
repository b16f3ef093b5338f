"""Making agents, and their settings."""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings as django_settings
from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from agents.access import agent_to_manage, ownable_by
from agents.forms import AgentForm, NameForm, NewAgentForm
from agents.models import Agent, Place
from agents.runs.costs import Prices
from agents.steering import STEERING
from agents.views.choosing import stores_to_choose
from agents.views.deleting import live_run_of, what_stays
from agents.views.recording import make_agent, set_on
from memdash.web import names
from memdash.web.formats import counted
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import settings as memory_settings
from memories.views.acts import undo_of_act

ADDED_BY_API: Final = """\
IMPORTANT: ALWAYS VIEW YOUR MEMORY DIRECTORY BEFORE DOING ANYTHING ELSE.
MEMORY PROTOCOL:
1. Use the `view` command of your `memory` tool to check for earlier progress.
2. ... (work on the task) ...
   - As you make progress, record status / progress / thoughts etc in your memory.
ASSUME INTERRUPTION: Your context window might be reset at any moment, so you risk losing any progress that is not \
recorded in your memory directory."""
"""What the API puts before the system prompt when the memory tool is on."""

NAME: Final = 255


@require_http_methods(["GET", "POST"])
def new_agent(request: UserRequest) -> HttpResponse:
    """Show the form for an agent, or make it; with a new store, the person becomes the owner of that.

    ``?name=`` and ``?store=`` say what is known already.
    """
    draft = Agent(name=request.GET.get("name", "")[:NAME])
    form = NewAgentForm(request.POST or None, agent=draft, stores=ownable_by(request.user))
    form.initial["store"] = request.GET.get("store", "")
    if request.method == "POST" and form.is_valid():
        given = {name: form.cleaned_data[name] for name in form.settings()}
        agent, act = make_agent(request, store=form.cleaned_data["store"], **given)
        messages.success(request, f"Made {names.label(request, agent)}.", extra_tags=undo_of_act(act))
        return redirect("agents:settings", slug=agent.slug)
    context = {
        "title": "New agent",
        "agent": draft,
        "form": form,
        "stores": stores_to_choose(request, str(form["store"].value() or "")),
        "added_by_api": ADDED_BY_API,
        "steering": STEERING,
        "has_key": bool(django_settings.MEMDASH_ANTHROPIC_API_KEY),
    }
    return render_page(request, "agents/new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def settings(request: UserRequest, slug: str) -> HttpResponse:
    """Show an agent's settings, or save what its owner changed; a live run keeps those it started with."""
    agent = agent_to_manage(request.user, slug)
    form = (AgentForm if agent.place == Place.HERE else NameForm)(request.POST or None, agent=agent)
    if request.method == "POST" and form.is_valid():
        if act := set_on(request, agent, "agent", form.changes()):
            said = f"Saved {counted(len(memory_settings.changes_of(act)), 'change')}. It counts from the next run."
            messages.success(request, said, extra_tags=undo_of_act(act))
        else:
            messages.info(request, "Nothing was changed.")
        return redirect("agents:settings", slug=slug)
    context = {
        "title": f"Settings · {agent.name}",
        "agent": agent,
        "form": form,
        "added_by_api": ADDED_BY_API,
        "steering": STEERING,
        "live": live_run_of(agent),
        "largest": _largest(agent),
        "has_price": agent.is_scripted or agent.model in Prices.load().rows,
        **what_stays(agent),
    }
    return render_page(request, "agents/settings.html", context, status=422 if form.errors else 200)


def _largest(agent: Agent) -> dict[str, Any]:
    """Return the largest figures that runs of the last 30 days came to."""
    recent = agent.runs.filter(created_at__gt=timezone.now() - timedelta(days=30))
    largest = recent.aggregate(turns=Max("turns"), output_tokens=Max("output_tokens"), seconds=Max("active_seconds"))
    minutes = None if largest["seconds"] is None else int(largest["seconds"] // 60)
    return {**largest, "minutes": minutes}
