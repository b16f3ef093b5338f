"""The keys of the file tree, as in the ARIA tree pattern: one tab stop, moving without loading, Enter opens."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import Site, Watched, watching

pytestmark = pytest.mark.browser


@pytest.fixture
def watched(browser: Browser, small_site: Site) -> Iterator[Watched]:
    """The root of a store with a few files, which must stay clean throughout the test."""
    with watching(browser, small_site) as watched:
        watched.open("/stores/customer-notes/files/")
        yield watched
        watched.assert_clean()


@pytest.fixture
def page(watched: Watched) -> Page:
    """The page itself, with all folders closed, as the session may remember others, and the focus on the first row."""
    opened = watched.page.locator("[role=tree] > [aria-expanded=true]")
    for _ in range(opened.count()):
        with watched.page.expect_response("**/tree/**"):
            opened.first.locator("> .row").click()
    watched.page.locator("[role=treeitem][tabindex='0']").focus()
    watched.page.keyboard.press("Home")
    return watched.page


def focused(page: Page) -> Locator:
    """Return the row that has the focus."""
    return page.locator("[role=treeitem]:focus > .row > .nm")


def row(page: Page, name: str) -> Locator:
    """Return the row of a file or folder."""
    return page.locator("[role=treeitem]", has=page.locator(f"> .row > .nm:text-is('{name}')"))


def test_the_tree_is_one_tab_stop(page: Page) -> None:
    page.keyboard.press("Tab")

    assert page.locator("[role=tree] :focus").count() == 0


def test_arrows_home_and_end_move_without_loading(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    first = focused(page).inner_text()

    page.keyboard.press("ArrowDown")
    second = focused(page).inner_text()
    page.keyboard.press("ArrowUp")
    expect(focused(page)).to_have_text(first)
    page.keyboard.press("End")
    last = focused(page).inner_text()
    page.keyboard.press("ArrowDown")

    expect(focused(page)).to_have_text(last)
    assert len({first, second, last}) == 3
    assert requests == []


def test_right_opens_a_folder_and_goes_into_it_and_left_comes_back(page: Page) -> None:
    folder = row(page, "customers")
    page.keyboard.type("cu")
    expect(focused(page)).to_have_text("customers")

    page.keyboard.press("ArrowRight")
    expect(folder).to_have_attribute("aria-expanded", "true")
    expect(row(page, "acme corp & söhne.md")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(focused(page)).to_have_text("acme corp & söhne.md")
    page.keyboard.press("ArrowLeft")
    expect(focused(page)).to_have_text("customers")
    page.keyboard.press("ArrowLeft")

    expect(folder).to_have_attribute("aria-expanded", "false")
    expect(row(page, "acme corp & söhne.md")).to_be_hidden()


def test_a_star_opens_all_folders_side_by_side(page: Page) -> None:
    page.keyboard.press("*")

    expect(page.locator("[role=tree] > [aria-expanded=false]")).to_have_count(0)


def test_enter_opens_a_file_beside_the_tree_and_focuses_its_heading(page: Page) -> None:
    page.keyboard.type("ind")
    page.keyboard.press("Enter")

    expect(page).to_have_url("/stores/customer-notes/files/index.md")
    expect(page.locator("#detail [data-heading]")).to_be_focused()
    expect(row(page, "index.md")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_title("index.md · Customer notes · memdash")


def test_keys_go_on_after_a_click_with_the_mouse(page: Page) -> None:
    page.get_by_role("treeitem", name="customers").locator("> .row").click()
    expect(row(page, "acme corp & söhne.md")).to_be_visible()

    page.keyboard.press("ArrowRight")

    expect(focused(page)).to_have_text("acme corp & söhne.md")


def test_the_focus_stays_in_a_folder_that_is_loaded_anew(page: Page) -> None:
    folder = row(page, "customers").locator("> .row")
    for _ in range(2):
        with page.expect_response("**/tree/customers"):
            folder.click()
    waiting: list[Route] = []
    page.route("**/tree/customers", lambda route: waiting.append(route))  # noqa: PLW0108  (no bound method of a list)
    folder.click()
    page.keyboard.press("ArrowRight")
    expect(focused(page)).to_have_text("acme corp & söhne.md")

    with page.expect_response("**/tree/customers"):
        waiting[0].continue_()
    page.wait_for_timeout(200)

    expect(focused(page)).to_have_text("acme corp & söhne.md")


def test_back_leads_to_where_one_was(page: Page) -> None:
    page.keyboard.type("ind")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/stores/customer-notes/files/index.md")

    page.go_back()

    expect(page).to_have_url("/stores/customer-notes/files/")
    expect(page.locator("#detail")).not_to_contain_text("tokens")
