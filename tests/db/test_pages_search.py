"""The search page: who finds what, what its address keeps, what it says when nothing is found."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import store as memory
from memories.commands import Create, Delete, StrReplace
from memories.models import MemoryStore, Role
from memories.paths import MemoryPath
from memories.search import finding, index
from memories.views import searching
from tests.security.test_unicode import STORED
from tests.support.people import browser_of, member, operator, stranger
from tests.support.stores import AGENT, PERSON, new_store

pytestmark = pytest.mark.django_db


def write(store: MemoryStore, relative: str, text: str) -> None:
    memory.apply(store.pk, Create(MemoryPath.parse(f"/memories/{relative}"), text), actor=AGENT)


def page_of(browser: Client, query: str) -> str:
    response = browser.get(f"/search?{query}")
    assert response.status_code == 200
    assert len(response.content) < 100 * 1024
    return response.content.decode()


def words_of(page: str) -> str:
    """Return what the page says in its main part."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(unescape(re.sub("<[^>]+>", " ", main)).split())


@pytest.fixture
def store() -> MemoryStore:
    store = new_store()
    write(store, "customers/acme.md", "# Acme\n\n- Export job times out\n- calls\n")
    write(store, "lessons.md", "offer the month split for an export\n")
    write(store, "gone.md", "an export that went\n")
    memory.apply(store.pk, Delete(MemoryPath.parse("/memories/gone.md")), actor=PERSON)
    return store


@pytest.mark.parametrize("is_indexed", [True, False])
def test_lines_show_in_context_with_marks_and_lead_to_the_file_at_that_line(
    store: MemoryStore, is_indexed: bool
) -> None:
    if is_indexed:
        index.catch_up(60)

    page = page_of(browser_of(operator()), "q=export+times")

    assert "1 file in 1 store with the word “export” and the word “times” ." in words_of(page)
    assert f'href="/stores/{store.slug}/files/customers/acme.md?line=3"' in page
    assert "- <mark>Export</mark> job <mark>times</mark> out" in page


def test_members_find_what_is_in_their_stores_and_nobody_else_does(store: MemoryStore) -> None:
    other = new_store()
    write(other, "secret.md", "export everything")
    viewer = browser_of(member(store, Role.VIEWER))

    page = page_of(viewer, "q=export")

    assert "2 files in 1 store" in words_of(page)
    assert other.name not in page
    assert "secret" not in page
    assert "You see no store of the name" in page_of(viewer, f"q=export&store={other.slug}")
    assert "No store to search" in page_of(browser_of(stranger()), "")
    assert "Nothing found" in page_of(browser_of(stranger()), "q=export")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=export&state=trash", "1 file in 1 store"),
        ("q=export&state=all", "3 files in 1 store"),
        ("q=export&in=customers", "1 file in 1 store"),
        ("q=export&by=mia&state=all", "1 file in 1 store"),
        ("q=export&since=2020-01-01&until=2999-01-01", "2 files in 1 store"),
        ("q=xpor&parts=1&store={slug}", "2 files in 1 store"),
        ("q=export&since=nonsense&page=99&order=names", "2 files in 1 store"),
        ("q=export&label=hot", "No file with the word “export”"),
        ("q=export&in=../etc", "that is no path a store can hold"),
        ("q=export&since=2026-02-02&until=2026-01-01", "lies before the day"),
    ],
)
def test_filters_narrow_the_search_and_stay_in_its_address(store: MemoryStore, query: str, found: str) -> None:
    page = page_of(browser_of(operator()), query.format(slug=store.slug))

    assert found in words_of(page)
    if "customers" in query:
        assert 'name="in" value="customers"' in page


def test_facets_count_every_match_of_each_store_and_state(store: MemoryStore) -> None:
    other = new_store()
    write(other, "a.md", "export")

    page = page_of(browser_of(operator()), f"q=export&store={store.slug}")

    assert re.findall(r'checked>([^<]+)<span class="num">(\d+)', page) == [("Current files", "2")]
    assert "In the trash 1 Both 3" in words_of(page)
    assert f"{store.name} 2 {other.name} 1" in words_of(page)


def test_when_nothing_is_found_it_says_what_hides_how_much(store: MemoryStore) -> None:
    browser = browser_of(operator())

    by = words_of(page_of(browser, "q=export&by=nobody"))
    trash = words_of(page_of(browser, "q=went"))
    nothing = words_of(page_of(browser, "q=nowhere"))

    assert "Without the name “nobody” there are 2 files" in by
    assert "Without the state not in the trash there is 1 file" in trash
    assert "No file you may see holds all of this" in nothing


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "(((",
        "a* OR",
        "NEAR(a b)",
        "path:x",
        "^x",
        "x -",
        '-"',
        "';--",
        "%",
        "\\",
        "{a}",
        "*",
        "a:*&!b",
        "\x00x",
        "--",
        "“",
    ],
)
def test_no_syntax_of_any_database_is_more_than_words(store: MemoryStore, query: str) -> None:
    response = browser_of(operator()).get("/search", {"q": query, "by": query, "in": query})

    assert response.status_code in (200, 400)


def test_older_versions_are_found_when_asked_for_and_lead_to_their_history(store: MemoryStore) -> None:
    memory.apply(store.pk, StrReplace(MemoryPath.parse("/memories/lessons.md"), "month split", "week"), actor=AGENT)
    browser = browser_of(operator())

    assert "Older versions 1 version with it" not in words_of(page_of(browser, "q=split"))
    page = page_of(browser, "q=split&older=1")
    link = re.search(r'href="([^"]*/history/lessons\.md\?[^"]*v=1[^"]*)"', page)
    assert link
    assert browser.get(unescape(link[1])).status_code == 200
    assert "1 version with it among the 1 looked through" in words_of(page)


def test_a_file_in_the_trash_leads_to_its_history(store: MemoryStore) -> None:
    browser = browser_of(operator())
    link = re.search(r'<a class="p" href="([^"]+)"', page_of(browser, "q=went&state=trash"))

    assert link
    assert browser.get(unescape(link[1])).status_code == 200


def test_pages_go_through_the_newest_matches_and_the_count_stays_true(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "PAGE", 2)
    monkeypatch.setattr(finding, "NEWEST", 5)
    for number in range(7):
        write(store, f"tea/{number}.md", "tea")
    browser = browser_of(operator())

    paths = [re.findall(r"files/(tea/\d\.md)\"", page_of(browser, f"q=tea&page={number}")) for number in (1, 2, 3)]

    assert paths == [["tea/6.md", "tea/5.md"], ["tea/4.md", "tea/3.md"], ["tea/2.md"]]
    assert "7 files in 1 store" in words_of(page_of(browser, "q=tea&page=3"))
    assert "These are the 5 files changed last, of 7" in words_of(page_of(browser, "q=tea&page=3"))


def test_what_is_not_indexed_yet_is_said_and_never_passes_for_nothing(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "LOOK_FILES", 0)
    monkeypatch.setattr(finding, "HELP_SECONDS", 0)

    page = words_of(page_of(browser_of(operator()), "q=export"))

    assert "Still indexing: 4 changes are not in these figures yet" in page


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_search_asks_the_database_five_times_besides_what_the_rail_asks(store: MemoryStore, is_indexed: bool) -> None:
    for number in range(30):
        write(store, f"{number}.md", "export\n" * 50)
        write(new_store(), "x.md", "export")
    if is_indexed:
        index.catch_up(60)
    browser = browser_of(operator())
    with CaptureQueriesContext(connection) as rail:
        browser.get("/keys")

    with CaptureQueriesContext(connection) as found:
        page_of(browser, "q=export&state=all")

    assert len(found) - len(rail) <= 5


def test_long_and_hostile_texts_leave_the_page_small(store: MemoryStore) -> None:
    for number in range(25):
        write(store, f"{number}.md", ("tea \u202e<script>&\"' " * 500 + "\n") * 40)

    page_of(browser_of(operator()), "q=tea")


def test_what_is_hidden_shows_in_lines_and_what_belongs_does_not() -> None:
    wrong = []
    store = new_store()
    for case in STORED:
        write(store, f"{case['id']}.md", f"{case['text']} teaword\n")
    browser = browser_of(operator())
    for case in STORED:
        page = page_of(browser, f"q=teaword+{case['id']}")
        if ("hidden-char" in page) is not case["must_show"]:
            wrong.append(case["id"])

    assert wrong == []


@pytest.mark.parametrize("query", ["until=9999-12-31", "since=0001-01-01", "since=0001-01-01&until=9999-12-31"])
def test_days_at_the_ends_of_time_leave_nothing_out(store: MemoryStore, query: str) -> None:
    browser = browser_of(operator())

    with timezone.override("Europe/Berlin"):
        assert "lessons.md" in words_of(page_of(browser, f"q=month&{query}"))
        assert browser.get("/activity/", {"from": "0001-01-01", "to": "9999-12-31"}).status_code == 200


def test_who_changed_a_file_is_found_by_small_letters_whether_it_is_indexed_or_not(store: MemoryStore) -> None:
    memory.apply(store.pk, Create(MemoryPath("/memories/of.md"), "months\n"), actor=replace(AGENT, label="Änne [1]"))
    browser = browser_of(operator())

    assert "of.md" in words_of(page_of(browser, "q=months&by=änne+[1"))
    index.catch_up(60)
    assert "of.md" in words_of(page_of(browser, "q=months&by=änne+[1"))
    assert "of.md" not in words_of(page_of(browser, "q=months&by=änne+."))
