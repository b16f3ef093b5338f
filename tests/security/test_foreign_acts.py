"""Whoever is no member of a store can do nothing in it: every address in it answers as if it led nowhere."""

from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from agents.models import Agent, RunState
from memories.models import ChangeSet, MemoryEntry
from tests.browser import cases
from tests.support.people import browser_of, operator, stranger
from tests.support.routes import routes
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = {"text": "hello", "note": "mine", "name": "Mine", "user": "mara", "role": "owner", "confirm": "yes"}


def test_an_outsider_can_do_nothing_at_any_address_of_a_store() -> None:
    User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    agent = Agent.objects.filter(archived_at=None).earliest("pk")
    addresses = [address for run in map(str, runs_of(agent)) for address in addresses_in(agent, run)]
    browser = browser_of(stranger())
    before = rows()

    answers = {address: browser.post(address, FIELDS | {"agent": agent.slug}).status_code for address in addresses}

    assert len(answers) > 50
    assert {address: status for address, status in answers.items() if status not in {404, 405}} == {}
    assert rows() == before


def test_the_same_addresses_lead_somewhere_for_the_operator() -> None:
    User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    agent = Agent.objects.filter(archived_at=None).earliest("pk")
    browser = browser_of(operator())

    statuses = [browser.get(address).status_code for address in addresses_in(agent, str(runs_of(agent)[0]))]

    # Nothing lies at the paths in some of them.
    assert statuses.count(404) < len(statuses) / 4


def runs_of(agent: Agent) -> list[UUID]:
    """Return runs of the agent, one in every state."""
    return [run_in(state, agent).uuid for state in RunState]


def addresses_in(agent: Agent, run: str) -> list[str]:
    """Return every address that leads to something of the agent's, with a run, a file and a token of its own in it."""
    file = MemoryEntry.objects.filter(store=agent.store, kind="file").earliest("pk")
    act = ChangeSet.objects.filter(store=agent.store).earliest("pk")
    token = agent.tokens.earliest("pk")
    leads = {
        "/stores/x": f"/stores/{agent.store.slug}",
        "/agents/x": f"/agents/{agent.slug}",
        f"/files/{UUID(int=0)}": f"/files/{file.uuid}",
        f"/acts/{UUID(int=0)}": f"/acts/{act.uuid}",
        f"/runs/{UUID(int=0)}": f"/runs/{run}",
        f"/tokens/{UUID(int=0)}": f"/tokens/{token.uuid}",
    }
    return [
        address.replace(example, place)
        for address in routes().values()
        for example, place in leads.items()
        if address.startswith(example)
    ]


def rows() -> dict[str, list[dict[str, Any]]]:
    """Return what every table holds that remembers what people and agents did."""
    kept: list[type[models.Model]] = [
        model for app in ("memories", "agents") for model in apps.get_app_config(app).get_models()
    ]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in kept}  # type: ignore[attr-defined]
