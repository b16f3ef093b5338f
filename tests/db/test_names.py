"""Two agents or stores of one name: wherever people choose between them, the slug stands beside the name."""

import re
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from agents.making import create_agent
from agents.models import Agent, RunState
from memories.models import Role
from memories.store import create_store
from tests.support.files import write
from tests.support.people import browser_of, member, operator
from tests.support.run_rows import run_in

pytestmark = pytest.mark.django_db

AGENTS = "lamp-crew", "lamp-crew-2"
STORES = "almanac", "almanac-2"


def make(name: str, store: str) -> tuple[Agent, Agent]:
    """Make two agents of this name, each with a run, and two stores of that name; the agents share the first."""
    first, _ = create_store(name=store), create_store(name=store)
    agents = create_agent(name=name, store=first), create_agent(name=name, store=first)
    for agent in agents:
        run_in(RunState.DONE, agent)
    write(first, "tea.md", "tea\n")
    return agents


def words_of(page: str) -> str:
    """Return what a person reads of the page below its head: the text, without markup and addresses."""
    body = page.partition("<main")[2].partition("</main>")[0]
    return unescape(re.sub(r"<[^>]*>", " ", body))


def read(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return words_of(answer.content.decode())


PAGES = {
    "/agents/": AGENTS,
    "/agents/?layout=cards": AGENTS,
    "/agents/lamp-crew/settings": AGENTS[1:],
    "/agents/new": (*AGENTS, *STORES),
    "/runs/": AGENTS,
    "/runs/new": AGENTS,
    "/stores/": (*AGENTS, *STORES),
    "/stores/almanac/settings": AGENTS,
    "/stores/almanac/files/": AGENTS,
    "/palette?q=lamp": AGENTS,
    "/palette?q=run": AGENTS,
    "/palette?q=alma": STORES,
    "/palette?q=tea": STORES[:1],
}


@pytest.mark.parametrize("address", PAGES)
def test_slugs_tell_apart_what_bears_one_name(address: str) -> None:
    make("Lamp crew", "Almanac")

    page = read(browser_of(operator()), address)

    for slug in PAGES[address]:
        assert re.search(rf"{slug}(?![\w-])", page), slug


@pytest.mark.parametrize("address", PAGES)
def test_a_name_that_one_thing_bears_stands_alone(address: str) -> None:
    for name, store in (("Lamp crew", "Almanac"), ("Night triage", "Diaries")):
        agent = create_agent(name=name, store=create_store(name=store))
        run_in(RunState.DONE, agent)
        write(agent.store, "tea.md", "tea\n")

    page = read(browser_of(operator()), address).replace("/agents/lamp-crew", "").replace("/stores/almanac", "")

    for slug in ("lamp-crew", "night-triage", "almanac", "diaries"):
        assert not re.search(rf"(?<![\w-]){slug}(?![\w-])", page), slug


def test_a_deleted_agent_is_told_from_the_one_that_came_after_it() -> None:
    old, _ = make("Lamp crew", "Almanac")
    Agent.objects.filter(pk=old.pk).update(archived_at=timezone.now())
    browser = browser_of(operator())

    assert "lamp-crew " in read(browser, "/agents/deleted")
    assert "lamp-crew-2 " in read(browser, "/agents/")


def test_a_name_in_a_foreign_store_needs_no_slug() -> None:
    mine = create_agent(name="Lamp crew")
    create_agent(name="Lamp crew")

    page = read(browser_of(member(mine.store, Role.VIEWER)), "/agents/")

    assert "lamp-crew" not in page


def test_making_a_second_of_a_name_says_how_it_is_told_apart() -> None:
    browser = browser_of(operator())
    create_store(name="Almanac")

    page = browser.post("/stores/new", {"name": "Almanac"}, follow=True).content.decode()

    assert "Made Almanac (almanac-2)." in page
