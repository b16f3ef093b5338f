"""Versions at addresses that last, and any two of them side by side."""

import re
from html import unescape
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import ImportFile
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Role
from tests.support.files import at, move, page, remove, write, write_image
from tests.support.people import browser_of, member, stranger
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=6)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def url(entry: MemoryEntry, number: int, query: str = "") -> str:
    return reverse("memories:version", args=[entry.uuid, number]) + query


def key(entry: MemoryEntry, number: int) -> str:
    return f"{entry.uuid}@{number}"


def comparing(old: str, new: str, more: str = "") -> str:
    return f"{reverse('memories:compare-versions')}?old={old}&new={new}{more}"


def words_of(html: str) -> str:
    """Return what a page says, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def test_a_version_keeps_its_address_whatever_becomes_of_the_file(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "one\n<b>\n", actor=AGENT)
    write(store, "a.md", "three\n")
    move(store, "a.md", "b.md")
    remove(store, "b.md")

    html = page(browser, url(entry, 1, "?line=2"))

    assert "Support desk" in html and "a.md" in html and "&lt;b&gt;" in html and "three" not in html
    assert '<tr id="L2" class="sel">' in html
    assert f"http://testserver{url(entry, 1, '?line=2')}" in html
    assert "Restore version 1" in words_of(html)
    assert f"old={key(entry, 1)}&amp;new={key(entry, 4)}" in html
    assert "The file was deleted here" in page(browser, url(entry, 4))
    page(browser, url(entry, 5), status=404)


def test_two_picked_versions_are_compared_the_older_one_first(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "renews 12 December\n")
    for day in (13, 14):
        write(store, "a.md", f"renews {day} December\n")
    listed = page(browser, reverse("memories:history", kwargs={"slug": store.slug, "path": "a.md"}))
    address = reverse("memories:compare-versions")

    both = browser.get(address, {"pick": [key(entry, 3), key(entry, 1)]})
    one = browser.get(address, {"pick": [key(entry, 1)]})
    html = page(browser, both.headers["Location"])

    assert all(f'name="pick" value="{key(entry, number)}"' in listed for number in (1, 2, 3))
    assert both.headers["Location"] == one.headers["Location"]
    assert "<del>12</del>" in html and "<ins>14</ins>" in html
    assert "Restore version 1" in words_of(html) and "Restore version 3" not in words_of(html)
    assert 'class="diff uni"' in page(browser, both.headers["Location"] + "&layout=unified")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("a  b\n", "a b\n", "Only whitespace changed."),
        ("a\n", "a", "The last line no longer ends with a newline."),
        ("a\n" * 30_000, "b\n" * 30_000, "This change is too large to show here."),
    ],
)
def test_what_rows_do_not_say_is_said(store: MemoryStore, browser: Client, old: str, new: str, said: str) -> None:
    entry = write(store, "a.md", old)
    write(store, "a.md", new)

    html = page(browser, comparing(key(entry, 1), key(entry, 2)))

    assert said in html
    assert len(html.encode()) <= 100 * 1024


def test_a_rename_alone_and_a_deletion_say_so(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "one\n")
    move(store, "a.md", "b.md")
    remove(store, "b.md")

    assert "Renamed. The text did not change." in page(browser, comparing(key(entry, 1), key(entry, 2)))
    assert "Version 3 holds nothing: the file was deleted there." in page(
        browser, comparing(key(entry, 1), key(entry, 3))
    )


def test_images_stand_side_by_side_with_their_sizes(store: MemoryStore, browser: Client) -> None:
    entry = write_image(store, "a.png")
    data = BytesIO()
    Image.new("RGB", (40, 30), "red").save(data, "JPEG")
    memory.apply(store.pk, ImportFile(at("a.png"), data.getvalue()), actor=AGENT)

    html = page(browser, comparing(key(entry, 1), key(entry, 2)))

    assert "3 × 2 pixels" in html and "40 × 30 pixels" in html and f"{len(data.getvalue())}B" in html
    assert [f"image?v={number}" in html for number in (1, 2)] == [True, True]
    assert "40 × 30 pixels" in page(browser, url(entry, 2))


def test_versions_of_two_stores_are_compared_by_whoever_is_a_member_of_both(store: MemoryStore) -> None:
    other = new_store()
    here, there = write(store, "a.md", "tea\n"), write(other, "b.md", "coffee\n")
    user = member(store, Role.VIEWER)
    browser, address = browser_of(user), comparing(key(here, 1), key(there, 1))
    page(browser, address, status=404)

    other.members.create(user=user, role=Role.VIEWER)
    html = page(browser, address)

    assert "tea" in html and "coffee" in html and "Restore" not in words_of(html)
    fields = {"find": "1", "old-store": store.slug, "old-path": "a.md", "new-store": other.slug, "new-path": "b.md"}
    found = browser.get(reverse("memories:compare-versions"), fields)
    assert unescape(found.headers["Location"]).replace("%40", "@") == address
    missing = browser.get(reverse("memories:compare-versions"), fields | {"new-path": "c.md"})
    assert "No file of this store ever had this path." in missing.content.decode()


@pytest.mark.parametrize("given", ["x@1", "@", "00000000-0000-0000-0000-000000000000@1"])
def test_names_of_no_version_lead_nowhere(store: MemoryStore, browser: Client, given: str) -> None:
    entry = write(store, "a.md", "tea\n")

    page(browser, comparing(given, key(entry, 1)), status=404)
    page(browser, comparing(key(entry, 1), key(entry, 2)), status=404)


def test_outsiders_see_no_version_and_a_blanked_one_shows_nothing(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "secret tea\n")
    write(store, "a.md", "plain tea\n")

    page(browser_of(stranger()), url(entry, 1), status=404)
    page(browser_of(stranger()), comparing(key(entry, 1), key(entry, 2)), status=404)
    MemoryVersion.objects.filter(entry=entry, number=1).update(
        blob=None, redacted_at=entry.updated_at, redacted_by="mara"
    )

    assert "was blanked by" in page(browser, comparing(key(entry, 1), key(entry, 2)))
    assert "was blanked by" in page(browser, url(entry, 1))


def test_both_pages_ask_few_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries, store: MemoryStore, browser: Client
) -> None:
    entry = write(store, "a.md", "tea\n")
    write(store, "a.md", "coffee\n")
    for address in (comparing(key(entry, 1), key(entry, 2)), url(entry, 1)):
        browser.get(address)
        with django_assert_max_num_queries(16):
            browser.get(address)
