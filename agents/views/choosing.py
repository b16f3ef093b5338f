"""Stores that a person may choose for an agent, each with who uses it already."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from django.db.models import F

from agents.access import ownable_by
from agents.models import Agent
from memdash.web import names
from memdash.web.formats import counted, filesize
from memdash.web.requests import UserRequest
from memories.models import MemoryStore
from memories.models.slugs import with_slug

STORES: Final = 200
"""Stores that a form offers, those that changed last; the one that an address names is always among them."""

NAMED: Final = 5
"""Agents of a store that its choice names; of the others it says how many there are."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A store as a form offers it: its slug, and in words what is in it and who uses it."""

    slug: str
    words: str


def stores_to_choose(request: UserRequest, asked: str = "") -> list[Choice]:
    """Return the stores for an agent of this person, by name, ``asked`` among them if they own it. Three queries."""
    owned = ownable_by(request.user)
    stores = list(owned.order_by(F("last_activity_at").desc(nulls_last=True), "pk")[:STORES])
    if asked and all(store.slug != asked for store in stores):
        stores += with_slug(owned, asked)
    agents: dict[int, list[str]] = defaultdict(list)
    for agent in Agent.objects.filter(store__in=stores, archived_at=None).order_by("name", "pk"):
        agents[agent.store_id].append(names.label(request, agent))
    stores.sort(key=lambda store: (store.name.casefold(), store.pk))
    return [Choice(store.slug, _words(request, store, agents[store.pk])) for store in stores]


def _words(request: UserRequest, store: MemoryStore, agents: list[str]) -> str:
    parts = [names.label(request, store), counted(store.file_count, "file"), filesize(store.byte_count)]
    if agents:
        more = len(agents) - NAMED
        parts.append("used by " + ", ".join(agents[:NAMED]) + (f" and {more:,} more" if more > 0 else ""))
    return " · ".join(parts)
