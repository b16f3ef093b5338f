"""What people set about agents, done through the record of such acts, so that each can be taken back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from agents import folders
from agents.kinds import made
from agents.making import create_agent_for
from agents.models import Agent, ApiToken, WatchedFolder
from memdash.web.requests import UserRequest
from memories import settings
from memories.actors import Actor
from memories.models import ChangeSet, MemoryStore
from memories.settings import EXISTS, Change
from memories.views.acts import person


def about(request: UserRequest, agent: Agent) -> Actor:
    """Return the person who makes the request as the author of an act that is about the agent."""
    return replace(person(request), agent_id=agent.pk)


def set_on(request: UserRequest, agent: Agent, kind: str, values: Mapping[str, Any]) -> ChangeSet | None:
    """Set values of an agent, or of what goes by its slug, and return the act; None where all was so already."""
    return settings.change(kind, agent.slug, values, store=agent.store, actor=about(request, agent))


def make_agent(request: UserRequest, *, name: str, store: MemoryStore | None, **given: Any) -> tuple[Agent, ChangeSet]:
    """Make an agent, with a store of its own unless there is one, and return it with the act."""
    with transaction.atomic():
        agent = create_agent_for(request.user, name=name, store=store, **given)
        return agent, record_making(request, agent, new_store=store is None)


def record_making(request: UserRequest, agent: Agent, *more: Change, new_store: bool) -> ChangeSet:
    """Record that an agent was made, with its store if that is new, and what ``more`` was set with it."""
    changes = [*made(agent, store=agent.store if new_store else None), *more]
    return settings.record(changes, store=agent.store, actor=about(request, agent))


def follow(request: UserRequest, agent: Agent, path: str) -> ChangeSet | None:
    """Have a folder followed for the agent and return the act; None where it was already. Raises FolderRefused."""
    with transaction.atomic():
        change = followed(request, agent, path)
        return settings.record([change], store=agent.store, actor=about(request, agent)) if change else None


def followed(request: UserRequest, agent: Agent, path: str) -> Change | None:
    """Have a folder followed for the agent, and return what is to be recorded of it. Raises FolderRefused."""
    known = WatchedFolder.objects.filter(agent=agent).first()
    folder = folders.register(agent, path, request.user)
    was = known.path if known else ""
    return Change("folder", agent.slug, "path", was, folder.path, agent.name) if was != folder.path else None


def record_token(request: UserRequest, token: ApiToken, *, revoked: bool = False) -> ChangeSet:
    """Record that a token was made, or revoked for good."""
    change = Change("token", str(token.uuid), EXISTS, True if revoked else None, not revoked, token.name)
    return settings.record([change], store=token.store, actor=about(request, token.agent))
