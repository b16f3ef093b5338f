"""Who wrote what in a run: what the agent was told right before, and where that stands."""

import pytest
from django.test import Client

from agents.models import Run, RunState, ToolCall
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore, Role
from tests.support.authors import blame, pane, run_of_turn
from tests.support.files import page, write
from tests.support.people import browser_of, member
from tests.support.run_rows import run_in
from tests.support.runs import new_agent

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def test_the_source_of_a_run_says_what_the_agent_was_told_right_before(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "We sent the logs twice. <b>Stop</b> asking.")
    actor = Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=1, tool_use_id="toolu_1")
    write(agent.store, "a.md", "- escalate to tier 2\n", actor=actor)
    _call(run, "str_replace")

    html = page(browser_of(member(agent.store, Role.VIEWER)), blame(agent.store, "a.md", "&line=1"))

    told = pane(html)
    assert "Ticket 4821, export job Run 1, turn 1. Support desk wrote this after mara said:" in told
    assert "We sent the logs twice. &lt;b&gt;Stop&lt;/b&gt; asking." in told
    assert "Call str_replace Model claude-opus-5-5" in told
    assert f'href="/runs/{run.uuid}/#turn-1"' in html
    assert "Open at turn 1" in told


def test_the_source_of_a_run_elsewhere_says_what_its_program_gave_as_the_cause(browser: Client) -> None:
    agent = new_agent()
    run = run_in(RunState.OUTSIDE, agent, title="Nightly triage", session="s-1")
    actor = Actor(ActorKind.TOKEN, "Night triage", run_id=run.uuid, turn=1, tool_use_id="toolu_1")
    write(agent.store, "a.md", "- tea\n", actor=actor)
    _call(run, "create", cause="Keep what the shift learnt")

    told = pane(page(browser_of(member(agent.store, Role.VIEWER)), blame(agent.store, "a.md", "&line=1")))

    assert "Night triage wrote this and gave as the cause: Keep what the shift learnt" in told


def test_a_run_the_person_may_not_see_is_not_told_of(store: MemoryStore, browser: Client) -> None:
    run = run_of_turn(new_agent(), "A secret of another store")
    write(store, "a.md", "x\n", actor=Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=1))

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert "A secret of another store" not in html
    assert "Ticket 4821" not in html
    assert "Turn 1 of a run that is not kept here." in pane(html)


def test_an_early_turn_is_looked_for_on_its_own_page_of_the_run(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "hello")
    Run.objects.filter(pk=run.pk).update(turns=90)
    for turn in (1, 61):
        actor = Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, turn=turn)
        write(agent.store, f"{turn}.md", "x\n", actor=actor)
    person = browser_of(member(agent.store, Role.VIEWER))

    early, late = (page(person, blame(agent.store, f"{turn}.md", "&line=1")) for turn in (1, 61))

    assert f'href="/runs/{run.uuid}/?until=1#turn-1"' in early
    assert f'href="/runs/{run.uuid}/#turn-61"' in late


def _call(run: Run, command: str, cause: str = "") -> None:
    ToolCall.objects.create(
        run=run,
        tool_use_id="toolu_1",
        turn=1,
        position=1,
        name="memory",
        input={"command": command, "path": "/memories/a.md"},
        content="done",
        is_error=False,
        cause=cause,
        created_at=run.created_at,
    )
