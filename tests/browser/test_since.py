"""Going through what is new, and through what differs, file by file, with keys and without scripts."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser

SINCE = "/since/"


def names(page: Page) -> list[str]:
    """Return the files that are listed, in order."""
    return page.locator("[data-entry] a.p").all_inner_texts()


def test_keys_move_and_mark_and_the_focus_goes_on(browser: Browser, own_site: Site) -> None:
    with watching(browser, own_site) as watched:
        page = watched.page
        watched.open(SINCE)
        first, second, third, *rest = names(page)

        for key in ("j", "j", "j", "k"):
            page.keyboard.press(key)
        expect(page.locator("a.p:focus")).to_have_text(second)
        page.keyboard.press("x")

        expect(page.locator("a.p:focus")).to_have_text(third)
        assert names(page) == [first, third, *rest]
        expect(page.locator(".rail [href='/since/'] .count")).to_have_text(re.compile(rf"^{len(rest) + 2}\b"))
        expect(page.get_by_text("counts as seen.")).to_be_visible()
        page.keyboard.press("z")
        expect(page.get_by_text("It counts as new again.")).to_be_visible()
        assert names(page) == [first, second, third, *rest]
        watched.assert_clean()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_list_ends_with_all_seen_and_a_way_back(browser: Browser, own_site: Site, scripts: bool) -> None:
    with watching(browser, own_site, scripts=scripts) as watched:
        page = watched.page
        watched.open(SINCE)
        before = names(page)

        page.get_by_role("button", name="All seen").click()

        expect(page.get_by_role("heading", name="All seen")).to_be_visible()
        if scripts:
            expect(page.get_by_role("heading", name="All seen")).to_be_focused()
        page.reload()
        page.get_by_role("button", name="Take back the last mark").click()
        expect(page.get_by_text("It counts as new again.")).to_be_visible()
        assert names(page) == before
        watched.assert_clean()


def test_differences_are_chosen_with_keys_counted_and_taken(browser: Browser, own_site: Site) -> None:
    with watching(browser, own_site) as watched:
        page = watched.page
        watched.open(own_site.paths["memories:compare"] or "")
        expect(page.get_by_text("Nothing is chosen.")).to_be_visible()

        for key in ("j", "x", "j", "x", "k", "x"):
            page.keyboard.press(key)

        expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
        page.get_by_role("button", name="Take 1 chosen into").click()
        expect(page.get_by_text("Taken into Customer notes: 1 ")).to_be_visible()
        page.keyboard.press("z")
        expect(page.get_by_text("Undone. 1 file went back.")).to_be_visible()
        watched.assert_clean()
