"""Where the rail says a person is: the pages of one store and its agent belong to one page of the rail."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from agents.making import create_agent
from agents.models import Agent
from memories.models import MemoryStore
from tests.support.files import remove, write
from tests.support.people import browser_of, operator
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db


def used_by(*names: str) -> MemoryStore:
    """Return a store that agents of these names use."""
    memory = new_store()
    for name in names:
        create_agent(name=name, store=memory)
    return memory


def left_by_its_agent() -> MemoryStore:
    memory = used_by("Support desk")
    Agent.objects.update(archived_at=timezone.now())
    return memory


def marked(page: str, bar: str) -> list[str]:
    """Return the words of what is marked as the present page in the bar with this label."""
    nav = page.partition(f'aria-label="{bar}"')[2].partition("</nav>")[0]
    return [re.sub(r"<[^>]*>", "", link).strip() for link in re.findall(r'aria-current="page"[^>]*>(.*?)</a>', nav)]


def pages_of(browser: Client, memory: MemoryStore) -> dict[str, str]:
    """Return every page that the store's tabs lead to, and those of a file, of a folder and of what is gone."""
    for name in ("folder/notes.md", "gone.md"):
        write(memory, name, "tea\n")
    remove(memory, "gone.md")
    start = browser.get(f"/stores/{memory.slug}/files/").content.decode()
    tabs = re.findall(r'<a href="([^"]*)"', start.partition('<nav class="tabs"')[2].partition("</nav>")[0])
    places = ("files/folder", "files/folder/notes.md", "files/gone.md", "files/never.md", "history/folder/notes.md")
    addresses = [*tabs, *(f"/stores/{memory.slug}/{place}" for place in places)]
    return {address: browser.get(address).content.decode() for address in addresses}


@pytest.mark.parametrize(
    ("make", "label"),
    [
        (lambda: used_by("Support desk"), "Agents"),
        (lambda: used_by("Support desk", "Night triage"), "Agents"),
        (new_store, "Stores"),
        (left_by_its_agent, "Stores"),
    ],
)
def test_all_pages_of_a_store_mark_one_page_of_the_rail(make: Callable[[], MemoryStore], label: str) -> None:
    pages = pages_of(browser_of(operator()), make())

    assert len(pages) >= 8
    for address, page in pages.items():
        assert marked(page, "Main") == [label], address
        assert marked(page, "Main, compact") == [label], address
        first_crumb = re.search(r'aria-label="Breadcrumb">\s*<ol>\s*<li><a [^>]*>(?:<bdi>)?(\w+)', page)
        assert first_crumb is None or first_crumb[1] == label, address


def test_the_list_of_stores_and_the_way_to_a_new_one_are_in_stores() -> None:
    used_by("Support desk")
    browser = browser_of(operator())

    assert [marked(browser.get(address).content.decode(), "Main") for address in ("/stores/", "/stores/new")] == [
        ["Stores"],
        ["Stores"],
    ]
