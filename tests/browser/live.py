"""A server with an agent of the scripted demo model, to follow runs on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site, Watched, watching
from tests.support.server import LINK, Server, up

PATIENCE_MS = 30_000
TICKET = "Reply to ticket {} from Globex: the export job times out above 50,000 rows."
"""Takes many turns, the last of which is a long one."""

AGENT = {
    "name": "Support desk",
    "model": "demo/support-desk",
    "other_model": "",
    "system_prompt": "",
    "max_output_tokens": "8192",
    "max_turns": "40",
    "max_run_output_tokens": "",
    "max_minutes": "",
    "max_cost": "",
    "context_trigger": "100000",
    "context_keep": "3",
    "compaction_trigger": "150000",
    "store": "",
}


@contextmanager
def agent_at(folder: Path, pace: str) -> Iterator[Server]:
    """Serve an agent whose answers take ``pace`` seconds for each part of them, and somebody signed in."""
    with up(folder / "data", MEMDASH_DEMO_PACE=pace) as server:
        server.browser.sign_in(server.wait_for(LINK)[0])
        server.browser.post("/agents/new", **AGENT)
        yield server


@contextmanager
def watching_as_them(browser: Browser, server: Server, *, scripts: bool = True) -> Iterator[Watched]:
    """Open a page of that person, which must stay clean."""
    cookies = [{"name": cookie.name, "value": cookie.value, "url": server.address} for cookie in server.browser.cookies]
    site = Site(server.address, cookie=None, paths={}, pages={})
    with watching(browser, site, scripts=scripts, signed_in=False) as watched:
        watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]
        yield watched
        watched.assert_clean()


def start(page: Page, text: str) -> None:
    """Start a run and wait for its page."""
    page.goto("/runs/new?agent=support-desk")
    page.get_by_label("Message").fill(text)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}/"))
