"""The HTTP API: a store's memory for programs elsewhere, one call of the memory tool a request."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents import tokens
from agents.making import create_agent
from agents.models import Agent, Place, Run, Scope
from memories.models import MemoryStore, Role
from tests.support.people import member

pytestmark = pytest.mark.django_db(transaction=True)

CREATE = {"command": "create", "path": "/memories/tea.md", "file_text": "green\n"}
VIEW = {"command": "view", "path": "/memories"}


@pytest.fixture
def helper(store: MemoryStore) -> Agent:
    """Return an agent that runs elsewhere."""
    return create_agent(name="Invoice helper", store=store, place=Place.API)


@pytest.fixture
def maker(store: MemoryStore) -> User:
    """Return who makes the tokens: a curator of the store."""
    return member(store, Role.CURATOR)


@pytest.fixture
def secret(helper: Agent, maker: User) -> str:
    """Return a token that may write."""
    return tokens.make_token(helper, helper.store, "laptop", Scope.WRITE, user=maker, expires_at=None)[1]


def post(slug: str, secret: str, body: object) -> Any:
    return Client().post(
        f"/api/v1/stores/{slug}/memory",
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )


def test_a_call_is_answered_as_the_tool_answers(store: MemoryStore, secret: str) -> None:
    made = post(store.slug, secret, CREATE)
    unknown = post(store.slug, secret, {"command": "dance"})

    assert made.status_code == unknown.status_code == 200
    assert made.json() == {"content": "File created successfully at: /memories/tea.md", "is_error": False}
    assert unknown.json()["is_error"] and "Unknown command: dance" in unknown.json()["content"]


def test_calls_of_a_session_are_one_run(store: MemoryStore, helper: Agent, secret: str) -> None:
    for number in (1, 2):
        path = f"/memories/{number}.md"
        call = {**CREATE, "path": path, "session": "s-1", "turn": number, "cause": f"Ask {number}\nplease"}
        assert not post(store.slug, secret, call).json()["is_error"]

    run = Run.objects.get()
    assert (run.agent, run.number, run.title, run.session, run.turns) == (helper, 1, "Ask 1", "s-1", 2)
    assert [(call.turn, call.cause) for call in run.tool_calls.all()] == [(1, "Ask 1\nplease"), (2, "Ask 2\nplease")]
    assert {version.run_id for version in store.versions.all()} == {run.uuid}
