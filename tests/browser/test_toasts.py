"""Where toasts stand: they cover nothing that somebody may want to press."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WIDTHS, Site, watching

pytestmark = pytest.mark.browser

STUCK = (
    ".act :is(a, button), .composer :is(textarea, button), .tabbar :is(a, summary), .rail :is(a, summary), .pane-f a"
)
COVERED = """stuck => [...document.querySelectorAll(stuck)].filter(control => {
    const { left, right, top, bottom } = control.getBoundingClientRect();
    if (!control.checkVisibility() || bottom > innerHeight || top < 0) return false;
    return [[left + 2, top + 2], [right - 2, bottom - 2], [(left + right) / 2, (top + bottom) / 2]]
        .some(([x, y]) => document.elementFromPoint(x, y)?.closest(".toasts"));
}).map(control => control.outerHTML.slice(0, 120))"""
NOTICE = """long => document.querySelector("[data-toasts]").insertAdjacentHTML("beforeend",
    `<div class="toast"><span>${"Saved what was changed here. ".repeat(long)}</span></div>`)"""


@pytest.fixture(params=[*((width, scripts) for width in WIDTHS for scripts in (True, False))])
def page(request: pytest.FixtureRequest, browser: Browser, small_site: Site) -> Iterator[Page]:
    """A page of each width, with and without scripts."""
    width, scripts = request.param
    with watching(browser, small_site, width=width, scripts=scripts) as watched:
        yield watched.page
        watched.assert_clean()


def lowest(page: Page) -> list[str]:
    """Return the controls at the end of the page that the end of the window or the toasts hide."""
    found: list[str] = page.evaluate(
        """() => { scrollTo(0, document.documentElement.scrollHeight);
        const strip = document.querySelector("[data-toasts]").getBoundingClientRect().top;
        return [...document.querySelectorAll("main :is(a, button, input, select, textarea)")]
            .filter(control => control.checkVisibility() && !control.closest(".pane, .vh"))
            .filter(control => control.getBoundingClientRect().bottom > strip)
            .map(control => control.outerHTML.slice(0, 120)); }"""
    )
    return found


@pytest.mark.parametrize("route", ["agents:settings", "memories:files", "agents:run", "memories:store-settings"])
def test_a_toast_covers_no_control(page: Page, small_site: Site, route: str) -> None:
    page.goto(small_site.paths[route] or "")
    before = page.locator(STUCK).count()

    for long in (1, 1):
        page.evaluate(NOTICE, long)
        expect(page.locator(".toast").last).to_be_in_viewport(ratio=1)
        page.wait_for_timeout(100)

        assert before
        assert page.evaluate(COVERED, STUCK) == []
        assert lowest(page) == []
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate(COVERED, STUCK) == []


def test_a_toast_of_an_error_stays_until_it_is_closed(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site) as watched:
        watched.open(small_site.paths["memories:store-settings"] or "")
        watched.page.evaluate(NOTICE, 1)
        watched.page.evaluate("document.dispatchEvent(new Event('htmx:oobAfterSwap'))")

        toast = watched.page.locator(".toast")
        toast.get_by_role("button", name="Close").click()

        expect(toast).to_have_count(0)
        assert watched.page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_long_toast_covers_none_either(browser: Browser, small_site: Site, width: int) -> None:
    with watching(browser, small_site, width=width) as watched:
        watched.open(small_site.paths["agents:settings"] or "")

        watched.page.evaluate(NOTICE, 12)
        watched.page.wait_for_timeout(100)

        assert watched.page.evaluate(COVERED, STUCK) == []
        assert lowest(watched.page) == []
        watched.assert_no_sideways_scrolling()
