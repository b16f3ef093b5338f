"""Deleting an agent and bringing it back, as people do it."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scripts", [True, False])
def test_an_agent_that_was_deleted_by_mistake_comes_back(browser: Browser, small_site: Site, scripts: bool) -> None:
    name = f"Guest {'with' if scripts else 'without'} scripts"
    with watching(browser, small_site, scripts=scripts) as watched:
        page = watched.page
        watched.open("/agents/new")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Make agent").click()
        for way_back in ("Undo", f"Bring back {name}"):
            page.get_by_role("link", name="Delete agent").click()
            page.get_by_role("button", name="Delete agent").click()
            expect(page.get_by_text(f"Deleted {name}.")).to_be_visible()
            if way_back != "Undo":
                page.get_by_role("link", name="deleted agents").click()

            page.get_by_role("button", name=way_back).click()

            if way_back == "Undo":
                expect(page.locator("[data-toast]")).to_contain_text("Undone.")
                page.get_by_role("table").get_by_role("link", name=name, exact=True).click()
                page.get_by_role("link", name="Settings", exact=True).click()
            else:
                expect(page.get_by_text(f"{name} is back.")).to_be_visible()
            expect(page).to_have_url(f"{small_site.address}/agents/{name.lower().replace(' ', '-')}/settings")
        page.get_by_role("link", name="Delete agent").click()
        page.get_by_role("button", name="Delete agent").click()
        watched.assert_clean()
