"""Stores that a program reads in a folder of its own: no page calls a file unread there."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.models import ChangeSet, MemoryEntry, MemoryStore, Role
from tests.support.files import page, url_of, write
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db

UNKNOWN = "where no read can be seen"


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store, in which a file lies that was written long ago."""
    long_ago = Actor(ActorKind.FOLDER, "folder", authored_at=timezone.now() - timedelta(days=120))
    write(store, "notes/old.md", "tea\n", actor=long_ago)
    return browser_of(member(store, Role.CURATOR))


def pages(store: MemoryStore, browser: Client) -> dict[str, str]:
    """Return the pages that tell of reads, by what they are."""
    file = MemoryEntry.objects.get(store=store, path="/memories/notes/old.md")
    return {
        "file": page(browser, url_of(store, "notes/old.md")),
        "listing": page(browser, url_of(store, "notes")),
        "readers": page(browser, url_of(store, "notes/old.md") + "?view=readers&line=1"),
        "undo": page(browser, f"/acts/{ChangeSet.objects.get(store=store).uuid}/undo"),
        "edit": page(browser, f"/files/{file.uuid}/edit"),
    }


def test_a_file_that_may_be_read_unseen_is_of_unknown_reads_and_not_unread(store: MemoryStore, browser: Client) -> None:
    memory.reads_go_unseen(store.pk, True)

    shown = pages(store, browser)

    for html in shown.values():
        assert "ot read for 90 days" not in html
        assert "No agent has read it" not in html
        assert "Read by nobody" not in html
        assert "gets your version" not in html or "does not get your version" in html
    assert '<i class="unknown">reads unknown</i>' in shown["file"]
    assert "Reads unknown</span>" in shown["file"]
    assert "reads unknown</span>" in shown["listing"]
    for name in ("file", "readers", "undo"):
        assert UNKNOWN in shown[name], name
    assert "it does not get your version" in shown["edit"]


def test_where_every_read_is_seen_nothing_is_unknown(store: MemoryStore, browser: Client) -> None:
    memory.reads_go_unseen(store.pk, True)
    memory.reads_go_unseen(store.pk, False)

    shown = pages(store, browser)

    for html in shown.values():
        assert UNKNOWN not in html
        assert "eads unknown" not in html
    assert "Not read for 90 days" in shown["file"]
    assert "No agent has read it" in shown["file"]
    assert "Read by nobody since" in shown["readers"]
    assert "The next one that views the file gets your version" in shown["edit"]
