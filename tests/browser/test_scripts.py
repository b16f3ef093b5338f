"""What script adds to every page: the palette, keys, the theme, menus, words when something fails."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, Watched, watching

pytestmark = pytest.mark.browser


@pytest.fixture
def watched(browser: Browser, empty_site: Site) -> Iterator[Watched]:
    """A page of somebody signed in, which must stay clean throughout the test."""
    with watching(browser, empty_site) as watched:
        watched.open("/account/")
        yield watched
        watched.assert_clean()


@pytest.fixture
def page(watched: Watched) -> Page:
    """The page itself."""
    return watched.page


def test_ctrl_k_opens_the_palette_and_escape_goes_back_to_where_one_was(page: Page) -> None:
    page.locator("#id_new").focus()

    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.locator("dialog.palette")).to_be_hidden()
    expect(page.locator("#id_new")).to_be_focused()
    expect(page).to_have_title("Account · memdash")


def test_the_palette_finds_a_page_and_enter_opens_it(page: Page) -> None:
    page.get_by_role("link", name="Search or jump").click()
    page.get_by_role("combobox").fill("run")

    expect(page.get_by_role("option", selected=True)).to_have_text("Runs")
    page.keyboard.press("Enter")

    expect(page).to_have_url("/runs/")


def test_arrows_move_through_the_palette_and_focus_stays_in_the_field(page: Page) -> None:
    page.keyboard.press("Control+k")
    options = page.get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")

    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")

    expect(options.last).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("combobox")).to_be_focused()


def test_what_stands_beside_a_name_in_the_palette_never_covers_it(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site, width=390) as watched:
        watched.open("/palette?q=support")
        row = watched.page.get_by_role("region", name="Agents").get_by_role("link").first
        name = row.locator("bdi").first
        row.locator("bdi.faint").evaluate("place => { place.textContent = 'long-place-'.repeat(20) }")

        assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
        watched.assert_no_sideways_scrolling()


def test_the_open_palette_is_accessible(watched: Watched) -> None:
    watched.page.keyboard.press("Control+k")
    expect(watched.page.get_by_role("combobox")).to_be_focused()

    watched.assert_accessible()


def test_the_palette_is_a_page_without_scripts(browser: Browser, empty_site: Site) -> None:
    with watching(browser, empty_site, scripts=False) as watched:
        watched.open("/account/")
        watched.page.get_by_role("link", name="Search or jump").click()
        watched.page.get_by_role("searchbox").fill("run")
        watched.page.get_by_role("button", name="Search").click()
        watched.page.get_by_role("region", name="Pages").get_by_role("link", name="Runs").click()

        expect(watched.page).to_have_url("/runs/")


def test_g_and_a_letter_go_to_a_page_of_the_rail(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("r")

    expect(page).to_have_url("/runs/")


def test_keys_do_nothing_in_a_field(page: Page) -> None:
    page.locator("#id_new").focus()

    page.keyboard.type("gr?/")

    expect(page).to_have_url("/account/")
    expect(page.locator("#id_new")).to_have_value("gr?/")


def test_keys_do_nothing_once_they_are_switched_off(page: Page) -> None:
    page.get_by_role("button", name="Switch keys off").click()
    expect(page.get_by_role("button", name="Switch keys on")).to_be_visible()

    page.keyboard.press("g")
    page.keyboard.press("r")
    page.keyboard.press("Control+k")

    expect(page.get_by_role("combobox")).to_be_focused()
    expect(page).to_have_url("/account/")


def test_a_question_mark_lists_the_keys_over_the_page(watched: Watched) -> None:
    watched.page.keyboard.press("?")
    sheet = watched.page.get_by_role("dialog", name="Keys")

    expect(sheet.get_by_role("row", name="Search or jump")).to_be_visible()
    expect(sheet.get_by_role("table", name="On this page")).to_be_hidden()
    watched.assert_accessible()

    watched.page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(watched.page).to_have_url("/account/")


def test_the_list_of_keys_opens_at_its_top_and_enter_closes_it(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 400})
    sheet = page.get_by_role("dialog", name="Keys")
    for _ in range(2):
        page.keyboard.press("?")
        expect(sheet.get_by_role("button", name="Close")).to_be_focused()
        expect(sheet.get_by_role("row", name="Search or jump")).to_be_in_viewport()
        sheet.get_by_role("button", name="Switch keys off").scroll_into_view_if_needed()

        page.keyboard.press("Enter")
        expect(sheet).to_be_hidden()

    expect(page.locator("html")).to_have_attribute("data-keys", "on")


def test_j_and_k_go_through_the_rows_of_a_list_and_enter_opens_one(browser: Browser, large_site: Site) -> None:
    with watching(browser, large_site) as watched:
        page = watched.page
        watched.open("/runs/")
        names = page.locator("main .table a.name")

        for key in "kjjk":
            page.keyboard.press(key)
        expect(names.first).to_be_focused()
        page.keyboard.press("j")
        expect(names.nth(1)).to_be_focused()
        address = names.nth(1).get_attribute("href") or "none"
        page.keyboard.press("Enter")

        expect(page).to_have_url(address)


@pytest.mark.parametrize("scripts", [True, False])
def test_keys_that_are_switched_off_come_back_with_undo(browser: Browser, empty_site: Site, scripts: bool) -> None:
    with watching(browser, empty_site, scripts=scripts) as watched:
        page = watched.page
        watched.open("/keys")
        page.get_by_role("button", name="Switch keys off").click()
        expect(page.get_by_text("Single-letter keys are off in this browser.")).to_be_visible()
        undo = page.get_by_role("button", name="Undo")
        expect(undo.locator("kbd")).to_be_hidden()

        undo.click()

        expect(page.get_by_role("button", name="Switch keys off")).to_be_visible()
        watched.assert_clean()


def test_the_theme_changes_at_once_and_stays(page: Page) -> None:
    with page.expect_response("**/preferences"):
        page.get_by_role("region", name="This browser").get_by_role("button", name="Dark").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.reload()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_escape_closes_a_menu_and_goes_back_to_its_button(page: Page) -> None:
    opener = page.locator(".rail .menu summary")
    opener.click()
    expect(page.locator(".rail").get_by_role("link", name="Account")).to_be_visible()

    page.keyboard.press("Escape")

    expect(page.locator(".rail").get_by_role("link", name="Account")).to_be_hidden()
    expect(opener).to_be_focused()


def test_an_open_menu_is_accessible(watched: Watched) -> None:
    watched.page.locator(".rail .menu summary").click()

    watched.assert_accessible()


def test_when_the_server_does_not_answer_a_banner_says_what_was_not_done(browser: Browser, empty_site: Site) -> None:
    with watching(browser, empty_site) as watched:
        watched.open("/account/")
        watched.page.route("**/palette*", lambda route: route.abort())

        watched.page.keyboard.press("Control+k")

        expect(watched.page.locator("[data-region=banners]")).to_contain_text("The server did not answer.")
        expect(watched.page.locator("[data-region=alarm]")).to_contain_text("The server did not answer.")


def test_a_toast_says_what_was_done_offers_the_way_back_and_goes(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site) as watched:
        page = watched.page
        watched.open("/stores/customer-notes/files/chart.png")
        page.clock.install()
        page.get_by_role("button", name="Lock").click()
        expect(page.get_by_text("Locked chart.png.")).to_be_visible()

        page.get_by_role("button", name="Undo").click()
        toast = page.get_by_text("Undone.", exact=True)
        expect(toast).to_be_visible()
        page.mouse.move(700, 100)
        page.clock.fast_forward(11_000)

        expect(toast).to_be_hidden()
        watched.assert_clean()


def test_copying_takes_the_exact_output_and_not_what_the_page_shows_of_it(browser: Browser, small_site: Site) -> None:
    with watching(browser, small_site) as watched:
        page = watched.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        watched.open(str(small_site.paths["memories:agent-view"]))
        download = page.get_by_role("link", name="Download").get_attribute("href")

        page.get_by_role("button", name="Copy").click()
        expect(page.locator("[data-region=announcer]")).to_have_text("Copied.")

        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.request.get(str(download)).text()
        watched.assert_clean()
