"""Lists of runs: everybody's, and one agent's."""

from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from agents.access import agent_for, all_agents_for, may_manage, may_run, runnable_by, runs_for
from agents.models import Agent, Place, Run, RunState
from agents.models.runs import LIVE_STATES
from agents.runs.costs import Prices
from agents.views.last_seen import last_seen
from agents.views.run_filters import SINCE, STATES, Filters, hidden_by
from agents.views.run_rows import ORDERS, PAGE_RUNS, cost_of_all, rows, sorted_runs
from agents.views.words import dollars, hindrance
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest

Context = dict[str, Any]

MOST_AGENTS: Final = 100
"""How many agents the filter offers; each has a list of its own runs besides."""


@require_GET
def runs(request: UserRequest) -> HttpResponse:
    """List the runs a person may see; the address holds filters, order and page."""
    agents = _with_runs(request)
    context = {"title": "Runs", **_listed(request, runs_for(request.user), agents), "agents": list(agents.values())}
    context["may_start"] = runnable_by(request.user).exists()
    return render_page(request, "agents/runs.html", context)


@require_GET
def agent_runs(request: UserRequest, slug: str) -> HttpResponse:
    """List the runs of one agent, also of a deleted one."""
    agent = agent_for(request.user, slug)
    context = {"title": f"Runs · {agent.name}", "agent": agent, **_listed(request, agent.runs.all(), {})}
    runs_here = agent.place == Place.HERE and not agent.archived_at and not hindrance(agent)
    context["may_start"] = runs_here and may_run(request.user, agent)
    context["last"] = None if context["total"] else last_seen([agent], {})[agent.pk]
    context["may_manage"] = may_manage(request.user, agent)
    return render_page(request, "agents/agent_runs.html", context)


def _with_runs(request: UserRequest) -> dict[str, Agent]:
    """Return agents to filter by, under their slugs: the first that have runs, and the one that is asked for."""
    reachable = all_agents_for(request.user).order_by("name", "pk")
    first = reachable.filter(Exists(Run.objects.filter(agent=OuterRef("pk"))))[:MOST_AGENTS]
    return {agent.slug: agent for agent in [*first, *reachable.filter(slug=request.GET.get("agent", ""))]}


def _listed(request: UserRequest, runs: QuerySet[Run], agents: dict[str, Agent]) -> Context:
    """Return a page of those runs that the address asks for, and what there is to say about all of them."""
    filters = Filters.read(request.GET.dict(), agents)
    order = request.GET.get("sort", "")
    matching = filters.apply(runs)
    page = Paginator(sorted_runs(matching, order).select_related("agent__store"), PAGE_RUNS).get_page(
        request.GET.get("page")
    )
    prices = Prices.load()
    cost, unknown = cost_of_all(matching, prices)
    total = page.paginator.count if not filters.used() else runs.count()
    return {
        "filters": filters,
        "states": STATES.items(),
        "times": [(key, words) for key, (words, _) in SINCE.items()],
        "rows": rows(list(page), prices),
        "page": page,
        "total": total,
        "live": runs.filter(state__in=LIVE_STATES).count(),
        "waiting": runs.filter(state=RunState.WAITING).count(),
        "cost": dollars(cost) if cost else "",
        "unknown": unknown,
        "sorting": {name: _sorting(filters, name, order) for name in ORDERS},
        "hidden": hidden_by(filters, runs, agents) if not page.paginator.count and total else [],
        "sentence": filters.sentence(agents),
    }


def _sorting(filters: Filters, name: str, order: str) -> dict[str, str]:
    """Return how the list is sorted by a column now, if it is, and the address that sorts by it or turns it round."""
    is_asked = order.removeprefix("-") in ORDERS
    descends = order == f"-{name}" if is_asked else name == "started"
    now = "descending" if descends else "ascending" if order == name else ""
    return {"now": now, "url": filters.address(sort=name if descends else f"-{name}")}
