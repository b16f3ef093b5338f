"""Places in a store's pages that those who know its agents fill, and what goes there.

A store knows no agent. Whoever does registers fillers (``memdash.web.slots``) under these names:

=================  =======================================  ====================================================
place              called with                              returns
=================  =======================================  ====================================================
store-crumbs       ``store``                                :class:`Link` of what stands above the store
store-title        ``store``                                the heading as text: whose memory this is
store-facts        ``store``                                safe HTML beside the heading: model, where it runs
store-actions      ``store``                                safe HTML: buttons of the heading, such as "New run"
store-tabs         ``store``                                :class:`Tab`, or a list of them
store-empty        ``store``                                safe HTML: what to do about an empty store
store-agents       ``stores`` (a list)                      a mapping from store ids to lists of :class:`Link`
stores-actions     nothing                                  safe HTML: how to make a store with its agent
run-links          ``run_ids`` (a frozenset)                a mapping from the ids it knows to :class:`RunLink`
change-told        ``version``                              :class:`Told`, what led to a change in a run
run-starts         ``store``                                moments at which runs that could read it began
live-readers       ``store``, ``entry``                     :class:`LiveRun`, or a list of them
=================  =======================================  ====================================================

Where nobody fills a place, the page says what it knows of the store itself.
"""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from memdash.web import slots
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.views import addresses


@dataclass(frozen=True, slots=True)
class Link:
    """A thing's name and its page."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run's name ("Run 128"), what it was about, and its page, where each turn has the id ``turn-<number>``.

    The page begins with turn ``first_turn``; earlier ones stand on pages of their own.
    """

    label: str
    title: str
    url: str
    first_turn: int = 1

    def at(self, turn: int | None) -> str:
        """Return the address of a turn, or of the run where no turn is known."""
        if not turn:
            return self.url
        page = f"?until={turn}" if turn < self.first_turn else ""
        return f"{self.url}{page}#turn-{turn}"


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that goes on while somebody edits a file, and when it last read that; None when it never did."""

    label: str
    url: str
    read_at: datetime | None


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent was told right before it changed a file, and who said so; its call, and the model it ran on.

    Each may be unknown and is empty then. Without a ``teller`` the words are what the agent's own program gave as the
    cause.
    """

    words: str
    teller: str
    call: str
    model: str


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a store. ``key`` is how the page itself calls it; lower orders come first."""

    key: str
    label: str
    url: str
    count: str = ""
    order: int = 50


def above(request: HttpRequest, store: MemoryStore) -> list[Link]:
    """Return what stands above the store, the page of the rail that its pages belong to first."""
    return slots.fill("store-crumbs", request, store=store) or [Link("Stores", reverse("memories:stores"))]


def tabs_of(request: HttpRequest, store: MemoryStore, *, settings: bool) -> list[Tab]:
    """Return the tabs of a store's pages, in order; with ``settings`` that of its settings too."""
    root = MemoryPath.ROOT.text
    tabs = [
        Tab("files", "Memory", addresses.files(store.slug, root), f"{store.file_count:,}", 10),
        Tab("agent-view", "Agent’s view", addresses.agent_view(store.slug, root), order=60),
        Tab("health", "Health", reverse("memories:health", args=[store.slug]), order=65),
        *slots.fill("store-tabs", request, store=store),
    ]
    if settings:
        tabs.append(Tab("store-settings", "Store", reverse("memories:store-settings", args=[store.slug]), order=90))
    return sorted(tabs, key=lambda tab: tab.order)
