"""Filling an agent's memory from a directory, by the shell's command or by the browser's form."""

import uuid
from collections.abc import Iterator

from django.contrib.auth.models import User

from agents.making import agent_named, create_agent
from agents.models import Agent
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore
from memories.transfer.incoming import Report, bring_in
from memories.transfer.source import Source

BY_COMMAND = "memdash import"
"""Who brought files in where it was no person in a browser."""

REASON = 1024


def agent_to_fill(name: str, *, dry_run: bool) -> Agent:
    """Return the agent of this name or slug, made with a store of its own if there is none; NameUnclear when several.

    With ``dry_run`` one that is not there yet is not saved, and neither is its store.
    """
    if agent := agent_named(name):
        return agent
    return Agent(name=name, store=MemoryStore(name=name)) if dry_run else create_agent(name=name)


def fill(
    agent: Agent, source: Source, *, reason: str, user: User | None = None, dry_run: bool = False
) -> Iterator[Report]:
    """Bring the files of ``source`` into the agent's store, as one change set of that agent; report on each."""
    actor = Actor(
        ActorKind.IMPORT,
        user.get_username() if user else BY_COMMAND,
        user_id=user.pk if user else None,
        agent_id=agent.pk,
        change_set=f"import:{uuid.uuid4()}",
        reason=reason[:REASON],
    )
    return bring_in(agent.store, source, actor=actor, dry_run=dry_run)
