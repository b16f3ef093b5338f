"""What people write to agents: the first message, further ones, those that wait, and taking one back."""

import re
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from agents import runs
from agents.making import create_agent
from agents.models import Agent, Run, RunState
from memories.models import Role
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db(transaction=True)

NO_TEXTS = {"texts-TOTAL_FORMS": "0", "texts-INITIAL_FORMS": "0"}


@pytest.fixture
def browser() -> Client:
    """The operator's browser."""
    return browser_of(operator())


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk", model="demo/support-desk")


def page_of(run: Run, browser: Client) -> str:
    """Return the run's page."""
    return browser.get(f"/runs/{run.uuid}/").content.decode()


def waiting_on(page: str) -> str:
    """Return the part of the page with the messages that wait."""
    return page.partition('id="run-pending"')[2].partition("data-run-end")[0]


def waits(run: Run, *texts: str) -> None:
    """Have messages wait in the run, whatever its state."""
    state = run.state
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    for text in texts:
        runs.send(run, text, user=operator())
    Run.objects.filter(pk=run.pk).update(state=state)


def test_a_message_for_a_busy_agent_waits_in_sight(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)

    sent = browser.post(f"/runs/{run.uuid}/message", {"text": "And hurry", **NO_TEXTS})

    assert sent["Location"] == f"/runs/{run.uuid}/#end"
    page = page_of(run, browser)
    assert "sent when the agent is free" in page
    assert "And hurry" in page.partition('id="run-pending"')[2]


def test_the_composer_hands_over_to_the_whole_page_when_texts_are_attached(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.DONE, agent)
    given = {"text": "See this", "add": "1", **NO_TEXTS}

    part = browser.post(f"/runs/{run.uuid}/message", given, headers={"HX-Request": "true"})

    assert part["HX-Retarget"] == "#main"
    assert ">See this</textarea>" in part.content.decode()
    assert 'name="texts-0-text"' in part.content.decode()
    assert not run.pending.exists()


def test_a_run_begins_with_a_message_and_texts_marked_by_their_origin(browser: Client, agent: Agent) -> None:
    given = {
        "agent": agent.slug,
        "text": "Answer this\r\nticket",
        "texts-TOTAL_FORMS": "2",
        "texts-INITIAL_FORMS": "0",
        "texts-0-name": "Ticket",
        "texts-0-text": "It fails.",
        "texts-0-trust": "external",
        "texts-1-name": "Rules",
        "texts-1-text": "Be brief.",
        "texts-1-trust": "trusted",
    }

    answered = browser.post("/runs/new", given)

    run = Run.objects.get()
    assert answered["Location"] == f"/runs/{run.uuid}/"
    message = run.messages.get()
    assert message.content[0]["text"] == "Answer this\nticket"
    assert [mark["trust"] for mark in message.marks] == ["trusted", "external", "trusted"]


def test_room_for_one_more_text_keeps_what_was_typed(browser: Client, agent: Agent) -> None:
    given = {
        "agent": agent.slug,
        "text": "Answer this",
        "texts-TOTAL_FORMS": "1",
        "texts-INITIAL_FORMS": "0",
        "texts-0-name": "Ticket",
        "texts-0-text": "It fails.",
        "texts-0-trust": "trusted",
        "add": "1",
    }

    page = browser.post("/runs/new", given).content.decode()

    assert ">Answer this</textarea>" in page
    assert ">It fails.</textarea>" in page
    assert 'name="texts-0-trust" value="trusted" checked' in page
    assert 'name="texts-1-trust" value="external" checked' in page
    assert not Run.objects.exists()


def test_a_message_without_words_is_refused_at_its_field(browser: Client, agent: Agent) -> None:
    given = {"agent": agent.slug, "text": "  ", **NO_TEXTS}

    answered = browser.post("/runs/new", given)

    assert answered.status_code == 422
    assert "Write a message first." in answered.content.decode()


@override_settings(MEMDASH_ANTHROPIC_API_KEY="")
def test_without_a_key_the_page_says_why_and_offers_the_demo_model(browser: Client) -> None:
    create_agent(name="Writer")

    page = browser.get("/runs/new?agent=writer").content.decode()

    assert "ANTHROPIC_API_KEY is not set" in page
    assert "scripted demo model" in page
    assert 'aria-describedby="obstacle"' in page


@override_settings(MEMDASH_ANTHROPIC_API_KEY="")
@pytest.mark.parametrize("address", ["/runs/new", "/runs/new?agent=writer"])
def test_without_a_key_no_run_starts_however_the_agent_was_chosen(browser: Client, agent: Agent, address: str) -> None:
    create_agent(name="Writer")

    answered = browser.post(address, {"agent": "writer", "text": "Hello there", **NO_TEXTS})

    page = answered.content.decode()
    assert answered.status_code == 422
    assert "Writer cannot run here yet. There is no key for Claude on this server" in page
    assert 'aria-invalid="true" aria-describedby="id_agent-error"' in page
    assert ">Hello there</textarea>" in page
    assert not Run.objects.exists()


@override_settings(MEMDASH_ANTHROPIC_API_KEY="")
def test_the_list_of_agents_says_which_cannot_run_and_another_can_be_chosen(browser: Client, agent: Agent) -> None:
    create_agent(name="Writer")

    page = browser.get("/runs/new?agent=writer").content.decode()
    answered = browser.post("/runs/new?agent=writer", {"agent": agent.slug, "text": "Hello", **NO_TEXTS})

    assert ">Writer, cannot run here yet: no API key is set</option>" in page
    assert ">Support desk, scripted demo model</option>" in page
    assert '<button class="btn primary" type="submit">Start run</button>' in page
    assert answered.status_code == 302
    assert Run.objects.get().agent == agent


@override_settings(MEMDASH_ANTHROPIC_API_KEY="sk-ant-made-up")
def test_with_a_key_agents_of_claude_run(browser: Client) -> None:
    create_agent(name="Writer")

    page = browser.get("/runs/new").content.decode()
    answered = browser.post("/runs/new", {"agent": "writer", "text": "Hello", **NO_TEXTS})

    assert "cannot run" not in page
    assert answered.status_code == 302


def test_a_message_that_waits_is_withdrawn_and_put_back(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    waits(run, "And hurry", "Or not")
    [first, second] = run.pending.all()
    [address, _] = re.findall(r'form="run-withdraw" formaction="([^"]+)"', page_of(run, browser))

    page = browser.post(address, follow=True).content.decode()

    assert "And hurry" not in waiting_on(page)
    assert "Or not" in waiting_on(page)
    assert "Withdrawn. The agent does not get that message." in page
    undo = re.search(r'action="(/runs/[^"]+/put-back)"', page)
    assert undo

    browser.post(undo[1])

    assert [each.content[0]["text"] for each in run.pending.all()] == ["And hurry", "Or not"]
    assert list(run.pending.all()) == [first, second]


def test_withdrawing_what_the_agent_has_got_is_refused_in_words(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    waits(run, "And hurry")
    address = f"/runs/{run.uuid}/pending/{run.pending.get().pk}/withdraw"
    run.pending.all().delete()

    page = browser.post(address, follow=True).content.decode()

    assert "That message waits no longer: the agent has it, or somebody withdrew it before." in page


@pytest.mark.parametrize("role", list(Role))
def test_those_who_may_act_may_withdraw(agent: Agent, role: Role) -> None:
    run, may_act = run_in(RunState.RUNNING, agent), role != Role.VIEWER
    waits(run, "And hurry")
    browser = browser_of(member(agent.store, role))
    address = f"/runs/{run.uuid}/pending/{run.pending.get().pk}/withdraw"

    assert ("Withdraw" in page_of(run, browser)) is may_act
    assert browser.post(address).status_code == (302 if may_act else 403)
    assert browser.post(f"/runs/{run.uuid}/withdrawn/1/put-back").status_code == (302 if may_act else 403)
    assert run.pending.exists() is not may_act


def test_an_outsider_withdraws_nothing(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    waits(run, "And hurry")
    browser = browser_of(stranger())

    assert browser.post(f"/runs/{run.uuid}/pending/{run.pending.get().pk}/withdraw").status_code == 404
    assert browser.post(f"/runs/{run.uuid}/withdrawn/1/put-back").status_code == 404
    assert run.pending.exists()


def test_a_message_of_another_run_is_not_withdrawn(browser: Client, agent: Agent) -> None:
    run, other = run_in(RunState.RUNNING, agent), run_in(RunState.RUNNING, agent)
    waits(other, "And hurry")

    browser.post(f"/runs/{run.uuid}/pending/{other.pending.get().pk}/withdraw")

    assert other.pending.exists()


def test_cancelling_says_what_becomes_of_messages_that_wait(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.QUEUED, agent)
    runs.send(run, "And hurry", user=operator())

    page = browser.post(f"/runs/{run.uuid}/cancel", follow=True).content.decode()

    assert "The message that waits was not sent. It is sent when the run goes on, unless it is withdrawn." in page
    assert ">Continue and send the message</button>" in page
    assert "not sent, waits until the run goes on" in waiting_on(page)
    assert ">Withdraw</button>" in waiting_on(page)
    news = browser.get(f"/runs/{run.uuid}/log?since=0").content.decode()
    assert re.search(r'data-announce="Cancelled by operator\d+, 1 message waits"', news)


@pytest.mark.parametrize(
    ("state", "fields", "words", "button"),
    [
        (RunState.CANCELLED, {}, "What was done before is kept.", "Continue"),
        (RunState.FAILED, {"detail": "The key is wrong."}, "The key is wrong.", "Retry"),
        (RunState.STOPPED, {"reason": "refusal", "detail": "It refused."}, "It refused.", "Continue"),
        (RunState.STOPPED, {"reason": "budget:turns", "turns": 40, "detail": "All used."}, "All used.", "Continue"),
    ],
)
def test_every_end_says_what_becomes_of_messages_that_wait(
    browser: Client, agent: Agent, state: RunState, fields: dict[str, Any], words: str, button: str
) -> None:
    run = run_in(state, agent, **fields)
    assert f">{button}</button>" in page_of(run, browser)

    waits(run, "One", "Two")

    page = page_of(run, browser)
    assert f"{words} The 2 messages that wait were not sent." in page
    assert f">{button} and send 2 messages</button>" in page


@pytest.mark.parametrize(
    ("state", "fields", "words"),
    [
        (RunState.RUNNING, {}, "Sent when the agent is free."),
        (RunState.DONE, {}, "Sending lets the finished run go on with this message."),
        (RunState.STOPPED, {"reason": "refusal"}, "Sending lets the stopped run go on with this message."),
        (
            RunState.STOPPED,
            {"reason": "budget:turns"},
            "The limit still holds. A message sent now is answered once the run goes on.",
        ),
        (
            RunState.CANCELLED,
            {},
            "Sending starts the cancelled run again where it was, with this message.",
        ),
        (RunState.FAILED, {}, "Sending tries the failed run again, with this message."),
    ],
)
def test_the_composer_says_what_sending_does(
    browser: Client, agent: Agent, state: RunState, fields: dict[str, Any], words: str
) -> None:
    run = run_in(state, agent, **fields)

    page = page_of(run, browser)
    form = browser.get(f"/runs/{run.uuid}/message").content.decode()

    assert f'id="run-sending">{words} <span' in page
    assert 'aria-describedby="run-sending"' in page
    assert words in form


def test_the_composer_says_that_what_waits_goes_first(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.CANCELLED, agent)
    waits(run, "And hurry")

    assert "again where it was, with this message after the message that waits." in page_of(run, browser)


def test_a_run_that_is_being_cancelled_says_that_messages_wait(browser: Client, agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent, cancel_requested_at=timezone.now())
    runs.send(run, "And hurry", user=operator())

    page = page_of(run, browser)

    assert "A message sent now waits until somebody lets it go on." in page
    assert "waits, the run is being cancelled" in waiting_on(page)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CURATOR])
def test_news_keep_the_composers_words_true_for_those_who_have_one(agent: Agent, role: Role) -> None:
    run = run_in(RunState.QUEUED, agent)
    runs.cancel(run, user=operator())

    news = browser_of(member(agent.store, role)).get(f"/runs/{run.uuid}/log?since=0").content.decode()

    assert ('id="run-sending">Sending starts the cancelled run again' in news) is (role == Role.CURATOR)
