"""What agents and runs add to the pages of others: the rail, the palette, a store's pages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from agents import jobs
from agents.access import agents_for, all_agents_for, may_manage, may_run, runs_for
from agents.models import Agent, Place, Run
from agents.models.runs import LIVE_STATES
from agents.views.live_readers import live_readers
from agents.views.told import told
from agents.views.transcript import first_turn_shown
from agents.views.words import hindrance, place_words
from memdash.web import names, slots
from memdash.web.palette import MOST, Group, Jump, group, holding, nearest_first
from memdash.web.requests import UserRequest
from memdash.web.slots import RailItem
from memories.models import MemoryStore
from memories.models.slugs import with_slug
from memories.paths import ROOT
from memories.views import addresses
from memories.views.activity_filters import AgentChoice
from memories.views.places import Link, RunLink, Tab

RUNS_COUNTED: Final = 1_000
"""The latest runs of a store that are counted as able to have read a file."""


def register() -> None:
    """Fill the places that other apps leave open."""
    names.register(Agent, all_agents_for)
    slots.register("rail", rail, order=10)
    # What has a name stands before runs, whose titles are whatever somebody wrote first.
    slots.register("palette", agents_to_jump_to, order=10)
    slots.register("palette", runs_to_jump_to, order=30)
    slots.register("worker", worker)
    slots.register("user-menu", menu, order=10)
    slots.register("store-crumbs", store_crumbs)
    slots.register("store-title", store_title)
    slots.register("store-facts", store_facts)
    slots.register("store-actions", store_actions)
    slots.register("store-tabs", store_tabs)
    slots.register("store-empty", store_empty)
    slots.register("store-agents", store_agents)
    slots.register("stores-actions", stores_actions)
    slots.register("run-links", run_links)
    slots.register("change-told", told)
    slots.register("live-readers", live_readers)
    slots.register("activity-agents", activity_agents)
    slots.register("activity-actions", activity_actions)
    slots.register("run-starts", run_starts)


def rail(request: UserRequest) -> list[RailItem]:
    """Return the rail's items for agents and runs, with how many runs are live."""
    live = runs_for(request.user).filter(state__in=LIVE_STATES).count()
    count = f"{live:,} live" if live else ""
    return [
        RailItem("Agents", reverse("agents:home"), "agents", under=("/agents/",), key="a"),
        RailItem("Runs", reverse("agents:runs"), "runs", under=("/runs/",), count=count, key="r"),
    ]


def agents_to_jump_to(request: UserRequest, query: str) -> Group | None:
    """Return agents whose name or slug holds the query's words."""
    named = agents_for(request.user).filter(holding(query, "name", "slug")).select_related("store")
    agents = nearest_first(named, query, "name", "slug", then=("name", "pk"))[:MOST]
    return group("Agents", (_agent(request, agent) for agent in agents))


def runs_to_jump_to(request: UserRequest, query: str) -> Group | None:
    """Return runs whose title holds the query's words; without one, the newest."""
    named = runs_for(request.user).filter(holding(query, "title")).select_related("agent")
    runs = nearest_first(named, query, "title", then=("-created_at",))[:MOST]
    return group("Runs", (Jump(run.title, _url(run), "runs", _whose(request, run)) for run in runs))


def _agent(request: HttpRequest, agent: Agent) -> Jump:
    parts = (names.slug_beside(request, agent), place_words(agent))
    place = " · ".join(part for part in parts if part)
    return Jump(agent.name, _memory(agent), "agents", place, slug=agent.slug)


def _whose(request: HttpRequest, run: Run) -> str:
    return f"{names.label(request, run.agent)}, run {run.number}"


def worker(request: HttpRequest) -> SafeString:
    """Return whether a worker is at work, for the foot of the rail."""
    silent = jobs.silent_for()
    return render_to_string(
        "agents/worker.html", {"is_new": silent is None, "is_at_work": jobs.is_at_work(silent)}, request
    )


def menu(request: HttpRequest) -> SafeString:
    """Return the way to the price table."""
    return render_to_string("agents/menu.html", {}, request)


def store_crumbs(request: UserRequest, store: MemoryStore) -> Link | None:
    """Return the list of agents as what stands above a store that agents use, be it one or several."""
    is_used = any(agent.archived_at is None for agent in _agents_of(request, store))
    return Link("Agents", reverse("agents:home")) if is_used or _agent_of(request, store) else None


def store_title(request: UserRequest, store: MemoryStore) -> str | None:
    """Return the name of the agent whose memory the store is."""
    agent = _agent_of(request, store)
    return agent.name if agent else None


def store_facts(request: UserRequest, store: MemoryStore) -> SafeString | None:
    """Return the agent's model and where it runs, or which agents share the store."""
    agents = _agents_of(request, store)
    if not agents:
        return None
    agent = _agent_of(request, store)
    context = {
        "agents": [each for each in agents if not each.archived_at],
        "agent": agent,
        "hindrance": hindrance(agent) if agent else "",
    }
    return render_to_string("agents/store_facts.html", context, request)


def store_actions(request: UserRequest, store: MemoryStore) -> SafeString | None:
    """Return the way to a new run of the store's agent."""
    agent = _agent_of(request, store)
    if agent is None or agent.place != Place.HERE or agent.archived_at or not may_run(request.user, agent):
        return None
    return render_to_string("agents/store_actions.html", {"agent": agent}, request)


def store_tabs(request: UserRequest, store: MemoryStore) -> list[Tab]:
    """Return the tabs of the store's agent: its runs and its settings."""
    agent = _agent_of(request, store)
    if agent is None:
        return []
    tabs = [Tab("runs", "Runs", reverse("agents:agent-runs", args=[agent.slug]), f"{agent.last_run_number:,}", 20)]
    if may_manage(request.user, agent):
        tabs.append(Tab("settings", "Settings", reverse("agents:settings", args=[agent.slug]), order=80))
    return tabs


def store_empty(request: UserRequest, store: MemoryStore) -> SafeString | None:
    """Return what to do about a store without a file."""
    agent = _agent_of(request, store)
    if agent is None or agent.place != Place.HERE or agent.archived_at:
        return None
    context = {"agent": agent, "may_start": may_run(request.user, agent)}
    return render_to_string("agents/store_empty.html", context, request)


def store_agents(request: HttpRequest, stores: list[MemoryStore]) -> Mapping[int, list[Link]]:
    """Return the agents of each store; two queries."""
    links: dict[int, list[Link]] = {store.pk: [] for store in stores}
    for agent in Agent.objects.filter(store__in=links, archived_at=None).order_by("name", "pk"):
        links[agent.store_id].append(Link(names.label(request, agent), reverse("agents:agent-runs", args=[agent.slug])))
    return links


def stores_actions(request: HttpRequest) -> SafeString:
    """Return the way to a new agent, which brings a store along."""
    return render_to_string("agents/stores_actions.html", {}, request)


def activity_agents(request: UserRequest, asked: str, most: int) -> list[AgentChoice]:
    """Return agents by which acts can be chosen, deleted ones among them, by name; ``asked`` is one if it may be."""
    agents = all_agents_for(request.user).order_by("name", "pk")
    first = list(agents[:most])
    if len(first) < most:
        names.all_read(request, Agent, first)
    if asked and all(agent.slug != asked for agent in first):
        first = [*with_slug(agents, asked), *first]
    return [AgentChoice(agent.slug, names.label(request, agent), agent.pk) for agent in first]


def activity_actions(request: UserRequest) -> SafeString:
    """Return the way to calls that were turned away, which changed nothing and are no acts."""
    return render_to_string("agents/activity_actions.html", {}, request)


def run_links(request: UserRequest, run_ids: frozenset[UUID]) -> Mapping[UUID, RunLink]:
    """Return the runs among these that the person may see; one query."""
    runs = runs_for(request.user).filter(uuid__in=run_ids)
    return {run.uuid: RunLink(f"Run {run.number}", run.title, _url(run), first_turn_shown(run)) for run in runs}


def run_starts(_request: HttpRequest, store: MemoryStore) -> list[datetime]:
    """Return when the latest runs began whose agents use the store; one query."""
    runs = Run.objects.filter(agent__store=store).order_by("-created_at")
    return list(runs.values_list("created_at", flat=True)[:RUNS_COUNTED])


def _agents_of(request: HttpRequest, store: MemoryStore) -> list[Agent]:
    """Return the store's agents, read once for a page."""
    known: dict[int, list[Agent]] = request.__dict__.setdefault("_agents_of_store", {})
    if store.pk not in known:
        known[store.pk] = list(Agent.objects.filter(store=store).order_by("name", "pk"))
        for agent in known[store.pk]:
            agent.store = store
    return known[store.pk]


def _agent_of(request: HttpRequest, store: MemoryStore) -> Agent | None:
    """Return the agent that a page of the store is about: the one its address names, else the only one there is."""
    agents = _agents_of(request, store)
    match = request.resolver_match
    if match and match.app_name == "agents":
        return next((agent for agent in agents if agent.slug == match.kwargs.get("slug")), None)
    alive = [agent for agent in agents if agent.archived_at is None]
    return alive[0] if len(alive) == 1 else None


def _memory(agent: Agent) -> str:
    return addresses.files(agent.store.slug, ROOT)


def _url(run: Run) -> str:
    return reverse("agents:run", args=[run.uuid])
