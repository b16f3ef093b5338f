"""Messages that wait for a busy agent, on the page of its run."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, Watched, watching
from tests.browser.live import TICKET, agent_at, start, watching_as_them
from tests.support.server import Server

pytestmark = pytest.mark.browser

PACE = "0.5"
"""So slow that no answer is whole before a test has sent its message and acted on it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose agent is busy for a minute."""
    with agent_at(tmp_path_factory.mktemp("slow"), PACE) as server:
        yield server


@pytest.fixture
def watched(browser: Browser, server: Server) -> Iterator[Watched]:
    """A page of somebody signed in there; the run that it shows in the end is cancelled."""
    with watching_as_them(browser, server) as watched:
        yield watched
        cancel = watched.page.get_by_role("button", name="Cancel run")
        if cancel.is_visible():
            cancel.click()


def send(page: Page, text: str) -> None:
    """Send a message and see it wait."""
    composer = page.get_by_label("Message to Support desk")
    composer.fill(text)
    composer.press("Control+Enter")
    expect(page.locator("#run-pending").get_by_text(text)).to_be_visible()
    expect(composer).to_have_value("")


def test_a_message_that_waits_is_withdrawn_in_place(watched: Watched) -> None:
    page = watched.page
    start(page, TICKET.format(4825))
    composer = page.get_by_label("Message to Support desk")
    send(page, "And hurry")
    composer.fill("half a thought")

    page.get_by_role("button", name="Withdraw").press("Enter")

    expect(page.locator("#run-pending .msg")).to_have_count(0)
    expect(page.get_by_text("Withdrawn. The agent does not get that message.")).to_be_visible()
    expect(composer).to_have_value("half a thought")
    expect(page.locator("[data-run]")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#run-pending").get_by_text("And hurry")).to_be_visible()


def test_after_a_cancel_the_page_says_what_waits_and_what_sending_does(watched: Watched) -> None:
    page = watched.page
    start(page, TICKET.format(4826))
    composer = page.get_by_label("Message to Support desk")
    expect(composer).to_have_accessible_description("Sent when the agent is free. Ctrl Enter sends.")
    send(page, "And hurry")
    page.get_by_role("button", name="Cancel run").click()

    expect(page.get_by_text("The message that waits was not sent.")).to_be_visible()
    expect(composer).to_have_accessible_description(re.compile("^Sending starts the cancelled run again"))
    watched.assert_fits_every_size_and_theme()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("#run-pending .msg")).to_have_count(0)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_keys_are_named_where_they_do_something(browser: Browser, small_site: Site, scripts: bool) -> None:
    with watching(browser, small_site, scripts=scripts) as watched:
        for route in ("agents:run", "agents:message", "agents:new-run"):
            watched.open(small_site.paths[route] or "")
            hint = watched.page.get_by_text("Ctrl Enter")
            watched.page.set_viewport_size({"width": 1440, "height": 900})
            expect(hint).to_be_visible(visible=scripts)
            watched.page.set_viewport_size({"width": 390, "height": 844})
            expect(hint).to_be_hidden()
