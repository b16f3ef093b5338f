"""Acts on many files: chosen by boxes and keys, and a wrong fact of five agents mended in all and undone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser


def make_file(page: Page, site: Site, slug: str, path: str, text: str) -> None:
    page.goto(f"{site.address}/stores/{slug}/new-file?path={path}")
    page.locator("[name=text]").fill(text)
    page.get_by_role("button", name="Make file").click()
    expect(page).to_have_url(f"{site.address}/stores/{slug}/files/{path}")


@pytest.mark.parametrize("scripts", [True, False])
def test_the_same_wrong_fact_of_five_agents_is_mended_in_all_and_undone(
    browser: Browser, own_site: Site, scripts: bool
) -> None:
    word = "alpha" if scripts else "beta"
    with watching(browser, own_site, scripts=scripts) as watched:
        page = watched.page
        slugs = [f"{word}-{number}" for number in range(5)]
        for slug in slugs:
            watched.open("/stores/new")
            page.get_by_label("Name", exact=True).fill(slug)
            page.get_by_role("button", name="Make store").click()
            make_file(page, own_site, slug, "facts.md", f"The {word} office closes at 17:00.\n")
        watched.open("/replace")
        page.get_by_label("Find", exact=True).fill(f"{word} office closes at 17:00")
        page.get_by_label("Replace with").fill(f"{word} office closes at 18:00")
        page.get_by_role("button", name="Find", exact=True).click()
        expect(page.locator("del")).to_have_count(5)
        if scripts:
            watched.assert_fits_every_size_and_theme()
            page.set_viewport_size({"width": 1440, "height": 900})
        page.get_by_role("checkbox", name="facts.md").last.uncheck()
        if scripts:
            expect(page.locator("[data-replace]")).to_have_text("Replace 4 places in 4 files")

        page.locator("[data-replace]").click()

        expect(page.get_by_text("Replaced 4 places in 4 files of 4 stores.")).to_be_visible()
        expect(page.locator("del")).to_have_count(1)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone in 4 stores. 4 files went back.")).to_be_visible()
        expect(page.locator("del")).to_have_count(5)
        watched.assert_clean()


def test_ranges_are_chosen_with_shift_and_by_keys(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site) as watched:
        page = watched.page
        watched.open("/stores/customer-notes/all?q=week")
        boxes = page.locator("[data-pick]")
        strips = page.locator("td.pick .hit")
        said = page.locator("[data-picked]")
        expect(said).to_have_text("Nothing chosen")

        strips.nth(1).click(position={"x": 3, "y": 3})
        strips.nth(5).click(position={"x": 3, "y": 3}, modifiers=["Shift"])
        expect(said).to_have_text("5 chosen")
        boxes.nth(7).focus()
        page.keyboard.press("x")
        expect(said).to_have_text("6 chosen")
        boxes.nth(9).focus()
        page.keyboard.press("Shift+X")
        expect(said).to_have_text("8 chosen")
        page.keyboard.press("Escape")
        expect(said).to_have_text("Nothing chosen")
        page.get_by_label("Choose this page").check()
        expect(said).to_have_text("50 chosen")
        page.get_by_role("button", name="Pin…", exact=True).click()
        page.get_by_role("button", name="Pin 50 files").click()

        expect(page.get_by_text("Pinned 50 files.")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone.")).to_be_visible()
        watched.assert_clean()
