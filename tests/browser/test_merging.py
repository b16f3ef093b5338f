"""Somebody edits while an agent writes: the page that merges both, with and without scripts."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import NARROWEST, THEMES, WIDTHS, Watched
from tests.browser.live import watching_as_them
from tests.support.new_token import token_at
from tests.support.server import LINK, Server, up

pytestmark = pytest.mark.browser

BEFORE = "# Acme\n\nseats: 240\n\ncontact: mail\n\nrenews 12 May\n\nphone: none\n"
MINE = BEFORE.replace("240", "250").replace("12 May", "15 May").replace("phone: none", "phone: 112")


class Agent:
    """A program with a token, and the server it calls."""

    def __init__(self, server: Server, data: Path) -> None:
        self.server = server
        self.slug, self._secret = token_at(data)

    def call(self, command: str, **fields: object) -> None:
        """Send a call of its one session."""
        url = f"{self.server.address}/api/v1/stores/{self.slug}/memory"
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        body = {"command": command, "turn": 1, "session": "s-1", "cause": "Renew it.", **fields}
        with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=30) as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent elsewhere, and somebody who is signed in."""
    data = tmp_path_factory.mktemp("merging") / "data"
    with up(data) as server:
        server.browser.sign_in(server.wait_for(LINK)[0])
        yield Agent(server, data)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def either(request: pytest.FixtureRequest, browser: Browser, agent: Agent) -> Iterator[Watched]:
    """A page of that person."""
    with watching_as_them(browser, agent.server, scripts=request.param) as watched:
        watched.page.on("dialog", lambda dialog: dialog.accept())
        yield watched


def late(page: Page, agent: Agent, name: str) -> None:
    """Edit a file, have the agent write in it meanwhile, and save."""
    path = f"/memories/{name}"
    agent.call("create", path=path, file_text=BEFORE)
    page.goto(f"/stores/{agent.slug}/files/{name}")
    page.locator("a[data-key=e]").click()
    page.wait_for_url("**/edit")
    for old, new in (("240", "300"), ("12 May", "14 May"), ("# Acme", "# Acme Corp")):
        agent.call("str_replace", path=path, old_str=old, new_str=new)
    page.get_by_label(f"Contents of {name}").fill(MINE)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("changed this file while you were editing")


def test_a_conflict_with_an_agents_write_is_settled_and_saved(
    request: pytest.FixtureRequest, either: Watched, agent: Agent
) -> None:
    page = either.page
    name = f"{len(request.node.name)}.md"
    late(page, agent, name)
    conflicts = page.locator("[data-conflict]")
    expect(conflicts).to_have_count(2)
    expect(page.locator("[data-conflict] :checked")).to_have_count(0)

    conflicts.nth(0).get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Preview result").click()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#left")).to_have_text("1 of 2 conflicts still needs a choice.")
    expect(page.locator("[data-save]")).to_have_attribute("aria-disabled", "true")
    conflicts.nth(1).get_by_role("radio").last.check()
    conflicts.nth(1).get_by_label("Result, edit freely").fill("renews in May")
    page.locator("[data-save]").click(force=True)

    expect(page.locator("[data-toast]")).to_contain_text("Saved version 5")
    expect(page.locator("main")).to_contain_text("Acme Corp")
    for text in ("seats: 250", "renews in May", "phone: 112"):
        expect(page.locator("main")).to_contain_text(text)


def test_keys_lead_from_conflict_to_conflict_and_saving_waits(browser: Browser, agent: Agent) -> None:
    with watching_as_them(browser, agent.server) as watched:
        page = watched.page
        page.on("dialog", lambda dialog: dialog.accept())
        late(page, agent, "keys.md")
        first, second = page.locator("[data-conflict]").nth(0), page.locator("[data-conflict]").nth(1)
        page.keyboard.press("n")
        expect(first.get_by_role("radio").first).to_be_focused()
        page.keyboard.press("n")
        expect(second.get_by_role("radio").first).to_be_focused()
        page.locator("[data-save]").click(force=True)
        expect(first.get_by_role("radio").first).to_be_focused()
        expect(page.locator("[data-merge]")).to_be_visible()
        first.get_by_role("radio").nth(1).check()
        first.get_by_role("radio").last.check()
        expect(first.get_by_label("Result, edit freely")).to_have_value("seats: 250\n")
        page.get_by_role("button", name="Take all of mine").click()
        expect(page.locator("#left")).to_have_text("All conflicts are settled.")
        page.get_by_role("button", name="Preview result").click()
        expect(page.get_by_role("heading", name="What saving would change in version 4")).to_be_focused()
        page.locator("details.auto summary").click()
        for width, height in {**WIDTHS, NARROWEST: 800}.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                watched.assert_accessible()
            watched.assert_no_sideways_scrolling()
