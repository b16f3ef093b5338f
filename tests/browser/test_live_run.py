"""A run's page while the run goes on: what comes by itself, and what a person had done there stays."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Watched
from tests.browser.live import PATIENCE_MS, TICKET, agent_at, start, watching_as_them
from tests.support.server import Server

pytestmark = pytest.mark.browser

PACE = "0.03"
WRITING = ".msg[aria-busy=true]"
NOTE = "Please remember that Globex has 300 seats now."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose runs take a few seconds."""
    with agent_at(tmp_path_factory.mktemp("live"), PACE) as server:
        yield server


@pytest.fixture
def watched(browser: Browser, server: Server) -> Iterator[Watched]:
    """A page of somebody signed in there."""
    with watching_as_them(browser, server) as watched:
        yield watched


def test_turns_come_by_themselves_and_what_was_typed_and_opened_stays(watched: Watched) -> None:
    page = watched.page
    start(page, TICKET.format(4824))
    composer = page.get_by_label("Message to Support desk")
    composer.fill("half a thought")

    first = page.locator("#log details.tool").first
    expect(first).to_be_visible(timeout=PATIENCE_MS)
    first.locator("summary").click()
    composer.focus()
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)

    expect(composer).to_have_value("half a thought")
    expect(composer).to_be_focused()
    assert first.get_attribute("open") is not None
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(page.locator("[data-region=announcer]")).to_have_text("Finished")
    assert page.locator("#log .msg").count() > 3


def test_text_streams_into_the_turn_while_it_is_written(watched: Watched) -> None:
    page = watched.page
    start(page, TICKET.format(4821))

    expect(page.locator(WRITING).locator(".txt").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)

    expect(page.locator(WRITING)).to_have_count(0)
    expect(page.locator("[id^=draft-]")).to_have_count(0)


def test_a_message_sent_here_wakes_a_run_that_has_ended(watched: Watched) -> None:
    page = watched.page
    start(page, "How many seats does Globex have?")
    finished = page.locator("#run-head").get_by_text("Finished")
    expect(finished).to_be_visible(timeout=PATIENCE_MS)
    before = page.locator("#log .msg").count()

    composer = page.get_by_label("Message to Support desk")
    composer.fill("What do you know about Globex?")
    composer.press("Control+Enter")

    expect(page.get_by_text("What do you know about Globex?")).to_be_visible(timeout=PATIENCE_MS)
    expect(composer).to_have_value("")
    expect(page.locator("#log .msg")).not_to_have_count(before + 1, timeout=PATIENCE_MS)
    expect(finished).to_be_visible(timeout=PATIENCE_MS)
    assert page.url.rstrip("/").split("/")[-1] != "message"


def test_calls_further_up_say_that_their_text_has_changed_as_it_does(watched: Watched) -> None:
    page = watched.page
    marks = page.locator("#log summary").get_by_text("This text has changed since")
    finished = page.locator("#run-head").get_by_text("Finished")
    start(page, TICKET.format(4828))
    expect(finished).to_be_visible(timeout=PATIENCE_MS)
    composer = page.get_by_label("Message to Support desk")
    composer.fill(TICKET.format(4829))
    composer.press("Control+Enter")
    expect(page.locator("#log").get_by_text("4829").first).to_be_visible(timeout=PATIENCE_MS)
    expect(finished).to_be_visible(timeout=PATIENCE_MS)
    followed, calls = marks.count(), page.locator("#log details").count()

    page.reload()

    expect(marks).to_have_count(followed)
    expect(page.locator("#log details")).to_have_count(calls)
    assert followed > 0


def test_the_rail_counts_the_run_while_it_is_live(watched: Watched) -> None:
    page = watched.page
    rail = page.get_by_role("navigation", name="Main", exact=True)
    runs = rail.get_by_role("link", name="Runs")
    start(page, "How many seats does Globex have?")
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)
    expect(runs).to_have_text("Runs")

    composer = page.get_by_label("Message to Support desk")
    composer.fill(TICKET.format(4827))
    composer.press("Control+Enter")
    expect(runs).to_have_text("Runs1 live")
    page.get_by_role("button", name="Cancel run").click()

    expect(runs).to_have_text("Runs")
    expect(runs).to_have_attribute("aria-current", "page")


def test_without_a_stream_the_page_asks_for_the_news(watched: Watched) -> None:
    page = watched.page
    asked: list[str] = []
    page.route("**/events?*", refuse)
    page.on("request", lambda request: asked.append(request.url) if "/log?since=" in request.url else None)

    start(page, NOTE)
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)

    assert len(asked) > 1
    assert page.locator("#log .msg").count() > 3
    expect(page.locator("[data-paused]")).to_be_hidden()
    watched.complaints.clear()  # the browser complains about the stream that this test has refused


def refuse(route: Route) -> None:
    """Answer as a server does that has too many streams open."""
    route.fulfill(status=429, body="")


def test_a_reader_further_up_is_left_there(watched: Watched) -> None:
    page = watched.page
    page.set_viewport_size({"width": 1440, "height": 420})
    start(page, TICKET.format(4823))
    pane = page.locator("[data-run]")
    expect(page.locator("#turn-3")).to_be_attached(timeout=PATIENCE_MS)
    at_end = pane.evaluate("pane => pane.scrollHeight - pane.scrollTop - pane.clientHeight")

    pane.evaluate("pane => { pane.scrollTop = 0 }")
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)

    assert at_end < 200
    assert pane.evaluate("pane => pane.scrollTop") == 0


def test_a_run_is_cancelled_from_its_page_within_a_moment(watched: Watched) -> None:
    page = watched.page
    start(page, TICKET.format(4822))
    expect(page.locator(WRITING)).to_be_visible(timeout=PATIENCE_MS)

    page.get_by_role("button", name="Cancel run").click()

    expect(page.locator(".run-state .badge")).to_contain_text("Cancelled by", timeout=3000)
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


def test_the_download_is_json(watched: Watched) -> None:
    page = watched.page
    start(page, "How many seats does Globex have?")
    expect(page.locator("#run-head").get_by_text("Finished")).to_be_visible(timeout=PATIENCE_MS)

    with page.expect_download() as download:
        page.get_by_role("link", name="Download as JSON").click()

    assert json.loads(download.value.path().read_text())["run"]["state"] == "done"
