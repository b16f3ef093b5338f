"""The page of a run on a phone: what stays in reach while somebody reads."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser


def edge(element: Locator, side: str) -> float:
    """Return where that side of the element lies in the window."""
    place: float = element.evaluate("(element, side) => element.getBoundingClientRect()[side]", side)
    return place


@pytest.mark.parametrize("scripts", [True, False])
def test_the_state_and_the_way_to_end_it_stay_in_reach(browser: Browser, large_site: Site, scripts: bool) -> None:
    with watching(browser, large_site, width=390, scripts=scripts) as watched:
        watched.open(large_site.paths["agents:run"] or "")
        page = watched.page

        for share in (0, 0.5, 1):
            page.evaluate("share => scrollTo(0, share * document.documentElement.scrollHeight)", share)
            expect(page.locator(".run-state .badge")).to_be_in_viewport(ratio=1)
            expect(page.get_by_role("button", name="Cancel run")).to_be_in_viewport(ratio=1)


def test_nothing_that_is_gone_to_lies_under_what_sticks(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site, width=390) as watched:
        watched.open(large_site.paths["agents:run"] or "")
        page = watched.page
        turn = page.locator("#log .msg").nth(10)
        bar, composer = page.locator(".run-state"), page.locator(".composer")
        # Somewhere that the keyboard comes to, with text above and below it.
        turn.evaluate("turn => turn.insertAdjacentHTML('afterbegin', '<a href=\"#main\">In between</a>')")
        between = page.get_by_role("link", name="In between")

        turn.evaluate("turn => { location.hash = turn.id }")
        assert edge(turn, "top") >= edge(bar, "bottom")

        for from_above in (True, False):
            page.evaluate("above => scrollTo(0, above ? 0 : document.documentElement.scrollHeight)", from_above)
            between.evaluate("link => { link.blur(); link.focus() }")
            assert edge(between, "top") >= edge(bar, "bottom")
            assert edge(between, "bottom") <= edge(composer, "top")


def test_typing_a_message_leaves_the_reader_where_they_are(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site, width=390) as watched:
        watched.open(large_site.paths["agents:run"] or "")
        page = watched.page
        page.evaluate("scrollTo(0, 3000)")

        page.locator(".composer textarea").focus()
        page.keyboard.type("And hurry")
        page.keyboard.press("Tab")
        page.get_by_role("button", name="Cancel run").focus()

        assert page.evaluate("scrollY") == 3000
