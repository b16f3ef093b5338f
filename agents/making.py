"""Making agents, and finding one by the name a person types."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.models import Agent
from memories.models import Member, MemoryStore, Role
from memories.models.slugs import with_free_slug
from memories.store import create_store


class NameUnclear(Exception):
    """Several agents bear the name; the text lists their slugs."""


def create_agent(*, name: str, store: MemoryStore | None = None, **settings: Any) -> Agent:
    """Make an agent with a slug of its own and return it; without ``store`` it gets a new one of the same name."""
    with transaction.atomic():
        uses = store or create_store(name=name)

        def make(slug: str) -> Agent:
            return Agent.objects.create(name=name, slug=slug, store=uses, created_at=timezone.now(), **settings)

        return with_free_slug(Agent, name, "agent", make)


def create_agent_for(user: User, *, name: str, store: MemoryStore | None = None, **settings: Any) -> Agent:
    """Make an agent and return it; without ``store`` it gets a new one of the same name, which ``user`` then owns."""
    with transaction.atomic():
        agent = create_agent(name=name, store=store, **settings)
        if store is None:
            Member.objects.create(store=agent.store, user=user, role=Role.OWNER)
        return agent


def agent_named(name: str) -> Agent | None:
    """Return the agent with this slug, else the one of this name, else None; NameUnclear when several bear it."""
    found = list(Agent.objects.filter(Q(slug=name) | Q(name=name)).select_related("store"))
    exact = [agent for agent in found if agent.slug == name] or found
    if len(exact) > 1:
        slugs = ", ".join(agent.slug for agent in exact)
        raise NameUnclear(f"Several agents are named {name}. Use the slug of one: {slugs}.")
    return exact[0] if exact else None
