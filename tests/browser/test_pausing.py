"""The switch that pauses what agents change, and the way back, as a person meets them."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WIDTHS, Site, watching

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("route", ["agents:settings", "agents:run"])
def test_changes_are_paused_and_the_toast_lets_agents_write_again(
    browser: Browser, small_site: Site, route: str, scripts: bool, width: int
) -> None:
    path = small_site.paths[route] or ""
    with watching(browser, small_site, width=width, scripts=scripts) as watched:
        page = watched.page
        watched.open(path)
        page.get_by_role("button", name="Pause changes").click()

        expect(page.get_by_role("main").get_by_text("Reads only, paused by mara just now")).to_be_visible()
        expect(page.get_by_role("button", name="Let agents write again")).to_be_visible()
        assert page.url == small_site.address + path
        if scripts:
            watched.assert_accessible()
        watched.assert_no_sideways_scrolling()
        page.get_by_role("button", name="Undo").click()

        expect(page.get_by_role("button", name="Pause changes")).to_be_visible()
        expect(page.get_by_text("Reads only")).to_have_count(0)
        watched.assert_clean()
