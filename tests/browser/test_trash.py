"""Deleting a file, finding it in the trash, and the two ways out of it, as people do it."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser


def make(page: Page, address: str, name: str, text: str) -> None:
    """Make a file in the editor."""
    page.goto(f"{address}/stores/customer-notes/new-file")
    page.get_by_label("Path", exact=True).fill(name)
    page.get_by_label("Contents").fill(text)
    page.get_by_role("button", name="Make file").click()
    page.wait_for_url(f"**/files/{name}*")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_deleted_file_comes_back_under_another_name_or_goes_for_good(
    browser: Browser, own_site: Site, scripts: bool
) -> None:
    name = f"journey-{'with' if scripts else 'without'}.md"
    with watching(browser, own_site, scripts=scripts) as watched:
        page = watched.page
        make(page, own_site.address, name, "the first")
        page.get_by_label("Add a label").fill("journey")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("link", name="journey", exact=True)).to_be_visible()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text(f"Deleted {name}.")).to_be_visible()
        make(page, own_site.address, name, "the second")

        if scripts:
            page.keyboard.press("g")
            page.keyboard.press("t")
        else:
            page.get_by_role("link", name="Trash").first.click()
        page.get_by_role("link", name=name).click()
        expect(page.get_by_text("the first")).to_be_visible()
        page.get_by_role("button", name="Restore").click()
        expect(page.get_by_text("Choose another path.").first).to_be_visible()
        page.get_by_label("Path", exact=True).fill(f"back-{name}")
        page.get_by_role("button", name="Restore").click()
        expect(page.get_by_text(f"Restored back-{name}.")).to_be_visible()
        expect(page.get_by_role("link", name="journey", exact=True)).to_be_visible()

        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("link", name="Trash").first.click()
        page.get_by_role("row").filter(has_text=f"back-{name}").get_by_role("checkbox").check()
        page.get_by_role("button", name="Purge checked").click()
        expect(page.get_by_role("heading", name="Let 1 file go for good?")).to_be_visible()
        page.get_by_role("button", name="Purge 1 file").click()
        expect(page.get_by_text("Purged 1 file. Nothing brings it back.")).to_be_visible()
        expect(page.get_by_role("link", name=f"back-{name}")).to_have_count(0)
        watched.assert_clean()
