"""Deleting agents, and the ways back."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.making import create_agent
from agents.models import Agent, RunState, Scope, WatchedFolder
from agents.tokens import Refusal, authenticate, make_token, revoke
from memories.models import ChangeSet, MemoryStore, Role
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk")


@pytest.fixture
def owner(agent: Agent) -> Client:
    """The browser of an owner of the agent's store."""
    return browser_of(member(agent.store, Role.OWNER))


def delete(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(archived_at=timezone.now())


def test_deleting_asks_first_and_keeps_store_and_runs(owner: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)

    asked = owner.get("/agents/support-desk/delete").content.decode()
    assert "Delete Support desk?" in asked
    assert "1 run, their transcripts and costs stay readable" in asked
    agent.refresh_from_db()
    assert agent.archived_at is None

    owner.post("/agents/support-desk/delete")

    assert "Support desk" not in owner.get("/agents/?q=support").content.decode().partition("<tbody>")[2]
    assert owner.get(f"/runs/{run.uuid}/").status_code == 200
    assert MemoryStore.objects.filter(pk=agent.store_id).exists()


def test_a_deleted_agent_comes_back(owner: Client, agent: Agent) -> None:
    owner.post("/agents/support-desk/delete")
    assert "was deleted" in owner.get("/agents/support-desk/runs").content.decode()

    owner.post("/agents/support-desk/restore")

    agent.refresh_from_db()
    assert agent.archived_at is None


def test_an_agent_with_a_live_run_is_not_deleted(owner: Client, agent: Agent) -> None:
    run_in(RunState.RUNNING, agent)

    answer = owner.post("/agents/support-desk/delete")

    agent.refresh_from_db()
    assert answer.status_code == 409
    assert agent.archived_at is None


def test_a_deletion_is_told_with_the_way_back(owner: Client, agent: Agent) -> None:
    page = owner.post("/agents/support-desk/delete", follow=True).content.decode()

    toast = page.partition('<div class="toast"')[2]
    assert "Deleted Support desk. Its store and its runs are still there." in toast
    assert f'action="/acts/{ChangeSet.objects.latest("pk").uuid}/undo"' in toast


def test_a_deleted_agent_without_a_run_is_listed_and_brought_back_from_there(owner: Client, agent: Agent) -> None:
    assert "/agents/deleted" not in owner.get("/agents/").content.decode()
    delete(agent)

    assert '<a href="/agents/deleted">1 deleted agent</a>' in owner.get("/agents/").content.decode()
    listed = owner.get("/agents/deleted").content.decode()
    assert "Support desk" in listed
    assert 'action="/agents/support-desk/restore"' in listed

    owner.post("/agents/support-desk/restore")

    assert "No agent is deleted" in owner.get("/agents/deleted").content.decode()
    assert "Support desk" in owner.get("/agents/").content.decode().partition("<tbody>")[2]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CURATOR])
def test_who_may_not_bring_an_agent_back_sees_that_it_is_deleted(agent: Agent, role: Role) -> None:
    delete(agent)

    listed = browser_of(member(agent.store, role)).get("/agents/deleted").content.decode()

    assert "Support desk" in listed
    assert "/restore" not in listed


def test_deleted_agents_of_foreign_stores_are_not_listed(agent: Agent) -> None:
    delete(agent)

    assert "Support desk" not in browser_of(stranger()).get("/agents/deleted").content.decode()


def test_the_number_of_queries_does_not_grow_with_the_deleted_agents() -> None:
    browser = browser_of(operator())

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            browser.get("/agents/deleted")
        return len(seen)

    delete(create_agent(name="First"))
    few = queries()
    for number in range(10):
        delete(create_agent(name=f"Agent {number}"))

    assert queries() == few


def test_deleting_says_which_tokens_stop_and_which_folder_is_followed_no_longer(owner: Client, agent: Agent) -> None:
    user = operator()
    working, secret = make_token(agent, agent.store, "bridge", Scope.WRITE, user=user, expires_at=None)
    revoked, _ = make_token(agent, agent.store, "old", Scope.READ, user=user, expires_at=None)
    revoke(revoked, by=user)
    WatchedFolder.objects.create(agent=agent, path="/srv/helper", added_by="mara", added_at=timezone.now())

    for page in ("delete", "settings"):
        html = owner.get(f"/agents/support-desk/{page}").text
        assert "1 token stops working at once" in html
        assert f"{working.prefix}…{working.ending}" in html
        assert f"{revoked.prefix}…{revoked.ending}" not in html
        assert "/srv/helper" in html
    owner.post("/agents/support-desk/delete")

    assert isinstance(authenticate(f"Bearer {secret}"), Refusal)
