"""The page of a run that is led elsewhere: at every size and in both themes, and while calls come in."""

import json
import re
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Watched
from tests.browser.live import PATIENCE_MS, watching_as_them
from tests.support.new_token import token_at
from tests.support.server import LINK, Server, up

pytestmark = pytest.mark.browser

NOTES = "/memories/suppliers/acme.md"
ASKED = "Book the invoices that came in today."


class Elsewhere:
    """A program with a token, and the server it calls."""

    def __init__(self, server: Server, slug: str, secret: str) -> None:
        self.server = server
        self._url = f"{server.address}/api/v1/stores/{slug}/memory"
        self._headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def call(self, command: str, turn: int, **fields: object) -> None:
        """Send a call of its one session."""
        body = {"command": command, "turn": turn, "session": "s-1", "cause": ASKED, **fields}
        with urlopen(Request(self._url, json.dumps(body).encode(), self._headers), timeout=30) as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """A program that has viewed, written, failed, and named what it read."""
    data = tmp_path_factory.mktemp("outside") / "data"
    with up(data) as server:
        server.browser.sign_in(server.wait_for(LINK)[0])
        program = Elsewhere(server, *token_at(data))
        program.call("view", 1, path="/memories")
        program.call(
            "create", 2, path=NOTES, file_text="# Acme\n\n- pays in 30 days\n", external="https://acme.example"
        )
        program.call("str_replace", 3, path=NOTES, old_str="60", new_str="14", cause="Mend it. " * 200)
        program.call("str_replace", 3, path=NOTES, old_str="30", new_str="14", cause="Mend it. " * 200)
        yield program


@pytest.fixture
def watched(browser: Browser, elsewhere: Elsewhere) -> Iterator[Watched]:
    """The page of the run."""
    with watching_as_them(browser, elsewhere.server) as watched:
        watched.page.goto("/runs/")
        watched.page.get_by_role("link", name=ASKED).click()
        watched.page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}/"))
        yield watched


def test_the_page_is_accessible_and_never_too_wide(watched: Watched) -> None:
    page = watched.page
    for details in page.locator("#log details").all():
        details.evaluate("element => { element.open = true; }")

    watched.assert_fits_every_size_and_theme()


def test_calls_come_by_themselves_and_what_was_opened_stays(watched: Watched, elsewhere: Elsewhere) -> None:
    page = watched.page
    first = page.locator("#step-1 details")
    first.locator("summary").click()
    before = page.locator("#log [id^=step-]").count()

    elsewhere.call("insert", 4, path=NOTES, insert_line=0, insert_text="<!-- checked -->\n")

    expect(page.locator("#turn-4")).to_be_visible(timeout=PATIENCE_MS)
    assert page.locator("#log [id^=step-]").count() == before + 1
    assert first.get_attribute("open") is not None
    expect(page.locator("#run-facts")).to_contain_text("+5")
    expect(page.locator("[data-paused]")).to_be_hidden()


def test_a_call_has_a_page_of_its_own_and_the_way_back(watched: Watched) -> None:
    page = watched.page
    page.locator("#step-2 summary").click()
    page.locator("#step-2").get_by_role("link", name="What was asked and answered").click()

    expect(page.get_by_role("heading", name="Told with it")).to_be_visible()
    watched.assert_accessible()
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name=ASKED).click()
    expect(page.locator("#step-2")).to_be_visible()
