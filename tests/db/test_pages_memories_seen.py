"""What is new to a person: not what they opened, not what they marked as seen, and not what they changed themselves."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agents.making import create_agent
from memories.actors import Actor, ActorKind
from memories.models import FileSeen, MemoryStore, Role
from tests.support.files import move, page, url_of, write
from tests.support.people import browser_of, member, operator
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def curator(store: MemoryStore) -> User:
    """A curator of the store."""
    return member(store, Role.CURATOR)


@pytest.fixture
def browser(curator: User) -> Client:
    """The curator's browser."""
    return browser_of(curator)


@pytest.fixture
def me(curator: User) -> Actor:
    """The curator as the author of changes."""
    return Actor(ActorKind.PERSON, curator.username, user_id=curator.pk)


def test_an_opened_file_counts_as_seen_until_it_changes(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    seen = reverse("memories:seen", args=[entry.uuid])
    assert f'hx-post="{seen}" hx-trigger="load"' in page(browser, url_of(store, "a.md"))

    assert browser.post(seen, {"version": 1}, headers=HTMX).status_code == 204
    assert "new to you" not in page(browser, url_of(store, "a.md"))
    write(store, "a.md", "y")

    assert "new to you" in page(browser, url_of(store, "a.md"))
    assert FileSeen.objects.get().version == 1


def test_a_version_that_came_while_a_file_was_open_is_still_new(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    page(browser, url_of(store, "a.md"))
    write(store, "a.md", "y")

    browser.post(f"/files/{entry.uuid}/seen", {"version": 1})

    assert "new to you" in page(browser, url_of(store, "a.md"))
    browser.post(f"/files/{entry.uuid}/seen", {"version": 99})
    assert FileSeen.objects.get().version == 2


def test_everything_can_be_marked_as_seen_at_once(store: MemoryStore, browser: Client) -> None:
    for name in ("a.md", "b.md"):
        write(store, name, "x")
    assert "2 files new to you" in page(browser, url_of(store))

    browser.post(f"/stores/{store.slug}/seen")

    assert "new to you" not in page(browser, url_of(store))


def test_what_a_person_changed_is_new_to_others_and_not_to_them(store: MemoryStore, browser: Client, me: Actor) -> None:
    write(store, "mine.md", "x", actor=me)
    write(store, "drafts/moved.md", "x")
    move(store, "drafts", "notes", actor=me)

    assert "new to you" not in page(browser, url_of(store))
    assert "new to you" not in page(browser, url_of(store, "notes/moved.md"))
    assert "2 files new to you" in page(browser_of(member(store, Role.CURATOR)), url_of(store))


def test_what_came_after_a_persons_own_change_is_new_again(store: MemoryStore, browser: Client, me: Actor) -> None:
    write(store, "a.md", "x", actor=me)
    write(store, "b.md", "x", actor=me)
    write(store, "a.md", "y", actor=AGENT)

    assert "1 file new to you" in page(browser, url_of(store))
    assert "new to you" in page(browser, url_of(store, "a.md"), part=True)
    assert "new to you" not in page(browser, url_of(store, "b.md"), part=True)


def test_files_that_a_person_imported_are_not_new_to_them(tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "a.md").write_text("tea\n")
    agent, importer, other = create_agent(name="Imported"), operator(), operator()

    browser_of(importer).post("/agents/import", {"folder": str(tmp_path), "agent": agent.slug, "act": "import"})

    assert "new to you" not in page(browser_of(importer), url_of(agent.store))
    assert "1 file new to you" in page(browser_of(other), url_of(agent.store))
