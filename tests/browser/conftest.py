"""Chromium, servers to open pages of, and what a page must not do: load from elsewhere, break the policy, complain."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

CHROMIUM = next(filter(Path.exists, map(Path, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium"))), None)
"""The shell without a browser's own windows does the same with less; None where there is neither."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=SpareRendererForSitePerProcess",
    "--in-process-gpu",
]
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
WIDTHS = {1440: 900, 390: 844}
NARROWEST = 320
ALL_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""What axe finds of colours. Everything else it looks at is the same in both themes."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the module's tests.

    Not for the session: Playwright leaves its event loop running in this thread, and Django then refuses the database
    to every test that comes in between.
    """
    if CHROMIUM is None:
        missing = "needs Chromium: the package chromium-headless-shell or chromium"
        if "browser" in os.environ.get("MEMDASH_TEST_REQUIRE", ""):
            pytest.fail(f"MEMDASH_TEST_REQUIRE asks for a browser; {missing}")
        pytest.skip(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass(frozen=True)
class Site:
    """A running server: where it is, who is signed in, the path of each case or the hostile pages by kind."""

    address: str
    cookie: Any
    paths: dict[str, str | None]
    pages: dict[str, list[str]] = field(default_factory=dict)


@contextmanager
def serving(rows: int | Literal["hostile"]) -> Iterator[Site]:
    """Serve pages with so many rows of each kind, or with payloads everywhere."""
    command = [sys.executable, "-m", "tests.browser.site", str(rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line, "the server did not start; its last words are above"
            yield Site(**json.loads(line))
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def empty_site() -> Iterator[Site]:
    """A site without a row."""
    with serving(0) as site:
        yield site


@pytest.fixture(scope="session")
def small_site() -> Iterator[Site]:
    """A site with one row of each kind."""
    with serving(1) as site:
        yield site


@pytest.fixture(scope="session")
def large_site() -> Iterator[Site]:
    """A site with a thousand rows of each kind."""
    with serving(1000) as site:
        yield site


@pytest.fixture(scope="module")
def own_site() -> Iterator[Site]:
    """A site that no other module looks at, for tests that change it."""
    with serving(1) as site:
        yield site


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Site:
    """The site whose fixture the test was parametrized with."""
    found: Site = request.getfixturevalue(request.param)
    return found


@dataclass
class Watched:
    """A page and what went wrong in it since it was opened."""

    page: Page
    site: Site
    violations: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def open(self, path: str) -> int:
        """Go to a path, wait until all it names has come, and return the status of the answer."""
        response = self.page.goto(self.site.address + path)
        assert response is not None
        return response.status

    def assert_clean(self) -> None:
        """Fail when the page broke the policy, wrote errors to the console or asked another host."""
        assert not self.violations, self.violations
        assert not self.complaints, self.complaints
        assert not self.strangers, self.strangers

    def assert_fits_every_size_and_theme(self) -> None:
        """Fail when axe finds anything or the page is too wide, wide or narrow, light or dark."""
        for width, height in WIDTHS.items():
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.emulate_media(color_scheme="light")
            self.assert_accessible()
            self.page.emulate_media(color_scheme="dark")
            self.assert_accessible(COLOUR_RULES)
            self.assert_no_sideways_scrolling()
        self.page.set_viewport_size({"width": NARROWEST, "height": 844})
        self.assert_no_sideways_scrolling()

    def assert_no_sideways_scrolling(self) -> None:
        """Fail when the document is wider than the window, or one of its parts is wider than its place and cut off."""
        over = self.page.evaluate(OVER)
        assert over <= 0, f"{over} px too wide at {self.page.viewport_size}: {self.page.evaluate(WIDEST)}"

    def assert_accessible(self, rules: Sequence[str] = ALL_RULES) -> None:
        """Fail when axe finds anything, naming the rule and the element."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(Axe().axe_script)
        found = self.page.evaluate(
            "options => axe.run(document, options).then(result => result.violations)",
            {"runOnly": rules, "resultTypes": ["violations"]},
        )
        assert not found, [(rule["id"], [node["html"][:200] for node in rule["nodes"]][:5]) for rule in found]


OVER = """Math.max(...[document.documentElement, ...document.querySelectorAll("main, .head, .title, .crumbs, .file-h")]
    .map(part => part.scrollWidth - part.clientWidth))"""
WIDEST = """[...document.querySelectorAll("body *")]
    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5).map(element => element.outerHTML.slice(0, 120))"""


@contextmanager
def watching(
    browser: Browser, site: Site, *, width: int = 1440, scripts: bool = True, signed_in: bool = True
) -> Iterator[Watched]:
    """Open a page of the site in a context of its own and watch what it does."""
    with _context(browser, site, scripts, signed_in) as context:
        yield _watch(context.new_page(), context, site, width)


class Looking(Protocol):
    """What the fixture ``looking`` gives."""

    def __call__(
        self, site: Site, *, width: int = 1440, scripts: bool = True, signed_in: bool = True
    ) -> AbstractContextManager[Watched]:
        """Open a page of the site and watch what it does."""


@pytest.fixture(scope="module")
def looking(browser: Browser) -> Iterator[Looking]:
    """Open pages that are only read: their contexts stay for the module, and with them what pages have fetched."""
    with ExitStack() as stack:
        kept: dict[tuple[str, bool, bool], BrowserContext] = {}

        @contextmanager
        def look(site: Site, *, width: int = 1440, scripts: bool = True, signed_in: bool = True) -> Iterator[Watched]:
            key = (site.address, scripts, signed_in)
            if key not in kept:
                kept[key] = stack.enter_context(_context(browser, site, scripts, signed_in))
            page = kept[key].new_page()
            yield _watch(page, page, site, width)
            page.close()

        yield look


@contextmanager
def _context(browser: Browser, site: Site, scripts: bool, signed_in: bool) -> Iterator[BrowserContext]:
    context = browser.new_context(java_script_enabled=scripts, reduced_motion="reduce", base_url=site.address)
    try:
        if signed_in:
            context.add_cookies([site.cookie])
        yield context
    finally:
        context.close()


def _watch(page: Page, scope: BrowserContext | Page, site: Site, width: int) -> Watched:
    """Watch the page, and what it opens where ``scope`` is the whole context."""
    watched = Watched(page, site)
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    scope.expose_binding("reportViolation", lambda _, text: watched.violations.append(text))
    scope.add_init_script(
        "document.addEventListener('securitypolicyviolation', event =>"
        " window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`))"
    )
    scope.on("request", lambda request: _note_stranger(watched, request.url))
    page.on("console", lambda message: _note_complaint(watched, message))
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    return watched


def _note_stranger(watched: Watched, url: str) -> None:
    if not url.startswith((watched.site.address, "data:", "about:")):
        watched.strangers.append(url)


def _note_complaint(watched: Watched, message: Any) -> None:
    # An error page's own status is reported as a failed resource; that is what was asked for.
    own_status = "Failed to load resource" in message.text and message.location["url"] == watched.page.url
    if message.type == "error" and not own_status:
        watched.complaints.append(f"{message.text} {message.location}")
