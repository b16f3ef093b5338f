"""Journeys of somebody who leaves texts unsaved: in several editors at once, discarded, and taken up again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.cases_memories import SLUG
from tests.browser.conftest import Site, Watched, watching

pytestmark = pytest.mark.browser

STORE = f"/stores/{SLUG}"
AUTOSAVED_MS = 6_000
EDIT = re.compile(r"^Edit( E)?$")


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def watched(request: pytest.FixtureRequest, browser: Browser, own_site: Site) -> Iterator[Watched]:
    """A wide page, once with and once without scripts."""
    with watching(browser, own_site, scripts=request.param) as watched:
        watched.page.on("dialog", lambda dialog: dialog.accept())
        yield watched
        watched.assert_clean()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def offered(page: Page, path: str) -> int:
    """Return how many drafts of new files of that path are offered."""
    page.goto(f"{STORE}/new-file")
    return page.locator(".srcs li").filter(has_text=path).count()


def test_a_new_file_is_one_draft_from_its_first_button_until_it_is_made(watched: Watched) -> None:
    page = watched.page
    page.goto(f"{STORE}/new-file")
    page.get_by_label("Path", exact=True).fill("one.md")
    text = page.get_by_label("Contents")
    text.fill("tea\n")
    for tab in ("Preview", "Changes", "Write"):
        press(page, tab)
    text.fill("tea\nmilk\n")
    press(page, "Changes")
    expect(page.locator("#sheet")).to_contain_text("milk")
    assert offered(page, "one.md") == 1

    page.locator(".srcs li").filter(has_text="one.md").get_by_role("button").click()
    page.wait_for_url("**/new-file?draft=*")
    expect(text).to_have_value("tea\nmilk\n")
    press(page, "Make file")
    page.wait_for_url("**/files/one.md")
    assert offered(page, "one.md") == 0
    page.goto(f"{STORE}/files/one.md")
    press(page, "Delete")
    page.wait_for_url(re.compile(r".*/files/(?!one\.md).*"))


def test_a_discarded_text_is_brought_back_whatever_was_pressed_since(watched: Watched) -> None:
    page = watched.page
    page.goto(f"{STORE}/new-file")
    page.get_by_label("Path", exact=True).fill("two.md")
    page.get_by_label("Contents").fill("tea\n")
    press(page, "Make file")
    page.wait_for_url("**/files/two.md")
    page.get_by_role("link", name=EDIT).click()
    text = page.get_by_label("Contents of two.md")
    text.fill("milk\n")
    press(page, "Discard mine")
    expect(page.locator("[data-toast]")).to_contain_text("Discarded your draft.")
    page.get_by_role("link", name=EDIT).click()
    expect(text).to_have_value("tea\n")
    press(page, "Preview")
    expect(page.locator("#sheet")).to_contain_text("tea")
    press(page, "Save")
    page.wait_for_url("**/files/two.md")
    page.get_by_role("link", name=EDIT).click()
    press(page, "Take it up again")

    expect(text).to_have_value("milk\n")
    press(page, "Save")
    expect(page.locator("[data-toast]")).to_contain_text("Saved version 2")
    press(page, "Delete")
    page.wait_for_url(re.compile(r".*/files/(?!two\.md).*"))


def test_two_editors_of_one_file_keep_what_is_typed_in_each(browser: Browser, own_site: Site) -> None:
    with watching(browser, own_site) as watched:
        first, second = watched.page, watched.page.context.new_page()
        for page in (first, second):
            page.on("dialog", lambda dialog: dialog.accept())
        first.goto(f"{STORE}/new-file")
        first.get_by_label("Path", exact=True).fill("three.md")
        first.get_by_label("Contents").fill("tea\n")
        press(first, "Make file")
        first.wait_for_url("**/files/three.md")
        first.get_by_role("link", name=EDIT).click()
        first.wait_for_url("**/edit")
        second.goto(first.url)
        for number, page in enumerate((first, second, first, second)):
            page.get_by_label("Contents of three.md").fill(f"text {number}\n")
            with page.expect_response("**/draft", timeout=AUTOSAVED_MS):
                pass

        first.reload()

        expect(first.get_by_label("Contents of three.md")).to_have_value("text 3\n")
        expect(first.locator(".srcs li")).to_have_count(1)
        press(first, "Take up")
        first.wait_for_url("**/edit?draft=*")
        expect(first.get_by_label("Contents of three.md")).to_have_value("text 2\n")
        watched.assert_accessible()
        watched.assert_clean()
