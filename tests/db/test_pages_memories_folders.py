"""Pages of folders, and the first page of a store."""

import pytest
from django.test import Client

from memories.models import MemoryStore, Role
from tests.support.files import page, remove, url_of, write
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def test_an_empty_store_says_what_it_waits_for(store: MemoryStore, browser: Client) -> None:
    html = page(browser, url_of(store))

    assert "No memory yet" in html
    assert "0 of 10,000 files · 0B of 100.0M" in html


def test_a_folder_lists_what_is_in_it_page_by_page(store: MemoryStore, browser: Client) -> None:
    write(store, "many/sub/x.md", "x")
    for number in range(120):
        write(store, f"many/n{number:03}.md", "x")

    first = page(browser, url_of(store, "many"))
    listing = first[first.index("<tbody>") : first.index("</tbody>")]
    later = first[first.index("Later names") - 200 :].split('href="')[1].split('"')[0].replace("&amp;", "&")
    second = page(browser, later)

    assert "121 files" in first
    assert listing.index(">sub<") < listing.index(">n000.md<") < listing.index(">n098.md<")
    assert ">n099.md<" not in listing
    assert ">n119.md<" in second[second.index("<tbody>") : second.index("</tbody>")]
    assert "Earlier names" in second


def test_the_stores_first_page_shows_its_latest_changes(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x")
    write(store, "a.md", "y")
    remove(store, "a.md")

    html = page(browser, url_of(store))

    assert "No files now" in html
    assert [html.count(f'faint">{word}<') for word in ("created", "modified", "deleted")] == [1, 1, 1]
