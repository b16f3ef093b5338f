"""Paths at which nothing lives now: what the page says became of their files, and how that is looked up."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memories.actors import Actor, ActorKind
from memories.models import MemoryStore, Role
from memories.views.departures import last_from, last_from_below
from tests.support.files import at, move, page, remove, url_of, write
from tests.support.people import browser_of, member
from tests.support.plans import index_conditions
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a viewer of the store."""
    return browser_of(member(store, Role.VIEWER))


def test_a_path_where_nothing_lives_says_what_became_of_its_file(store: MemoryStore, browser: Client) -> None:
    write(store, "moved.md", "x")
    move(store, "moved.md", "here/it is.md")
    write(store, "gone.md", "x")
    remove(store, "gone.md", actor=Actor(ActorKind.AGENT, "Support desk", turn=3))
    write(store, "folder/last.md", "x")
    remove(store, "folder")

    moved, gone, folder, never = (
        page(browser, url_of(store, name), status=404) for name in ("moved.md", "gone.md", "folder", "never.md")
    )

    assert "was renamed to" in moved
    assert f'href="{url_of(store, "here/it is.md")}"' in moved
    assert "was deleted" in gone
    assert "Support desk, turn 3" in gone
    assert "Its last file," in folder
    assert "folder/last.md" in folder
    assert "the record knows none that was" in never


def test_htmx_is_shown_what_became_of_a_path_too(store: MemoryStore, browser: Client) -> None:
    assert "Nothing lives here" in page(browser, url_of(store, "never.md"), part=True)


def test_the_last_file_to_leave_a_path_is_told_of(store: MemoryStore) -> None:
    write(store, "a.md", "first")
    move(store, "a.md", "b.md")
    write(store, "a.md", "second")
    remove(store, "a.md")
    deleted = last_from(store, at("a.md"))
    write(store, "a.md", "third")
    move(store, "a.md", "c.md")
    renamed = last_from(store, at("a.md"))

    assert deleted and (deleted.operation, deleted.path) == ("deleted", "/memories/a.md")
    assert renamed and (renamed.operation, renamed.path) == ("renamed", "/memories/c.md")


def test_the_last_file_to_leave_a_folder_is_told_of(store: MemoryStore) -> None:
    for name in ("d/a.md", "d/b.md", "d/e/c.md"):
        write(store, name, "x")
    remove(store, "d/a.md")
    move(store, "d/b.md", "b.md")
    move(store, "d/e", "f")

    left = last_from_below(store, at("d"))

    assert left and (left.moved_from, left.path) == ("/memories/d/e/c.md", "/memories/f/c.md")
    assert last_from_below(store, at("d/b")) is None


def test_what_left_another_store_is_not_told_of(store: MemoryStore) -> None:
    other = new_store()
    for name in ("gone.md", "d/moved.md"):
        write(other, name, "x")
    remove(other, "gone.md")
    move(other, "d/moved.md", "here.md")

    assert last_from(store, at("gone.md")) is last_from(store, at("d/moved.md")) is None
    assert last_from_below(store, at("d")) is None


def test_the_history_of_the_last_file_of_a_path_is_found_too(store: MemoryStore, browser: Client) -> None:
    write(store, "gone.md", "x")
    remove(store, "gone.md")
    write(store, "old.md", "x")
    move(store, "old.md", "new.md")
    gone, old, never = (
        reverse("memories:history", kwargs={"slug": store.slug, "path": name})
        for name in ("gone.md", "old.md", "never.md")
    )

    assert "Deleted" in page(browser, gone)
    assert browser.get(old).headers["Location"] == reverse(
        "memories:history", kwargs={"slug": store.slug, "path": "new.md"}
    )
    assert browser.get(never).status_code == 404


@pytest.mark.parametrize("name", ["never.md", "gone.md", "old.md", "d"])
def test_what_became_of_a_path_is_looked_up_by_indexes(store: MemoryStore, browser: Client, name: str) -> None:
    for path in ("gone.md", "old.md", "d/x.md", "d/y.md"):
        write(store, path, "x")
    remove(store, "gone.md")
    move(store, "old.md", "new.md")
    remove(store, "d/x.md")
    move(store, "d/y.md", "y.md")

    with CaptureQueriesContext(connection) as seen:
        page(browser, url_of(store, name), status=404)
        browser.get(reverse("memories:history", kwargs={"slug": store.slug, "path": name}))

    asked = [query["sql"] for query in seen]
    entries = [sql for sql in asked if 'changed_seq" DESC' in sql]
    versions = [sql for sql in asked if "moved_from\" > ''" in sql]
    assert entries and versions
    for statement, column in (*((sql, "path") for sql in entries), *((sql, "moved_from") for sql in versions)):
        condition = index_conditions(statement)[0]
        assert "store_id=" in condition
        assert column in condition
    # Nothing else asks for versions by their path.
    assert not [sql for sql in asked if '"memories_memoryversion"."path" =' in sql]
