"""What a person does to a file from its page."""

import re

import pytest
from django.test import Client

from memories.models import MemoryEntry, MemoryStore, Role
from tests.support.files import move, remove, url_of, write
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


@pytest.mark.parametrize(("verb", "field"), [("pin", "pinned"), ("lock", "locked")])
def test_a_mark_is_set_and_the_toast_takes_it_back(store: MemoryStore, browser: Client, verb: str, field: str) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.post(f"/files/{entry.uuid}/{verb}", {"next": url_of(store, "a.md") + "?view=raw"}, follow=True)
    html = answer.content.decode()

    assert answer.redirect_chain == [(url_of(store, "a.md") + "?view=raw", 302)]
    assert getattr(MemoryEntry.objects.get(pk=entry.pk), field)
    undo = re.search(r'action="(/acts/[0-9a-f-]+/undo)"', html[html.index("data-toast") :])
    assert undo

    browser.post(undo[1])

    assert not getattr(MemoryEntry.objects.get(pk=entry.pk), field)


def test_an_act_answers_htmx_with_the_file_and_a_toast_out_of_band(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    html = browser.post(f"/files/{entry.uuid}/pin", headers=HTMX).content.decode()

    assert "<html" not in html
    assert ">Unpin<" in html
    assert 'hx-swap-oob="true"' in html
    assert "<span>Pinned a.md.</span>" in html
    assert "expire" not in html


def test_an_act_finds_the_file_after_a_rename(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    move(store, "a.md", "b/c.md")

    answer = browser.post(f"/files/{entry.uuid}/pin")

    assert answer.headers["Location"] == url_of(store, "b/c.md")
    assert MemoryEntry.objects.get(pk=entry.pk).pinned


def test_an_act_leads_nowhere_but_to_pages_of_ours(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.post(f"/files/{entry.uuid}/pin", {"next": "https://evil.example/"})

    assert answer.headers["Location"] == url_of(store, "a.md")


def test_a_deleted_file_cannot_be_pinned(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    remove(store, "a.md")

    answer = browser.post(f"/files/{entry.uuid}/pin", follow=True)

    assert "does not exist" in answer.content.decode()
    assert not MemoryEntry.objects.get(pk=entry.pk).pinned
