"""Texts for a system prompt: put in where the cursor is, taken back by the browser's undo, copied without scripts."""

import pytest
from playwright.sync_api import Browser, Page, expect

from agents.steering import STEERING
from tests.browser.conftest import Site, watching

pytestmark = pytest.mark.browser

TEXTS = {text.label: text.text for text in STEERING}


def prompt_of(page: Page, text: str) -> None:
    """Fill the prompt with text, in which "|" says where the cursor is."""
    page.get_by_label("System prompt").fill(text.replace("|", ""))
    page.get_by_label("System prompt").evaluate(
        f"field => field.setSelectionRange({text.index('|')}, {text.index('|')})"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("|", "{}"),
        ("Be brief.|", "Be brief.\n\n{}"),
        ("Be brief.\n|Be kind.", "Be brief.\n\n{}\n\nBe kind."),
        ("|Be kind.", "{}\n\nBe kind."),
    ],
)
def test_a_text_becomes_a_paragraph_where_the_cursor_is(
    browser: Browser, small_site: Site, before: str, after: str
) -> None:
    with watching(browser, small_site) as watched:
        page = watched.page
        watched.open(small_site.paths["agents:settings"] or "")
        prompt_of(page, before)

        page.get_by_role("button", name="No personal data").click()

        expect(page.get_by_label("System prompt")).to_have_value(after.format(TEXTS["No personal data"]))
        expect(page.get_by_label("System prompt")).to_be_focused()
        expect(page.locator("#prompt .ft")).to_contain_text(
            f"{len(after.format(TEXTS['No personal data']))} characters,"
        )
        page.keyboard.press("Control+z")
        expect(page.get_by_label("System prompt")).to_have_value(before.replace("|", ""))
        watched.assert_clean()


def test_what_is_to_be_filled_in_is_selected_and_the_whole_is_saved(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site) as watched:
        page = watched.page
        watched.open(small_site.paths["agents:settings"] or "")
        prompt_of(page, "Be brief.|")

        page.get_by_role("button", name="Write only about").click()
        page.keyboard.type("tickets")
        page.get_by_role("button", name="Save").click()

        text = TEXTS["Write only about"].replace("<topic>", "tickets")
        expect(page.get_by_text("Saved 1 change.")).to_be_visible()
        expect(page.get_by_label("System prompt")).to_have_value(f"Be brief.\n\n{text}")


def test_without_scripts_the_texts_can_be_read_and_nothing_offers_to_insert_them(
    browser: Browser, small_site: Site
) -> None:
    with watching(browser, small_site, width=390, scripts=False) as watched:
        page = watched.page
        watched.open(small_site.paths["agents:settings"] or "")
        expect(page.get_by_role("button", name="No personal data")).to_have_count(0)

        page.get_by_text("Texts for the prompt, to read and copy").click()

        shown = page.get_by_role("region", name="Work over several sessions")
        expect(shown).to_be_visible()
        assert shown.text_content() == TEXTS["Work over several sessions"]
        watched.assert_no_sideways_scrolling()
