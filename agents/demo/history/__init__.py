"""The demo agents and the weeks that lie behind them.

Nothing of it is Claude's and nobody in it exists. It is written as the present is: runs are answers of the scripted
demo model, and memory changes through the store alone; only the times are made up.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.demo.history import people, runs
from agents.demo.history.acts import Act, Asked, Called, Did, Edited, Imported, Looked, Opened, World
from agents.demo.history.code_reviewer import CODE_REVIEWER
from agents.demo.history.onboarding import ONBOARDING
from agents.demo.history.release_notes import RELEASE_NOTES
from agents.demo.history.support_desk import SUPPORT_DESK
from agents.models import Agent
from memories import store
from memories.models import MemoryStore
from memories.store import Transaction

WORLDS = (SUPPORT_DESK, CODE_REVIEWER, RELEASE_NOTES, ONBOARDING)


def is_due() -> bool:
    """Return whether there is something to load: no store exists yet, or an earlier load was cut off."""
    return not MemoryStore.objects.exists() or _unwritten().exists()


def load(viewer: AbstractBaseUser) -> None:
    """Write the demo agents and their past up to now, of which ``viewer`` has seen all but the last acts.

    Where other stores exist it does nothing. Each store is written whole or not at all; called again after it was cut
    off, it writes those that are left.
    """
    now = timezone.now()
    with transaction.atomic():
        if not MemoryStore.objects.exists():
            for world in WORLDS:
                _make(world, now)
    for agent in _unwritten():
        world = next(each for each in WORLDS if each.description == agent.store.description)
        with store.locked(agent.store_id) as tx:
            _write(tx, agent, world, viewer, now)


def _unwritten() -> QuerySet[Agent]:
    """Return the demo agents whose stores are still as they were made; their descriptions tell them from others."""
    descriptions = [world.description for world in WORLDS]
    return Agent.objects.filter(store__description__in=descriptions, store__seq=0).select_related("store")


def _make(world: World, now: datetime) -> None:
    """Make a demo agent and its store, empty."""
    since = world.since.before(now)
    memory = store.create_store(name=world.name, slug=world.slug, description=world.description)
    MemoryStore.objects.filter(pk=memory.pk).update(created_at=since)
    Agent.objects.create(
        name=world.name,
        slug=world.slug,
        store=memory,
        place=world.place,
        model=world.model,
        created_at=since,
        **world.settings,
    )


def _write(tx: Transaction, agent: Agent, world: World, viewer: AbstractBaseUser, now: datetime) -> None:
    if MemoryStore.objects.get(pk=tx.store_id).seq:
        return  # somebody else has loaded it meanwhile
    for act in world.acts:
        _do(tx, agent, act, viewer, now)
    agent.save(update_fields=["last_run_number"])


def _do(tx: Transaction, agent: Agent, act: Act, viewer: AbstractBaseUser, now: datetime) -> None:
    match act:
        case Asked():
            runs.play(tx, agent, act, act.at.before(now))
        case Edited():
            people.edit(tx, act, act.at.before(now))
        case Did():
            people.do(tx, act, act.at.before(now))
        case Called():
            people.call(tx, agent, act, act.at.before(now))
        case Imported():
            people.bring_in(tx, agent, act, act.at.before(now))
        case Looked():
            people.look(tx, viewer)
        case Opened():
            people.open_file(tx, viewer, act, act.at.before(now))
