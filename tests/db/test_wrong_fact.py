"""One wrong fact that five agents keep, each in its own words and store: found, mended in all of them, and undone."""

import re
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.making import create_agent
from memories import tool
from memories.actors import Actor, ActorKind
from memories.models import Member, MemoryStore, Role
from memories.search import index
from tests.support.files import page
from tests.support.people import browser_of, stranger
from tests.support.stores import assert_sound, files_of, text_of

pytestmark = pytest.mark.django_db

WRONG, RIGHT = "hotline 0800 1234", "hotline 0800 9999"
SAID = (
    "The {0} is free of charge.\n",
    "# Contact\r\n- {0}\r\n- {0}, at night too\r\n",
    "Call the {0}",
    "Ask for the {0}é, {0}\u2028{0}\n",
    "\n\n\t{0}\n\nand nobody else\n",
)
FILES = 40


@pytest.fixture
def person(db: None) -> User:
    return stranger()


@pytest.fixture
def stores(person: User) -> list[MemoryStore]:
    """The stores of five agents, in each of which the fact stands in several files among many others."""
    random, found = Random(5), []
    for number, said in enumerate(SAID):
        agent = create_agent(name=f"Desk {number}")
        actor = Actor(ActorKind.AGENT, agent.name, agent_id=agent.pk)
        Member.objects.create(store=agent.store, user=person, role=Role.CURATOR)
        for file in range(FILES):
            text = "".join(f"- note {random.randrange(99)} of many\n" for _ in range(random.randrange(9)))
            if file % 8 == number:
                text += said.format(random.choice([WRONG, WRONG.upper(), WRONG.capitalize()]))
            call = {"command": "create", "path": f"/memories/d{file % 3}/{file}.md", "file_text": text}
            assert not tool.execute(agent.store, call, actor).is_error
        found.append(agent.store)
    return found


def occurrences(stores: list[MemoryStore], words: str) -> int:
    """Return how often the words stand in all files, in capitals or not."""
    return sum(data.decode().casefold().count(words) for store in stores for data in files_of(store).values())


def everything_ticked(browser: Client, asked: dict[str, str]) -> tuple[str, int, int]:
    """Go through all pages of the preview, replace in all files, and say what was answered and previewed."""
    rows = files = 0
    body = page(browser, "/replace?" + "&".join(f"{name}={value.replace(' ', '+')}" for name, value in asked.items()))
    for number in range(2, 40):
        rows += body.count(f"<ins>{RIGHT}</ins>")
        offered = re.findall(r'name="offered" value="([^"]*)"', body)
        files += len(offered)
        sent: dict[str, Any] = asked | {"offered": offered, "file": offered}
        sent |= {name: re.findall(rf'name="{name}" value="([^"]*)"', body)[0] for name in ("shown", "skip")}
        if f'name="page" value="{number}"' not in body:
            return browser.post("/replace", sent, follow=True).content.decode(), rows, files
        body = browser.post("/replace", sent | {"page": number}, follow=True).content.decode()
    raise AssertionError("The preview has no end.")


def test_a_wrong_fact_of_five_agents_is_found_mended_in_all_and_undone(stores: list[MemoryStore], person: User) -> None:
    index.catch_up(60)
    browser, before = browser_of(person), [files_of(store) for store in stores]
    wrong = occurrences(stores, WRONG)
    holding = sum(WRONG in data.decode().casefold() for files in before for data in files.values())
    assert wrong > holding > 20

    found = page(browser, '/search?q="hotline+0800+1234"')
    answer, rows, files = everything_ticked(browser, {"find": WRONG, "put": RIGHT, "in": "every"})
    after = [files_of(store) for store in stores]

    assert f"{holding} files in 5 stores with" in found
    assert (rows, files) == (wrong, holding)
    assert f"Replaced {wrong} places in {holding} files of 5 stores." in answer
    assert (occurrences(stores, WRONG), occurrences(stores, RIGHT)) == (0, wrong)
    changed = [path for old, new in zip(before, after, strict=True) for path in new if old[path] != new[path]]
    assert len(changed) == holding
    for store, files_now in zip(stores, after, strict=True):
        assert_sound(store)
        # Agents are told what is there now.
        path = next(path for path, data in files_now.items() if RIGHT in data.decode())
        seen = tool.execute(store, {"command": "view", "path": path}, Actor(ActorKind.AGENT, "Desk"))
        assert RIGHT in text_of(seen.content)
    index.catch_up(60)
    assert "Nothing found" in page(browser, '/search?q="hotline+0800+1234"')

    way_back = re.search(r'action="(/acts/[^"]+/undo-everywhere)"', answer)
    assert way_back
    undone = browser.post(way_back[1], follow=True).content.decode()

    assert f"Undone in 5 stores. {holding} files went back." in undone
    assert [files_of(store) for store in stores] == before
    again = re.search(r'action="(/acts/[^"]+/undo-everywhere)"', undone)
    assert again
    browser.post(again[1], follow=True)
    assert [files_of(store) for store in stores] == after


def test_who_may_write_in_some_of_the_stores_mends_these_alone(stores: list[MemoryStore], person: User) -> None:
    Member.objects.filter(user=person, store__in=stores[3:]).update(role=Role.VIEWER)
    before = [files_of(store) for store in stores]

    everything_ticked(browser_of(person), {"find": WRONG, "put": RIGHT, "in": "every"})

    assert occurrences(stores[:3], WRONG) == 0
    assert [files_of(store) for store in stores[3:]] == before[3:]
