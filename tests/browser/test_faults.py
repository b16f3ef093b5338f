"""A form that was refused shows what is wrong, at both widths, with scripts and without."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import THEMES, Site, watching

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scripts", [True, False])
def test_a_refused_form_opens_on_its_faults_and_they_lead_to_the_fields(
    browser: Browser, small_site: Site, width: int, scripts: bool
) -> None:
    with watching(browser, small_site, width=width, scripts=scripts) as watched:
        page = watched.page
        watched.open(str(small_site.paths["agents:settings"]))
        page.get_by_label("Turns").fill("0")
        page.get_by_label("input tokens, keep the last").fill("few")
        page.get_by_role("button", name="Save").click()

        faults = page.get_by_role("group", name="Nothing was saved.")
        expect(faults).to_be_focused()
        expect(faults).to_be_in_viewport(ratio=1)
        faults.get_by_role("link", name="Tool calls whose results are kept").click()

        kept = page.get_by_label("input tokens, keep the last")
        expect(kept).to_be_focused()
        expect(kept).to_be_in_viewport(ratio=1)
        expect(kept).to_have_accessible_description("Enter a whole number.")
        watched.assert_no_sideways_scrolling()
        watched.assert_clean()


def test_the_list_of_faults_is_accessible(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site) as watched:
        watched.open(str(small_site.paths["agents:new-run"]))
        watched.page.get_by_label("Message").fill("Hello")
        watched.page.get_by_role("button", name="Attach a text").click()
        watched.page.get_by_label("Name").fill("A page")
        watched.page.get_by_role("button", name="Start run").click()
        expect(watched.page.get_by_role("link", name="Text 1")).to_be_visible()

        for theme in THEMES:
            watched.page.emulate_media(color_scheme=theme)
            watched.assert_accessible()
