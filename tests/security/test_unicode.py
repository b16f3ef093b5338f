"""What is hidden in memory is labelled on every page that shows it, and what belongs to a script is left alone."""

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agents import runs
from agents.demo import SUPPORT_DESK
from agents.making import create_agent
from agents.models import Agent
from memories import tool
from memories.actors import Actor, ActorKind

CASES = json.loads((Path(__file__).parent.parent / "data/security/unicode_cases.json").read_text())
# NUL and halves of pairs cannot be stored.
STORED = [case for case in CASES if case["id"] not in ("u11", "u24")]
AGENT = Actor(ActorKind.AGENT, "support-bot")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(client: Client) -> Client:
    """The operator's browser."""
    client.force_login(User.objects.create_superuser("mara"))
    return client


@pytest.fixture
def agent() -> Agent:
    """An agent with an empty store."""
    return create_agent(name="Support desk", model=SUPPORT_DESK)


def is_labelled(browser: Client, address: str) -> bool:
    """Return whether the page labels anything as hidden."""
    page = browser.get(address)
    assert page.status_code == 200, address
    return "hidden-char" in page.content.decode()


@pytest.mark.parametrize("ending", ["md", "txt"])
def test_text_of_a_file_is_labelled_wherever_people_read_it(browser: Client, agent: Agent, ending: str) -> None:
    wrong = []
    for case in STORED:
        name = f"{case['id']}.{ending}"
        call = {"command": "create", "path": f"/memories/{name}", "file_text": case["text"]}
        assert not tool.execute(agent.store, call, AGENT).is_error
        for route, query in [("files", ""), ("files", "?view=raw"), ("history", ""), ("history", "?layout=split")]:
            address = reverse(f"memories:{route}", kwargs={"slug": agent.store.slug, "path": name}) + query
            if is_labelled(browser, address) is not case["must_show"]:
                wrong.append(address)

    assert wrong == []


def test_the_agents_view_labels_what_is_hidden(browser: Client, agent: Agent) -> None:
    wrong = []
    for case in STORED:
        call = {"command": "create", "path": f"/memories/{case['id']}", "file_text": case["text"]}
        tool.execute(agent.store, call, AGENT)
        address = reverse("memories:agent-view", kwargs={"slug": agent.store.slug, "path": case["id"]})
        # Behind a line's number even a byte order mark is no longer where it belongs.
        if is_labelled(browser, address) is not (case["must_show"] or case["category"] == "bom_at_start"):
            wrong.append(address)

    assert wrong == []


def test_names_and_messages_of_a_conversation_are_labelled(browser: Client) -> None:
    wrong = []
    for case in STORED:
        agent = create_agent(name=case["text"], model=SUPPORT_DESK)
        run = runs.start(agent, f"a {case['text']}", user=User.objects.get())
        for address in (reverse("agents:run", args=[run.uuid]), reverse("agents:settings", args=[agent.slug])):
            if case["must_show"] and not is_labelled(browser, address):
                wrong.append(f"{case['id']} {address}")

    assert wrong == []
