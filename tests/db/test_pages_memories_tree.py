"""The tree beside a file or folder: its levels, its filter, and the marks of its rows."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Lock, Pin
from memories.models import MemoryStore, Role, StoreSeen
from tests.support.files import at, page, read_in_run, url_of, write
from tests.support.people import browser_of, member, operator
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def row_of(html: str, name: str) -> str:
    """Return the tree's row with this name."""
    before, _, after = html.partition(f'<bdi class="nm">{name}</bdi>')
    return before[before.rindex("<li") :] + name + after[: after.index("</a>")]


def test_the_tree_shows_one_level_with_folders_first_and_opens_the_way_to_the_page(
    store: MemoryStore, browser: Client
) -> None:
    for name in ("b.md", "z/deep/c.md", "a/d.md"):
        write(store, name, "x")

    html = page(browser, url_of(store, "z/deep/c.md"))

    places = [html.index(f'<bdi class="nm">{name}</bdi>') for name in ("a", "z", "deep", "c.md", "b.md")]
    assert places == sorted(places)
    assert 'class="nm">d.md' not in html
    assert 'aria-expanded="true"' in row_of(html, "z")
    assert 'aria-expanded="false"' in row_of(html, "a")
    assert 'aria-selected="true"' in row_of(html, "c.md")


def test_a_path_far_down_a_long_folder_is_in_sight(store: MemoryStore, browser: Client) -> None:
    for number in range(300):
        write(store, f"many/n{number:03}.md", "x")

    html = page(browser, url_of(store, "many/n250.md"))

    assert 'aria-selected="true"' in row_of(html, "n250.md")
    assert "Show earlier" in html
    assert "Show more" in html
    assert 'class="nm">n000.md' not in html


def test_an_opened_folder_stays_open_until_it_is_closed(store: MemoryStore, browser: Client) -> None:
    write(store, "a/b/c.md", "x")
    write(store, "notes.md", "x")
    tree = f"/stores/{store.slug}/tree/a"

    opened = browser.post(tree, {"open": "true"}, headers=HTMX)
    after = page(browser, url_of(store, "notes.md"))
    closed = browser.post(tree, {"open": "false"}, headers=HTMX)

    assert 'class="nm">b<' in opened.content.decode()
    assert 'aria-expanded="true"' in row_of(after, "a")
    assert closed.status_code == 204
    assert 'aria-expanded="false"' in row_of(page(browser, url_of(store, "notes.md")), "a")


def test_a_look_at_the_tree_remembers_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a/b.md", "x")

    page(browser, f"/stores/{store.slug}/tree/a", part=True)

    assert "open-folders" not in browser.session


def test_without_scripts_more_of_the_tree_is_the_folders_page(store: MemoryStore, browser: Client) -> None:
    answer = browser.get(f"/stores/{store.slug}/tree/a", {"after": "/memories/a/x.md"})

    assert answer.headers["Location"] == f"{url_of(store, 'a')}?after=%2Fmemories%2Fa%2Fx.md"


def test_the_filter_keeps_what_the_files_found_lie_in(store: MemoryStore, browser: Client) -> None:
    for name in ("customers/acme.md", "customers/globex.md", "memories.md", "a/b.md"):
        write(store, name, "x")

    html = page(browser, url_of(store) + "?q=ACME")

    assert "4 files, 1 matches." in html
    assert 'aria-expanded="true"' in row_of(html, "customers")
    assert 'class="nm">acme.md' in html
    assert 'class="nm">globex.md' not in html
    assert "4 files, 1 matches." in page(browser, url_of(store) + "?q=memor")


def test_the_filter_finds_letters_and_no_patterns(store: MemoryStore, browser: Client) -> None:
    for name in ("a_b.md", "axb.md", "50%.md"):
        write(store, name, "x")

    assert "3 files, 1 matches." in page(browser, url_of(store) + "?q=a_b")
    assert "3 files, 1 matches." in page(browser, url_of(store) + "?q=%25")
    assert "3 files, none has “zz” in its path." in page(browser, url_of(store) + "?q=zz")


def test_the_filter_answers_htmx_with_the_rows_and_the_address_of_the_page(store: MemoryStore, browser: Client) -> None:
    write(store, "a b/c.md", "x")
    shown = "http://testserver" + url_of(store, "a b/c.md")

    answer = browser.get(f"/stores/{store.slug}/tree/?q=c", headers={**HTMX, "HX-Current-URL": shown})

    assert answer.headers["HX-Replace-Url"] == url_of(store, "a b/c.md") + "?q=c"
    assert "<html" not in answer.content.decode()
    assert 'aria-selected="true"' in row_of(answer.content.decode(), "c.md")


def test_a_row_carries_two_marks_at_most_in_their_order(store: MemoryStore, browser: Client) -> None:
    old = Actor(ActorKind.PERSON, "mia", authored_at=timezone.now() - timedelta(days=120))
    for name in ("all.md", "fixed.md"):
        write(store, name, "x", actor=old)
        memory.apply(store.pk, Pin(at(name)), actor=PERSON)
        memory.apply(store.pk, Lock(at(name)), actor=PERSON)
    store.refresh_from_db()
    StoreSeen.objects.create(store=store, user=operator(), seq=store.seq)
    write(store, "young.md", "x")

    html = page(browser, url_of(store))
    seen = page(browser_of(StoreSeen.objects.get().user), url_of(store))

    assert 'new to you</i><i class="old">not read for 90 days</i><b>' in row_of(html, "all.md") + "<b>"
    assert 'class="old"' in row_of(seen, "fixed.md")
    assert 'class="lock"' in row_of(seen, "fixed.md")
    assert 'class="pin"' not in row_of(seen, "fixed.md")
    assert 'class="new"' in row_of(seen, "young.md")
    assert 'class="old"' not in row_of(seen, "young.md")


def test_an_agents_view_and_a_new_version_make_a_file_young_again(store: MemoryStore, browser: Client) -> None:
    old = Actor(ActorKind.PERSON, "mia", authored_at=timezone.now() - timedelta(days=120))
    for name in ("read.md", "written.md", "left.md"):
        write(store, name, "x", actor=old)

    read_in_run(store, "read.md")
    write(store, "written.md", "y")
    html = page(browser, url_of(store))

    assert ["old" in row_of(html, name) for name in ("read.md", "written.md", "left.md")] == [False, False, True]


def test_hidden_items_are_shown_and_said_not_to_be_listed(store: MemoryStore, browser: Client) -> None:
    for name in (".drafts/x.md", "node_modules/y.js", "plain.md"):
        write(store, name, "x")

    html = page(browser, url_of(store))

    assert ["not listed to the agent" in row_of(html, name) for name in (".drafts", "node_modules", "plain.md")] == [
        True,
        True,
        False,
    ]
    assert "Not listed to the agent" in page(browser, url_of(store, ".drafts/x.md"))
