"""Making agents, and finding one by the name a person types."""

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from agents.models import Agent
from memories.models import MemoryStore
from memories.store import create_store

SLUG = 80


class NameUnclear(Exception):
    """Several agents bear the name; the text lists their slugs."""


def create_agent(*, name: str, store: MemoryStore | None = None, **settings: Any) -> Agent:
    """Make an agent with a slug of its own and return it; without ``store`` it gets a new one of the same name."""
    with transaction.atomic():
        return Agent.objects.create(
            name=name,
            slug=_free_slug(name),
            store=store or create_store(name=name),
            created_at=timezone.now(),
            **settings,
        )


def agent_named(name: str) -> Agent | None:
    """Return the agent with this slug, else the one of this name, else None; NameUnclear when several bear it."""
    found = list(Agent.objects.filter(Q(slug=name) | Q(name=name)).select_related("store"))
    exact = [agent for agent in found if agent.slug == name] or found
    if len(exact) > 1:
        slugs = ", ".join(agent.slug for agent in exact)
        raise NameUnclear(f"Several agents are named {name}. Use the slug of one: {slugs}.")
    return exact[0] if exact else None


def _free_slug(name: str) -> str:
    stem = slugify(name)[: SLUG - 6] or "agent"
    taken = set(Agent.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug, number = stem, 1
    while slug in taken:
        number += 1
        slug = f"{stem}-{number}"
    return slug
