"""Journeys through a store's pages: filter, pin and take it back, walk through a history, without scripts too."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.cases_memories import FILE, ROOM, SLUG, UNBROKEN
from tests.browser.conftest import Looking, Site, Watched, watching

pytestmark = pytest.mark.browser

STORE = f"/stores/{SLUG}"
DEEP = f"{ROOM}/{ROOM}/{ROOM}/{UNBROKEN}"
OTHER_VIEWS = {
    "all files": (f"{STORE}/files/", 200),
    "folder": (f"{STORE}/files/progress", 200),
    "raw text": (f"{STORE}/files/{FILE}?view=raw", 200),
    "long text": (f"{STORE}/files/log.txt?from=900", 200),
    "picture": (f"{STORE}/files/chart.png", 200),
    "deep": (f"{STORE}/files/{DEEP}", 200),
    "deep text's authors": (f"{STORE}/files/{DEEP}?view=blame", 200),
    "deep text's history": (f"{STORE}/history/{DEEP}", 200),
    "deep text as agents see it": (f"{STORE}/agent-view/{DEEP}", 200),
    "missing": (f"{STORE}/files/accounts/acme.md", 404),
    "filter": (f"{STORE}/files/?q=week-00", 200),
    "versions": (f"{STORE}/history/{FILE}", 200),
    "unified": (f"{STORE}/history/{FILE}?v=4&layout=unified", 200),
    "first version": (f"{STORE}/history/{FILE}?v=1", 200),
    "rename": (f"{STORE}/history/{FILE}?v=2", 200),
    "picture's history": (f"{STORE}/history/chart.png", 200),
    "error": (f"{STORE}/agent-view/?path=/memories/../etc&range=x", 200),
    "long answer": (f"{STORE}/agent-view/log.txt", 200),
    "nothing matches": ("/stores/?q=zzz&role=viewer", 200),
}


@pytest.fixture
def watched(browser: Browser, small_site: Site) -> Iterator[Watched]:
    """A wide page on a site with one store."""
    with watching(browser, small_site) as watched:
        yield watched
        watched.assert_clean()


@pytest.fixture
def narrow(browser: Browser, small_site: Site) -> Iterator[Watched]:
    """A page on a phone."""
    with watching(browser, small_site, width=390) as watched:
        yield watched
        watched.assert_clean()


def files_of(page: Page) -> list[str]:
    return page.locator("[role=treeitem] > [data-open] .nm").all_inner_texts()


@pytest.mark.parametrize("view", OTHER_VIEWS)
def test_every_other_view_is_accessible_clean_and_never_too_wide(looking: Looking, large_site: Site, view: str) -> None:
    address, status = OTHER_VIEWS[view]

    with looking(large_site) as watched:
        assert watched.open(address.replace(" ", "%20")) == status
        watched.assert_fits_every_size_and_theme()

        watched.assert_clean()


def test_the_filter_narrows_the_tree_while_one_types_and_the_address_keeps_it(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/files/{FILE}")

    page.keyboard.press("/")
    page.keyboard.type("deep")

    expect(page.locator(".found[data-announce]")).to_contain_text("1 matches")
    assert files_of(page) == [UNBROKEN]
    expect(page.locator("[data-region=announcer]")).to_contain_text("1 matches")
    expect(page).to_have_url(re.compile(r"/files/customers/acme%20corp.*\?q=deep$"))
    page.reload()
    assert files_of(page) == [UNBROKEN]


def test_p_pins_a_file_and_z_takes_it_back(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/files/chart.png")
    row = page.locator("[role=treeitem][aria-selected=true]")

    page.keyboard.press("p")

    expect(page.locator("[data-toast]")).to_contain_text("Pinned chart.png.")
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    expect(row.locator("i.pin")).to_have_count(1)
    assert page.url.endswith("/files/chart.png")
    page.keyboard.press("z")

    expect(page.locator("[data-toast]")).to_contain_text("Undone.")
    expect(row.locator("i.pin")).to_have_count(0)


def test_opening_a_file_takes_its_dot_away(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/files/")
    unopened = page.locator("[role=treeitem]", has_text="unopened.md")
    expect(unopened.locator("i.new")).to_have_count(1)

    with page.expect_response(lambda response: response.url.endswith("/seen")) as seen:
        unopened.locator("a").click()

    assert seen.value.status == 204
    expect(unopened.locator("i.new")).to_have_count(0)
    expect(unopened.locator("i.pin")).to_have_count(1)
    page.goto(page.url.replace("unopened.md", ""))
    expect(page.locator("[role=treeitem]", has_text="unopened.md").locator("i.new")).to_have_count(0)


def test_a_long_folder_grows_in_the_tree_and_focus_goes_on_where_it_grew(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site) as watched:
        page = watched.page
        watched.open(f"{STORE}/files/")
        page.locator("[role=treeitem]", has_text="progress").locator("a").first.click()
        expect(page.locator("[role=group] [role=treeitem]").last).to_contain_text("Show more")

        page.locator("[role=treeitem].more a").click()

        expect(page.locator("[role=group] [role=treeitem]")).to_have_count(401)
        expect(page.locator("[role=treeitem]:focus")).to_contain_text("week-0200.md")
        watched.assert_clean()


def test_j_and_k_walk_through_the_versions(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/history/{FILE}")

    page.keyboard.press("j")

    expect(page.locator("#diff h2")).to_have_text("Version 1 → 2")
    expect(page.locator(".vers [aria-current]")).to_contain_text("Version 2")
    page.keyboard.press("k")

    expect(page.locator("#diff h2")).to_have_text("Version 2 → 3")
    expect(page).to_have_url(re.compile(r"\?v=3&layout=split$"))


def test_h_leads_to_the_history_and_v_to_the_agents_view(watched: Watched) -> None:
    page = watched.page
    for key, place in (("h", "history"), ("v", "agent-view")):
        watched.open(f"{STORE}/files/index.md")

        page.keyboard.press(key)

        expect(page).to_have_url(re.compile(f"{STORE}/{place}/index.md$"))


def test_a_fold_opens_in_place(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/history/{FILE}?v=3&layout=unified")
    rows = page.locator(".diff.uni tbody tr").count()

    page.get_by_role("link", name=re.compile("^Show .* unchanged lines$")).first.click()

    expect(page).to_have_url(re.compile("open="))
    assert page.locator(".diff.uni tbody tr").count() > rows


def test_the_about_pane_waits_behind_a_button_where_there_is_no_room(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/files/index.md")
    expect(page.locator("#about")).to_be_visible()
    page.set_viewport_size({"width": 1024, "height": 768})
    expect(page.locator("#about")).to_be_hidden()
    assert page.locator("#detail > .paper").evaluate("pane => pane.scrollWidth <= pane.clientWidth")

    page.get_by_role("button", name="About").click()

    expect(page.locator("#about")).to_be_visible()
    watched.assert_accessible()
    page.keyboard.press("Escape")
    expect(page.locator("#about")).to_be_hidden()


def test_on_a_phone_list_and_file_are_pages_of_their_own(narrow: Watched) -> None:
    page = narrow.page
    narrow.open(f"{STORE}/files/")
    expect(page.locator("#detail")).to_be_hidden()

    page.locator("[role=treeitem]", has_text="index.md").locator("a").click()

    expect(page.locator("[role=tree]")).to_be_hidden()
    expect(page.locator("article.prose")).to_be_visible()
    expect(page.locator(".tabs")).to_be_hidden()
    assert page.locator("article.prose").evaluate("text => text.getBoundingClientRect().top") < 140
    page.get_by_role("button", name="About").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Files", exact=True).click()
    expect(page.locator("[role=tree]")).to_be_visible()


def test_on_a_phone_versions_and_change_are_pages_of_their_own(narrow: Watched) -> None:
    page = narrow.page
    narrow.open(f"{STORE}/history/{FILE}")
    expect(page.locator("#diff")).to_be_hidden()

    page.get_by_role("link", name=re.compile("^Version 3")).click()

    expect(page.locator("#diff")).to_be_visible()
    expect(page.locator(".diff.split ins, .diff.split td.a").first).to_be_visible()
    page.get_by_role("link", name="Versions", exact=True).click()
    expect(page.locator(".vers")).to_be_visible()


def test_all_of_it_works_without_scripts(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site, scripts=False) as watched:
        page = watched.page
        watched.open(f"{STORE}/files/")

        page.get_by_role("treeitem", name=re.compile("^customers")).get_by_role("link").first.click()
        page.get_by_role("link", name=re.compile("^acme corp")).first.click()
        expect(page.locator("article.prose h2")).to_contain_text("Acme Corp")
        page.get_by_role("button", name="Unlock").click()
        expect(page.locator("[data-toast]")).to_contain_text("Unlocked")
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("button", name="Unlock")).to_be_visible()
        page.get_by_role("link", name=re.compile("^History")).click()
        page.get_by_role("link", name="Older").click()
        expect(page.locator("#diff h2")).to_have_text("Version 1 → 2")
        page.get_by_role("link", name="Unified").click()
        expect(page).to_have_url(re.compile("layout=unified"))

        watched.assert_clean()
