"""Journeys of somebody who corrects memory: edit and save, a conflict, rename, delete and undo, a new file, restore."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from tests.browser.cases_memories import FILE, SLUG
from tests.browser.conftest import THEMES, WIDTHS, Site, Watched, watching

pytestmark = pytest.mark.browser

STORE = f"/stores/{SLUG}"
AUTOSAVED_MS = 6_000
EDIT = re.compile(r"^Edit( E)?$")


@pytest.fixture
def watched(browser: Browser, own_site: Site) -> Iterator[Watched]:
    """A wide page."""
    with watching(browser, own_site) as watched:
        watched.page.on("dialog", lambda dialog: dialog.accept())
        yield watched
        watched.assert_clean()


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def either(request: pytest.FixtureRequest, browser: Browser, own_site: Site) -> Iterator[Watched]:
    """The same, once with and once without scripts."""
    with watching(browser, own_site, scripts=request.param) as watched:
        yield watched
        watched.assert_clean()


def make(page: Page, path: str, text: str) -> None:
    """Make a file by its form and wait for its page."""
    page.goto(f"{STORE}/new-file")
    page.get_by_label("Path", exact=True).fill(path)
    page.get_by_label("Contents").fill(text)
    page.get_by_role("button", name="Make file").click()
    page.wait_for_url(f"**/files/{path}")


def toast(page: Page, words: str) -> None:
    """Wait for the toast that says so."""
    expect(page.locator("[data-toast]")).to_contain_text(words)


def assert_good_at_every_width(watched: Watched) -> None:
    """Check the page as it stands, in both themes, wide and narrow."""
    for width, height in WIDTHS.items():
        watched.page.set_viewport_size({"width": width, "height": height})
        for theme in THEMES:
            watched.page.emulate_media(color_scheme=theme)
            watched.assert_accessible()
        watched.assert_no_sideways_scrolling()


def test_a_file_is_made_edited_and_read_in_its_history(either: Watched) -> None:
    page = either.page
    either.open(f"{STORE}/files/")
    page.get_by_role("link", name="New file").first.click()
    page.get_by_label("Path", exact=True).fill("notes/../x.md")
    page.get_by_label("Contents").fill("# Tea\n\nWith milk\n")
    page.get_by_role("button", name="Make file").click()
    expect(page.locator("#id_path_error")).to_contain_text("dots and blanks only")
    assert page.get_by_label("Contents").input_value() == "# Tea\n\nWith milk\n"
    page.get_by_label("Path", exact=True).fill("notes/either.md")
    page.get_by_role("button", name="Make file").click()
    toast(page, "Made either.md.")

    page.get_by_role("link", name=EDIT).click()
    page.get_by_label("Contents of either.md").fill("# Tea\n\nWithout milk\n")
    page.get_by_label("What changed").fill("They asked for none.")
    page.get_by_role("button", name="Changes").click()
    expect(page.locator(".diff.uni ins")).to_have_text("Without")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("article.prose")).to_contain_text("Without milk")
    page.get_by_role("button", name="Write").click()
    assert page.get_by_label("Contents of either.md").input_value() == "# Tea\n\nWithout milk\n"
    page.get_by_role("button", name="Save").click()
    toast(page, "Saved version 2 of either.md.")

    page.get_by_role("link", name=re.compile("^History")).click()
    expect(page.locator(".vers")).to_contain_text("They asked for none.")
    page.get_by_role("link", name=re.compile("^Version 1")).click()
    page.get_by_role("button", name="Restore version 1").click()
    toast(page, "Restored version 1 of either.md as version 3.")
    expect(page.locator("article.prose")).to_contain_text("With milk")
    page.get_by_role("button", name="Delete").click()
    toast(page, "Deleted either.md.")


def test_renaming_deleting_and_taking_both_back(either: Watched) -> None:
    page = either.page
    make(page, "moves/here.txt", "x\n")
    make(page, "moves/next.txt", "y\n")

    page.goto(f"{STORE}/files/moves/here.txt")
    page.get_by_role("link", name="Rename or move").click()
    page.get_by_label("Path", exact=True).fill("moves/a.txt")
    page.get_by_role("button", name="Move the file").click()
    toast(page, "Renamed here.txt to a.txt.")
    page.get_by_role("button", name="Delete").click()
    toast(page, "Deleted a.txt.")
    expect(page).to_have_url(re.compile(r"/files/moves/next\.txt#heading$"))
    expect(page.locator("#heading")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    toast(page, "Undone.")
    page.goto(f"{STORE}/files/moves/a.txt")
    expect(page.locator(".lines")).to_contain_text("x")

    page.goto(f"{STORE}/files/moves")
    page.get_by_role("button", name="Delete 2 files").click()
    toast(page, "Deleted moves with 2 files.")
    page.goto(f"{STORE}/files/moves/next.txt")
    page.get_by_role("button", name="Restore").click()
    toast(page, "Restored next.txt.")
    page.get_by_role("button", name="Delete").click()


def test_a_save_that_comes_too_late_is_merged_and_edited_on(either: Watched, browser: Browser, own_site: Site) -> None:
    page = either.page
    make(page, "late.md", "tea\nmilk\n")
    page.get_by_role("link", name=EDIT).click()
    with watching(browser, own_site, scripts=False) as other:
        other.open(page.url.removeprefix(own_site.address))
        other.page.get_by_label("Contents of late.md").fill("coffee\nmilk\n")
        other.page.get_by_role("button", name="Save").click()
        toast(other.page, "Saved version 2")
    page.get_by_label("Contents of late.md").fill("tea\nbread\n")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("changed this file while you were editing")
    expect(page.locator("#left")).to_have_text("No conflict needs a choice.")
    page.get_by_role("button", name="Edit the merged text").click()
    expect(page.get_by_label("Contents of late.md")).to_have_value("coffee\nbread\n")
    page.get_by_role("button", name="Save").click()
    toast(page, "Saved version 3 of late.md.")
    page.get_by_role("button", name="Delete").click()


def test_e_opens_the_editor_ctrl_s_saves_and_an_open_one_hears_of_others(
    watched: Watched, browser: Browser, own_site: Site
) -> None:
    page = watched.page
    make(page, "keys.md", "one\ntwo\n")
    page.goto(f"{STORE}/files/keys.md")

    page.keyboard.press("e")
    page.wait_for_url("**/edit")
    with watching(browser, own_site, scripts=False) as other:
        other.open(page.url.removeprefix(own_site.address))
        other.page.get_by_label("Contents of keys.md").fill("one\nthree\n")
        other.page.get_by_role("button", name="Save").click()
        toast(other.page, "Saved version 2")
    expect(page.locator("[data-news] .banner")).to_contain_text("mara wrote version 2", timeout=10_000)
    expect(page.locator("[data-region=announcer]")).to_contain_text("while you were editing")
    assert_good_at_every_width(watched)
    page.get_by_label("Contents of keys.md").fill("one\nfour\n")
    page.keyboard.press("Control+s")
    expect(page.locator("h1")).to_contain_text("changed this file while you were editing")
    expect(page.locator("h1")).to_be_focused()
    assert_good_at_every_width(watched)


def test_what_is_typed_is_kept_without_a_click_and_nothing_in_the_browser(watched: Watched) -> None:
    page = watched.page
    make(page, "kept.md", "one\n")
    page.get_by_role("link", name=EDIT).click()
    text = page.get_by_label("Contents of kept.md")
    text.fill("one\nand a secret\n")

    expect(page.locator("#state")).to_contain_text("Your draft is on the server", timeout=AUTOSAVED_MS)
    expect(page.locator("#state")).to_contain_text("+1 in 1 place")
    expect(page.locator("#size")).to_contain_text("2 lines")
    assert text.input_value() == "one\nand a secret\n"
    assert "secret" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    page.reload()
    expect(page.get_by_label("Contents of kept.md")).to_have_value("one\nand a secret\n")
    expect(page.locator(".banner").first).to_contain_text("Your unsaved text is back")
    page.get_by_role("button", name="Discard mine").click()
    toast(page, "Discarded your draft.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Contents of kept.md")).to_have_value("one\nand a secret\n")


def test_leaving_with_unsaved_changes_asks_once(browser: Browser, own_site: Site) -> None:
    with watching(browser, own_site) as watched:
        page = watched.page
        asked: list[str] = []

        def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.dismiss()

        make(page, "leave.md", "one\n")
        page.get_by_role("link", name=EDIT).click()
        page.wait_for_url("**/edit")
        page.on("dialog", stay)
        page.get_by_label("Contents of leave.md").press_sequentially("x")

        page.get_by_role("link", name="Stores", exact=True).first.click()
        page.wait_for_timeout(500)
        assert (asked, page.url.endswith("/edit")) == (["beforeunload"], True)
        page.get_by_role("link", name="Stores", exact=True).first.click()
        page.wait_for_url("**/stores/")

        assert asked == ["beforeunload"]
        watched.assert_clean()


def test_saving_asks_nothing(browser: Browser, own_site: Site) -> None:
    with watching(browser, own_site) as watched:
        page = watched.page
        make(page, "quiet.md", "one\n")
        page.get_by_role("link", name=EDIT).click()
        page.wait_for_url("**/edit")
        page.on("dialog", lambda dialog: pytest.fail(dialog.type))
        page.get_by_label("Contents of quiet.md").press_sequentially("x")
        page.keyboard.press("Control+s")

        toast(page, "Saved version 2 of quiet.md.")
        watched.assert_clean()


def test_the_editor_opens_at_a_line(watched: Watched) -> None:
    page = watched.page
    make(page, "long.md", "".join(f"line {number} {'of many words ' * 20}\n" for number in range(1, 301)))
    page.get_by_role("link", name=EDIT).click()
    page.wait_for_url("**/edit")

    page.goto(page.url + "?line=250")

    text = page.get_by_label("Contents of long.md")
    start = text.evaluate("text => [text.value.slice(text.selectionStart, text.selectionStart + 8), text.scrollTop]")
    assert start[0] == "line 250"
    assert start[1] > 1000
    expect(text).to_be_focused()


ENDS = """text => {
  const lines = text.value.split("\\n"), gutter = text.previousElementSibling, whole = text.value, ends = [];
  const below = parseFloat(getComputedStyle(text).paddingBlockEnd);
  text.style.blockSize = text.style.minBlockSize = "0";
  for (const [number, row] of [...gutter.children].entries()) {
    text.value = lines.slice(0, number + 1).join("\\n");
    ends.push([text.scrollHeight - below, row.offsetTop + row.offsetHeight - gutter.offsetTop]);
  }
  text.style.blockSize = text.style.minBlockSize = "";
  text.value = whole;
  return ends;
}"""
"""Where each line ends, in the field and beside it."""


def test_the_numbers_of_lines_keep_in_step_with_lines_that_wrap(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/new-file")
    text = page.get_by_label("Contents")
    lines = [
        f"{number}\t{'of many words ' * (number % 30)}{'x' * (number * 7 % 300)} \u4e2d\u202e" for number in range(40)
    ]
    text.fill("\n\n".join([*lines, ""]))
    for width in (1440, 1000):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function("text => text.previousElementSibling.children.length === 81", arg=text.element_handle())

        ends = text.evaluate(ENDS)

        assert len(ends) == 81
        assert [field for field, _ in ends] == pytest.approx([beside for _, beside in ends], abs=1)
    text.evaluate("text => (text.scrollTop = 700)")
    page.wait_for_function("text => text.previousElementSibling.scrollTop === 700", arg=text.element_handle())
    assert_good_at_every_width(watched)
    page.set_viewport_size({"width": 1440, "height": 700})
    # Typed, so many lines would take the browser a minute.
    text.evaluate("text => { text.value = 'x\\n'.repeat(3000); text.dispatchEvent(new Event('input')); }")
    expect(page.locator(".gut[hidden]")).to_have_count(1)
    expect(page.locator(".gut > *")).to_have_count(0)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_editor_with_all_it_may_say_is_accessible(browser: Browser, own_site: Site, width: int) -> None:
    with watching(browser, own_site, width=width) as watched:
        page = watched.page
        page.on("dialog", lambda dialog: dialog.accept())
        make(page, f"axe-{width}.md", "one\n")
        page.goto(f"{STORE}/files/axe-{width}.md")
        page.get_by_role("link", name=EDIT).click()
        page.get_by_label(f"Contents of axe-{width}.md").fill("x" * 1_048_577)
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#id_text_error")).to_contain_text("at most 1,048,576")
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            watched.assert_accessible()
        watched.assert_no_sideways_scrolling()
        page.get_by_label(f"Contents of axe-{width}.md").fill("two\n")
        for tab in ("Preview", "Changes"):
            page.get_by_role("button", name=tab).click()
            expect(page.locator("#sheet")).to_contain_text("two")
            watched.assert_accessible()
            watched.assert_no_sideways_scrolling()
        watched.assert_clean()


def test_a_file_with_hidden_characters_and_crlf_survives_a_browser(watched: Watched) -> None:
    page = watched.page
    watched.open(f"{STORE}/files/{FILE}?view=raw")
    page.get_by_role("link", name=EDIT).click()
    text = page.get_by_label(re.compile("^Contents of"))

    text.press("Control+End")
    page.keyboard.type("more")
    page.keyboard.press("Control+s")
    toast(page, "Saved version")
    page.get_by_role("link", name=re.compile("^History")).click()

    expect(page.locator(".why")).to_contain_text("more")
    expect(page.locator("#diff .pane-h .pm")).to_have_text("+1")
