"""From an odd line to whoever wrote it and the turn that led to it, with and without scripts; who read it since."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.cases_memories import FILE, SLUG
from tests.browser.conftest import WIDTHS, Looking, Site, Watched, watching

pytestmark = pytest.mark.browser

TEXT = f"/stores/{SLUG}/files/{quote(FILE)}"
LOG = f"/stores/{SLUG}/files/log.txt"
WRITTEN_IN_A_RUN = "/stores/support-desk/files/progress/acme-corp-renewed-its-contract.md"
ODD_LINE = "Status: reply drafted, not sent"
VIEWS = {
    "blame": TEXT + "?view=blame",
    "a source": TEXT + "?view=blame&line=1",
    "lines of one source": LOG + "?view=blame&from=900",
    "readers": TEXT + "?view=readers&line=1",
    "no readers": LOG + "?view=readers&line=1",
    "no such line": TEXT + "?view=readers&line=999999",
    "a line of Markdown": TEXT + "?line=3",
    "a line of code": TEXT + "?view=raw&line=3",
}


@pytest.fixture
def watched(browser: Browser, small_site: Site) -> Iterator[Watched]:
    """A wide page on a site with one store of each kind."""
    with watching(browser, small_site) as watched:
        yield watched
        watched.assert_clean()


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_accessible_clean_and_never_too_wide(looking: Looking, large_site: Site, view: str) -> None:
    with looking(large_site) as watched:
        assert watched.open(VIEWS[view]) == 200
        watched.assert_fits_every_size_and_theme()

        watched.assert_clean()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_way_from_an_odd_line_to_the_turn_that_led_to_it(
    browser: Browser, small_site: Site, scripts: bool, width: int
) -> None:
    with watching(browser, small_site, scripts=scripts, width=width) as watched:
        page = watched.page
        watched.open(WRITTEN_IN_A_RUN)

        item = page.locator("article.prose li", has_text=ODD_LINE)
        if scripts:
            item.click()
        else:
            item.get_by_role("link", name=re.compile(r"^Line \d+$")).press("Enter")
        page.get_by_role("group", name=re.compile(r"^Line \d+$")).get_by_role("link", name="Who wrote it").click()

        expect(page.locator(".blame .sel")).to_contain_text(ODD_LINE)
        about = page.get_by_role("complementary", name="Selected source")
        expect(about).to_contain_text("wrote this after mara said:")
        expect(about.locator("blockquote")).to_contain_text("Remember that the renewal is on 12 December")
        about.get_by_role("link", name=re.compile(r"^Open at turn \d+$")).click()
        turn = re.search(r"#(turn-\d+)$", page.url)
        assert turn
        expect(page.locator(f"#{turn[1]}")).to_contain_text("acme-corp-renewed-its-contract.md")
        watched.assert_clean()


def lines_of(page: Page) -> list[str]:
    bars = page.locator("[data-lines] .linebar").all()
    return [bar.get_attribute("aria-label") or "" for bar in bars]


def test_arrows_go_from_line_to_line_enter_opens_the_menu_and_escape_closes_it(watched: Watched) -> None:
    page = watched.page
    watched.open(TEXT)

    page.locator("article.prose").get_by_role("link", name="Line 1", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    assert lines_of(page) == ["Line 3"]
    expect(page.locator(".linebar a:focus")).to_have_text("Fix")
    expect(page).to_have_url(re.compile(r"\?line=3$"))
    page.keyboard.press("Escape")
    assert lines_of(page) == []
    expect(page.locator("a:focus")).to_have_text("3")


def test_one_menu_is_open_at_a_time_and_its_links_name_its_line(watched: Watched) -> None:
    page = watched.page
    watched.open(TEXT + "?view=raw&line=3")
    assert lines_of(page) == ["Line 3"]

    page.locator("[data-lines] td", has_text="Open issues").click()

    assert lines_of(page) == ["Line 7"]
    expect(page.get_by_role("link", name="Who read it since")).to_have_attribute("href", "?view=readers&line=7")
    expect(page.locator("[data-lines] tr.sel")).to_have_count(1)
    watched.assert_accessible()


def test_a_source_is_told_of_beside_the_text_which_stays_where_it_is(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site) as watched:
        page = watched.page
        watched.open(TEXT + "?view=blame")
        text = page.locator("#detail > .paper")
        text.evaluate("pane => pane.scrollTop = 600")
        group = page.locator(".blame tbody").nth(30)

        group.locator(".src a").click()

        expect(page.get_by_role("complementary", name="Selected source")).to_contain_text("Edited by mara")
        expect(group).to_have_class(re.compile(r"\bon\b"))
        expect(page.locator(".blame .on")).to_have_count(1)
        expect(page).to_have_url(re.compile(r"\?view=blame&version=\d+$"))
        assert text.evaluate("pane => pane.scrollTop") == 600
        watched.assert_clean()


def test_b_leads_to_who_wrote_what(watched: Watched) -> None:
    page = watched.page
    watched.open(TEXT)

    page.keyboard.press("b")

    expect(page.locator(".blame")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?view=blame$"))


def test_what_is_told_of_a_source_stays_in_sight_on_a_phone(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site, width=390) as watched:
        page = watched.page
        watched.open(TEXT + "?view=blame")

        page.locator(".blame .src a").first.click()

        about = page.get_by_role("complementary", name="Selected source")
        expect(about).to_be_in_viewport()
        watched.assert_accessible()
        watched.assert_clean()
