"""The list of agents, and what stands in its place while there is nothing to list."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.making import create_agent
from agents.models import Agent, Place, RunState
from memories import store, tool
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore, Role
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import AGENT, new_store

pytestmark = pytest.mark.django_db


def names_in_order(page: str, *names: str) -> list[str]:
    """Return the names sorted by where each stands first in the page's table."""
    table = page[page.index("<tbody>") :]
    return sorted(names, key=table.index)


def agent_here(name: str, memory: MemoryStore | None = None) -> Agent:
    return create_agent(name=name, store=memory, model="demo/support-desk")


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def test_those_that_need_somebody_stand_first(browser: Client) -> None:
    states = {"Quiet": RunState.DONE, "Broken": RunState.FAILED, "Waiting": RunState.WAITING, "Busy": RunState.RUNNING}
    for name, state in states.items():
        run_in(state, agent_here(name))
    full = agent_here("Full")
    MemoryStore.objects.filter(pk=full.store_id).update(file_count=9_400)

    page = browser.get("/agents/").content.decode()

    assert names_in_order(page, *states, "Full") == ["Broken", "Waiting", "Full", "Busy", "Quiet"]
    assert "Last run failed" in page
    assert "94% of store limit" in page
    assert "Running now" in page


def test_what_needs_nobody_can_be_left_out(browser: Client) -> None:
    run_in(RunState.DONE, agent_here("Quiet"))
    run_in(RunState.FAILED, agent_here("Broken"))

    page = browser.get("/agents/?need=1").content.decode()

    assert "Broken" in page
    assert "Quiet" not in page


def test_totals_agree_with_the_rail_and_the_database(browser: Client) -> None:
    agent = agent_here("Support desk")
    lone = new_store()
    for memory, path in ((agent.store, "/memories/a.md"), (agent.store, "/memories/b.md"), (lone, "/memories/c.md")):
        tool.execute(memory, {"command": "create", "path": path, "file_text": "12345"}, AGENT)
    run_in(RunState.RUNNING, agent)

    answer = browser.get("/")

    assert answer.context["totals"] == {"agents": 1, "files": 3, "bytes": 15, "live": 1}
    assert "1 live" in answer.content.decode()


def test_writes_of_thirty_days_are_the_agents_own(browser: Client) -> None:
    agent = agent_here("Support desk")
    actor = Actor(ActorKind.AGENT, "Support desk", agent_id=agent.pk)
    old = Actor(ActorKind.AGENT, "Support desk", agent_id=agent.pk, authored_at=timezone.now() - timedelta(days=40))
    tool.execute(agent.store, {"command": "create", "path": "/memories/old.md", "file_text": "old"}, old)
    tool.execute(agent.store, {"command": "create", "path": "/memories/new.md", "file_text": "new"}, actor)
    tool.execute(agent.store, {"command": "create", "path": "/memories/other.md", "file_text": "other"}, AGENT)

    page = browser.get("/agents/").content.decode()

    assert "1 write in the last 30 days" in page
    assert page.partition('aria-label="1 write')[2].partition('<path d="')[2].partition('"')[0].count("M") == 30


def test_an_agent_that_runs_elsewhere_has_calls_and_no_runs(browser: Client) -> None:
    agent = create_agent(name="Onboarding coach", place=Place.API)
    create_agent(name="Travel planner", place=Place.API)
    coach = Actor(ActorKind.TOKEN, "coach", agent_id=agent.pk)
    tool.execute(agent.store, {"command": "view", "path": "/memories"}, coach)
    store.reads.flush()

    page = browser.get("/agents/").content.decode()

    assert "Elsewhere, API" in page
    assert "Last call" in page
    assert "No call yet" in page


def test_the_scripted_demo_model_is_named_and_not_presented_as_claude(browser: Client) -> None:
    agent_here("Support desk")

    for layout in ("table", "cards"):
        assert "Scripted demo model" in browser.get(f"/agents/?layout={layout}").content.decode()


def test_the_filter_answers_htmx_with_the_list_alone(browser: Client) -> None:
    agent_here("Support desk")
    agent_here("Code reviewer")

    part = browser.get("/agents/?q=code", headers={"HX-Request": "true"}).content.decode()

    assert "Code reviewer" in part
    assert "Support desk" not in part
    assert "<main" not in part
    assert 'data-announce="1 agent"' in part


def test_a_filter_that_hides_all_says_so(browser: Client) -> None:
    agent_here("Support desk")

    page = browser.get("/agents/?q=<b>").content.decode()

    assert "No agent has “&lt;b&gt;” in its name" in page
    assert "1 agent in all." in page


@pytest.mark.parametrize("layout", ["table", "cards"])
def test_the_number_of_queries_does_not_grow_with_the_agents(browser: Client, layout: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            browser.get(f"/agents/?layout={layout}")
        return len(seen)

    run_in(RunState.DONE, agent_here("First"))
    create_agent(name="First elsewhere", place=Place.API)
    few = queries()
    for number in range(20):
        run_in(RunState.DONE, agent_here(f"Agent {number}"))
        create_agent(name=f"Elsewhere {number}", place=Place.API)

    assert queries() <= few


def test_members_see_the_agents_of_their_stores_alone() -> None:
    mine, other = agent_here("Mine"), agent_here("Other")

    for role in Role:
        page = browser_of(member(mine.store, role)).get("/agents/").content.decode()
        assert mine.name in page
        assert other.name not in page


def test_the_first_page_offers_the_operator_every_way_in(browser: Client) -> None:
    page = browser.get("/").content.decode()

    for words in (
        "Connect an agent",
        "Import a folder",
        "Load demo data",
        "ANTHROPIC_API_KEY",
        "all migrations applied",
    ):
        assert words in page


def test_the_first_page_tells_a_stranger_what_is_missing() -> None:
    agent_here("Support desk")

    page = browser_of(stranger()).get("/").content.decode()

    assert "You are not a member of a store yet." in page
    assert "Import a folder" not in page
    assert "Support desk" not in page


def test_stores_without_an_agent_have_a_page_that_says_so(browser: Client) -> None:
    new_store()

    page = browser.get("/").content.decode()

    assert "No agent yet" in page


@pytest.mark.parametrize("address", ["/agents/import", "/agents/demo"])
def test_only_the_operator_reaches_into_the_server(address: str) -> None:
    agent = agent_here("Support desk")

    assert browser_of(member(agent.store, Role.OWNER)).post(address).status_code == 403


def test_demo_data_is_refused_where_there_is_memory_already(browser: Client) -> None:
    agent_here("Support desk")

    page = browser.post("/agents/demo", follow=True).content.decode()

    assert "There is memory here already" in page
    assert Agent.objects.count() == 1


def test_the_pages_of_a_store_are_named_after_its_agent_and_lead_to_its_runs(browser: Client) -> None:
    agent_here("Support desk", new_store())
    memory = Agent.objects.get().store

    page = browser.get(f"/stores/{memory.slug}/files/").content.decode()

    assert "<bdi>Support desk</bdi></h1>" in page
    assert 'href="/agents/support-desk/runs"' in page
    assert 'href="/runs/new?agent=support-desk"' in page
    assert "Scripted demo model" in page


def test_the_pages_of_a_shared_store_are_named_after_the_store(browser: Client) -> None:
    memory = new_store()
    agent_here("Support desk", memory)
    agent_here("Night triage", memory)

    page = browser.get(f"/stores/{memory.slug}/files/").content.decode()

    assert f"<bdi>{memory.name}</bdi></h1>" in page
    assert 'href="/agents/support-desk/runs"' in page
    assert 'href="/agents/night-triage/runs"' in page
    assert "New run" not in page


def test_rail_and_palette_lead_to_agents_and_runs(browser: Client) -> None:
    agent = agent_here("Support desk")
    run = run_in(RunState.DONE, agent)

    page = browser.get("/palette?q=").content.decode()

    assert f'href="/runs/{run.uuid}/"' in page
    assert 'href="/stores/support-desk/files/"' in page
    assert 'data-go="a"' in page


def test_the_rails_counts_can_be_asked_for_alone(browser: Client) -> None:
    run_in(RunState.RUNNING, agent_here("Support desk"))

    part = browser.get("/rail?at=/runs/").content.decode()
    foreign = browser_of(stranger()).get("/rail?at=/runs/").content.decode()

    assert '<a href="/runs/" aria-current="page"' in part
    assert part.count("aria-current") == 1
    assert "1 live" in part
    assert "<nav" not in part
    assert "live" not in foreign


def test_the_palette_offers_nothing_of_foreign_stores() -> None:
    run_in(RunState.DONE, agent_here("Support desk"))

    page = browser_of(stranger()).get("/palette?q=").content.decode()

    assert "Support desk" not in page
