"""The list of agents."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet, Sum
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from agents.access import agents_for, deleted_for, runs_for
from agents.models.runs import LIVE_STATES
from agents.views.first_run import first_run
from agents.views.overview import Need, by_need, rows
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.views.since import new_files

PAGE_AGENTS: Final = 40
QUERY_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """What the address of the list asks for."""

    q: str
    need: bool
    cards: bool

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Choice":
        """Return what an address asks for."""
        return cls(
            query.get("q", "").strip()[:QUERY_CHARACTERS], query.get("need") == "1", query.get("layout") == "cards"
        )

    def address(self) -> str:
        """Return it as the query of an address; what is not asked for is left out."""
        asked = {"q": self.q, "need": "1" if self.need else "", "layout": "cards" if self.cards else ""}
        return f"?{urlencode({name: value for name, value in asked.items() if value})}"


@require_GET
def home(request: UserRequest) -> HttpResponse:
    """List the agents, those that need somebody first; show how to begin while nothing exists.

    ``?q=`` filters by name, ``?need=1`` leaves out those that need nobody, ``?layout=cards`` shows cards.
    """
    stores = access.stores_for(request.user)
    if not stores.exists():
        return first_run(request)
    agents = agents_for(request.user)
    choice = Choice.read(request.GET.dict())
    shown: QuerySet[Any] = by_need(agents.filter(name__icontains=choice.q) if choice.q else agents)
    if choice.need:
        shown = shown.filter(need__lt=Need.RUNNING)
    page = Paginator(shown, PAGE_AGENTS).get_page(request.GET.get("page"))
    totals = stores.aggregate(files=Sum("file_count"), bytes=Sum("byte_count"))
    live = runs_for(request.user).filter(state__in=LIVE_STATES).count()
    context: dict[str, Any] = {
        "title": "Agents",
        "new_files": new_files(request),
        "totals": {**totals, "agents": agents.count(), "live": live},
        "deleted": deleted_for(request.user).count(),
        "rows": rows(list(page)),
        "page": page,
        "choice": choice,
        "layouts": [(name, replace(choice, cards=name == "Cards").address()) for name in ("Table", "Cards")],
        "layout": "Cards" if choice.cards else "Table",
        "other_need": replace(choice, need=not choice.need).address(),
    }
    return render_page(request, "agents/list.html", context, partial="agents")
