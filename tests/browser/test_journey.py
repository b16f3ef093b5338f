"""From the command to a diff: start, sign in, run, see the file, see what changed, with and without scripts."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, watching
from tests.support.server import LINK, Server, up
from tests.support.shell import memdash

pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
FILE = "customers/globex.md"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "data"


@pytest.fixture
def server(data: Path) -> Iterator[Server]:
    """What the first command starts on a machine of which it knows nothing."""
    with up(data, MEMDASH_DEMO_PACE="0.005") as server:
        yield server


def sign_in(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("main").get_by_role("button").first.click()
    expect(page.get_by_role("heading", name="Set up memdash")).to_be_visible()


def make_agent(page: Page, name: str) -> None:
    page.get_by_role("link", name="Connect an agent").click()
    page.get_by_label("Runs here").check()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Connect").click()
    page.get_by_label("demo/support-desk").check()
    page.get_by_role("button", name="Make agent").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def start_run(page: Page, text: str) -> None:
    page.get_by_role("link", name="New run").click()
    page.get_by_label("Message").fill(text)
    page.get_by_role("button", name="Start run").click()


def wait_for_its_end(page: Page, *, scripts: bool) -> None:
    """Wait until the run has finished: its page says so by itself, or when it is opened again."""
    finished = page.locator("#run-head").get_by_text("Finished")
    if scripts:
        expect(finished).to_be_visible(timeout=PATIENCE_MS)
        return
    for _ in range(PATIENCE_MS // 250):
        if finished.is_visible():
            return
        page.wait_for_timeout(250)
        page.reload()
    pytest.fail("the run did not finish")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_run_started_in_the_browser_ends_with_files_versions_and_diffs(
    browser: Browser, server: Server, data: Path, scripts: bool
) -> None:
    site = Site(server.address, cookie=None, paths={}, pages={})
    link = server.wait_for(LINK)[0]

    with watching(browser, site, scripts=scripts, signed_in=False) as watched:
        page = watched.page
        sign_in(page, link)
        make_agent(page, "Support desk")
        start_run(page, "Please remember that Globex has 300 seats now.")
        wait_for_its_end(page, scripts=scripts)
        expect(page.get_by_text("Scripted demo model").first).to_be_visible()

        page.locator("#run-facts").get_by_role("link", name=FILE, exact=True).click()
        expect(page.get_by_role("main")).to_contain_text("300 seats")
        page.get_by_role("link", name="History").first.click()
        expect(page.locator(".diff .a").filter(has_text="300 seats").first).to_be_visible()

        call = {"command": "str_replace", "path": f"/memories/{FILE}", "old_str": "300 seats", "new_str": "77 seats"}
        changed = memdash("tool", "--store", "support-desk", data=data, stdin=json.dumps(call) + "\n")
        assert json.loads(changed.stdout)["is_error"] is False
        page.goto("/agents/")
        page.get_by_role("link", name="Support desk").first.click()
        start_run(page, "How many seats does Globex have?")
        wait_for_its_end(page, scripts=scripts)

        answer = page.locator("#log .prose").last
        expect(answer).to_contain_text("77 seats")
        expect(answer).not_to_contain_text("300 seats")
        watched.assert_clean()
