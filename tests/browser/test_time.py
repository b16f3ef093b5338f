"""Back to last Tuesday in the demo: three files put back from there, and that undone."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, watching
from tests.support.server import LINK, Server, up
from tests.support.shell import memdash

pytestmark = pytest.mark.browser

FILES = ("customers/acme-corp.md", "lessons.md", "progress/open_threads.md")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def server(data: Path) -> Iterator[Server]:
    """The demo, whose past reaches over the last weeks."""
    with up(data, "--demo") as server:
        yield server


def last_tuesday() -> date:
    today = date.today()
    return today - timedelta(days=(today.weekday() - 1) % 7 or 7)


def texts(page: Page, address: str) -> dict[str, str | None]:
    """Return what agents see in the files now."""
    found = {}
    for file in FILES:
        page.goto(f"{address}/stores/support-desk/agent-view/{file}")
        found[file] = page.locator("#tool-result").text_content()
    return found


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_three_files_of_last_tuesday_come_back_and_go_again(
    browser: Browser, server: Server, data: Path, scripts: bool
) -> None:
    site = Site(server.address, cookie=None, paths={}, pages={})
    for file in FILES:
        call = {"command": "insert", "path": f"/memories/{file}", "insert_line": 0, "insert_text": "new today\n"}
        told = memdash("tool", "--store", "support-desk", data=data, stdin=json.dumps(call) + "\n")
        assert json.loads(told.stdout)["is_error"] is False

    with watching(browser, site, scripts=scripts, signed_in=False) as watched:
        page = watched.page
        page.goto(server.wait_for(LINK)[0])
        page.get_by_role("main").get_by_role("button").first.click()
        expect(page.get_by_role("link", name="Agents").first).to_be_visible()
        now = texts(page, server.address)

        page.goto(f"{server.address}/stores/support-desk/files/")
        page.get_by_role("link", name="Memory as it was…").click()
        page.get_by_label("Go to").fill(f"{last_tuesday()}T23:59")
        page.get_by_role("button", name="Go", exact=True).click()
        expect(page.locator("#diff .banner")).to_contain_text("Read only")
        for file in FILES:
            page.get_by_role("checkbox", name=file).check()
        page.get_by_role("button", name="Put 3 files back…" if scripts else "Put ticked files back…").click()
        expect(page.get_by_text("Nothing has changed yet.")).to_be_visible()
        page.get_by_role("button", name="Put back", exact=True).click()
        expect(page.get_by_text("3 files put back")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("Undone. 3 files went back.")).to_be_visible()

        assert texts(page, server.address) == now
        watched.assert_clean()
