"""Lists of runs: filters, order, sums, and the two ways to be empty."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.making import create_agent
from agents.models import Agent, ModelPrice, Run, RunState
from memories import tool
from memories.actors import Actor, ActorKind
from memories.models import Role
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk")


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


def writes(run: Run, path: str, text: str) -> None:
    """Have the run create a file."""
    ids = {"agent_id": run.agent_id, "run_id": run.uuid, "turn": 1, "tool_use_id": uuid4().hex}
    actor = Actor(ActorKind.AGENT, run.agent.name, **ids)  # type: ignore[arg-type]
    tool.execute(run.agent.store, {"command": "create", "path": path, "file_text": text}, actor)


def titles(page: str, *names: str) -> list[str]:
    """Return those of the titles that the table has, in its order."""
    table = page.partition("<tbody>")[2]
    return sorted((name for name in names if f">{name}<" in table), key=lambda name: table.index(f">{name}<"))


def test_those_that_wait_stand_above_live_ones_and_these_above_the_newest(browser: Client, agent: Agent) -> None:
    run_in(RunState.DONE, agent, title="Newest", minutes_ago=1)
    run_in(RunState.RUNNING, agent, title="Live", minutes_ago=20)
    run_in(RunState.WAITING, agent, title="Waits", minutes_ago=30)
    run_in(RunState.DONE, agent, title="Oldest", minutes_ago=40)

    page = browser.get("/runs/").content.decode()

    assert titles(page, "Newest", "Live", "Waits", "Oldest") == ["Waits", "Live", "Newest", "Oldest"]
    assert "2 live, of which 1 waits for a retry" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=failed", ["Failed one"]),
        ("state=live", ["Live one"]),
        ("agent=code-reviewer", ["Reviewed"]),
        ("since=24h", ["Failed one", "Live one", "Reviewed"]),
        ("q=old", ["Old one"]),
        ("q=acme", ["Failed one"]),
        ("state=nonsense&agent=nobody&since=never", ["Failed one", "Live one", "Old one", "Reviewed"]),
    ],
)
def test_the_address_filters_by_text_file_agent_state_and_time(
    browser: Client, agent: Agent, query: str, expected: list[str]
) -> None:
    writes(run_in(RunState.FAILED, agent, title="Failed one"), "/memories/customers/acme.md", "seats: 40\n")
    run_in(RunState.RUNNING, agent, title="Live one")
    run_in(RunState.DONE, agent, title="Old one", minutes_ago=60 * 25)
    run_in(RunState.DONE, create_agent(name="Code reviewer"), title="Reviewed")

    page = browser.get(f"/runs/?{query}").content.decode()

    assert sorted(titles(page, "Failed one", "Live one", "Old one", "Reviewed")) == expected


def test_a_column_sorts_and_says_how(browser: Client, agent: Agent) -> None:
    for turns in (2, 9, 5):
        run_in(RunState.DONE, agent, title=f"{turns} turns", turns=turns)

    most = browser.get("/runs/?sort=-turns").content.decode()
    least = browser.get("/runs/?sort=turns").content.decode()

    assert titles(most, "2 turns", "9 turns", "5 turns") == ["9 turns", "5 turns", "2 turns"]
    assert titles(least, "2 turns", "9 turns", "5 turns") == ["2 turns", "5 turns", "9 turns"]
    assert 'aria-sort="descending"><a class="sort" href="?sort=turns"' in most
    assert 'aria-sort="ascending"><a class="sort" href="?sort=-turns"' in least


def test_a_row_says_what_the_run_changed(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)
    writes(run, "/memories/a.md", "one\ntwo\n")
    writes(run, "/memories/b.md", "three\n")
    run_in(RunState.RUNNING, agent)

    page = browser.get("/runs/").content.decode()

    assert "2 files, +3" in page
    assert "none yet" in page


def test_the_sum_names_runs_without_a_known_price(browser: Client, agent: Agent) -> None:
    ModelPrice.objects.create(model="claude-opus-5-5", input=5, output=25)
    run_in(RunState.DONE, agent, input_tokens=1_000_000, output_tokens=100_000)
    run_in(RunState.DONE, create_agent(name="Unpriced", model="claude-of-tomorrow"), input_tokens=10)
    run_in(RunState.DONE, create_agent(name="Scripted", model="demo/support-desk"), input_tokens=10)
    run_in(RunState.FAILED, create_agent(name="Keyless", model="claude-of-tomorrow"))

    page = browser.get("/runs/").content.decode()

    assert "4 runs, US$ 7.50 and 1 without a known price" in page
    assert "Unknown" in page
    assert "Scripted demo model" in page


@pytest.mark.parametrize(("state", "words"), [(RunState.QUEUED, "None yet"), (RunState.FAILED, "None")])
def test_the_cost_of_a_run_that_used_no_token_is_none(browser: Client, state: RunState, words: str) -> None:
    run_in(state, create_agent(name="Unpriced", model="claude-of-tomorrow"))

    page = browser.get("/runs/").content.decode()

    assert f'data-k="Cost">{words}</td>' in page
    assert "without a known price" not in page


def test_an_empty_list_says_what_a_run_is(browser: Client, agent: Agent) -> None:
    page = browser.get("/runs/").content.decode()

    assert "No run yet" in page
    assert "Start a run" in page


def test_a_list_emptied_by_filters_says_what_each_of_them_hides(browser: Client, agent: Agent) -> None:
    run_in(RunState.DONE, agent, title="acme")
    run_in(RunState.FAILED, agent, title="acme", minutes_ago=60 * 24 * 9)

    page = browser.get("/runs/?q=acme&state=failed&since=7d").content.decode()

    assert "No failed run mentions “acme” in the last 7 days" in page
    assert "Without “Failed”: 1 run." in page
    assert "Without “last 7 days”: 1 run." in page
    assert 'href="?q=acme&amp;since=7d"' in page
    assert "0 of 2 match" in page


def test_the_list_comes_in_pages_that_keep_the_filters(browser: Client, agent: Agent) -> None:
    for number in range(52):
        run_in(RunState.DONE, agent, title=f"Old {number}", minutes_ago=number)

    first = browser.get("/runs/?q=old").content.decode()
    second = browser.get("/runs/?q=old&page=2").content.decode()

    assert "1–50 of 52" in first
    assert 'rel="next" href="?q=old&amp;page=2"' in first
    assert "51–52 of 52" in second


def test_the_number_of_queries_does_not_grow_with_the_runs(browser: Client, agent: Agent) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            browser.get("/runs/")
        return len(seen)

    writes(run_in(RunState.DONE, agent), "/memories/first.md", "text\n")
    few = queries()
    for number in range(20):
        writes(run_in(RunState.DONE, create_agent(name=f"Agent {number}")), f"/memories/{number}.md", "text\n")

    assert queries() <= few


def test_people_see_the_runs_of_their_stores_alone(agent: Agent) -> None:
    run_in(RunState.DONE, agent, title="Mine")
    run_in(RunState.DONE, create_agent(name="Other"), title="Theirs")

    for role in Role:
        page = browser_of(member(agent.store, role)).get("/runs/").content.decode()
        assert titles(page, "Mine", "Theirs") == ["Mine"]
        assert ("New run" in page) is (role != Role.VIEWER)


def test_an_agents_runs_stand_below_the_head_of_its_memory(agent: Agent) -> None:
    run_in(RunState.DONE, agent, title="Mine")

    page = browser_of(member(agent.store, Role.VIEWER)).get("/agents/support-desk/runs").content.decode()

    assert titles(page, "Mine") == ["Mine"]
    assert 'aria-current="page">Runs' in page
    assert "Settings" not in page


def test_an_agent_that_runs_elsewhere_is_said_to_have_no_runs_here(browser: Client) -> None:
    create_agent(name="Coach", place="api")

    page = browser.get("/agents/coach/runs").content.decode()

    assert "Coach has no runs here" in page
    assert "New run" not in page


def test_an_outsider_meets_404_for_an_agents_runs(agent: Agent) -> None:
    assert browser_of(stranger()).get("/agents/support-desk/runs").status_code == 404
