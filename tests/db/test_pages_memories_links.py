"""Links in a memory's Markdown: to files of the same store, there or not, and to nothing else of ours."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.models import MemoryStore, Role
from memories.views.links import Links
from tests.support.files import at, move, page, remove, url_of, write
from tests.support.people import browser_of, member
from tests.support.plans import index_conditions
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a viewer of the store."""
    return browser_of(member(store, Role.VIEWER))


def links_of(html: str) -> dict[str, bool]:
    """Return the links that the rendered file has by itself, by their text, and whether each is shown as missing."""
    article = html[html.index("<article") : html.index("</article>")]
    found = re.findall(r"<a ([^>]*)>(.*?)</a>", article)
    # The others are ours: each line's number leads to what may be done about it.
    own = [(attributes, text) for attributes, text in found if not attributes.startswith('href="?line=')]
    return {text: 'class="missing" title="No such file"' in attributes for attributes, text in own}


@pytest.mark.parametrize(
    "target", ["//host/x", "javascript:alert(1)", "https:host", "\\\\host", "/etc/passwd", "../../x", "#here"]
)
def test_a_link_that_names_no_path_of_a_store_is_text(store: MemoryStore, browser: Client, target: str) -> None:
    write(store, "notes.md", f"[click]({target})\n")

    html = page(browser, url_of(store, "notes.md"))

    assert "click" in html
    assert links_of(html) == {}


def test_a_link_to_nothing_that_lives_is_shown_as_missing(store: MemoryStore, browser: Client) -> None:
    for name in ("there.md", "gone.md", "old.md", "folder/x.md"):
        write(store, name, "x")
    remove(store, "gone.md")
    move(store, "old.md", "new.md")
    write(new_store(), "foreign.md", "x")
    targets = ("there.md", "/memories/new.md#top", "folder", "folder/", "folder/x.md", "/memories", "notes.md")
    lost = ("gone.md", "old.md", "never.md", "There.md", "foreign.md", "folder/y.md")
    write(store, "notes.md", "".join(f"- [{target}]({target})\n" for target in (*targets, *lost)))

    links = links_of(page(browser, url_of(store, "notes.md")))

    assert {text for text, missing in links.items() if not missing} == set(targets)
    assert {text for text, missing in links.items() if missing} == set(lost)


def test_a_link_from_a_folder_is_looked_for_in_that_folder(store: MemoryStore, browser: Client) -> None:
    write(store, "a/b.md", "x")
    write(store, "a/c.md", "[b](b.md) [up](../b.md)\n")

    assert links_of(page(browser, url_of(store, "a/c.md"))) == {"b": False, "up": True}


def test_the_links_of_a_page_take_one_query_by_the_index_of_paths(store: MemoryStore, browser: Client) -> None:
    write(store, "there.md", "x")
    write(store, "none.md", "no link\n")
    write(store, "some.md", "".join(f"[n{number}](d/n{number}.md)\n" for number in range(300)))

    def asked(name: str) -> list[str]:
        with CaptureQueriesContext(connection) as seen:
            page(browser, url_of(store, name))
        return [query["sql"] for query in seen]

    few, many = asked("none.md"), asked("some.md")

    assert len(many) == len(few) + 1
    (lookup,) = [sql for sql in many if "n299.md" in sql]
    (condition,) = index_conditions(lookup)
    assert "store_id=" in condition and "depth" in condition


def test_links_are_looked_up_once_however_often_a_text_is_cut(store: MemoryStore) -> None:
    write(store, "a.md", "x")
    links = Links(store, at("notes.md"))

    with CaptureQueriesContext(connection) as seen:
        first = links(("a.md", "b.md", "#here"))
        again = links(("a.md",))

    assert len(seen) == 1
    assert (first["a.md"].exists, first["b.md"].exists, "#here" in first) == (True, False, False)
    assert again == {"a.md": first["a.md"]}
