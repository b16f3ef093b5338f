"""No text in memory runs, loads or hides: every payload in every place, opened in a browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from memdash.web import hidden_text
from tests.browser.conftest import Site, Watched, browser, serving, watching
from tests.browser.hostile import PAYLOADS, PLACES

__all__ = ["browser"]
pytestmark = pytest.mark.browser

TO_THE_LETTER = {"raw", "run"}
SAMPLED = {"folder": 3, "edit": 3, "new-file": 3}
"""Pages that show payloads as others do, of which every third is opened; one page more shows them all at once."""


@pytest.fixture(scope="module")
def hostile_site() -> Iterator[Site]:
    """A site in which everything is named and filled with payloads."""
    with serving("hostile") as site:
        yield site


@pytest.fixture
def watched(browser: Browser, hostile_site: Site) -> Iterator[Watched]:
    """A page that counts calls of ``__xss`` as complaints and must stay clean."""
    with watching(browser, hostile_site) as watched:
        watched.page.expose_binding("__xss", lambda _, number: watched.complaints.append(f"payload {number} ran"))
        yield watched
        watched.assert_clean()


@pytest.mark.parametrize("kind", [*PLACES, "edit", "new-file", "folder", "run", "settings"])
def test_no_payload_runs_or_loads_anything_and_html_is_there_to_be_read(
    watched: Watched, hostile_site: Site, kind: str
) -> None:
    pages = list(zip(PAYLOADS, hostile_site.pages[kind], strict=True))
    for case, address in pages[:: SAMPLED.get(kind, 1)]:
        assert watched.open(address) == 200, case
        watched.page.mouse.move(600, 400)

        watched.assert_clean()
        if kind in TO_THE_LETTER and case["kind"] == "html":
            shown = watched.page.locator("main").inner_text()
            assert squeezed(hidden_text.spell(case["payload"])) in squeezed(shown), case


def test_lists_of_hostile_names_run_and_load_nothing(watched: Watched, hostile_site: Site) -> None:
    for address in hostile_site.pages["lists"]:
        assert watched.open(address) == 200

        watched.assert_clean()


def test_what_programs_elsewhere_and_editors_bring_runs_and_loads_nothing_and_is_there_to_be_read(
    watched: Watched, hostile_site: Site
) -> None:
    shown = ""
    for address in hostile_site.pages["together"]:
        assert watched.open(address) == 200, address
        watched.page.mouse.move(600, 400)

        watched.assert_clean()
        shown += squeezed(watched.page.locator("main").inner_text())

    html = [case["payload"] for case in PAYLOADS if case["kind"] == "html"]
    assert [payload for payload in html if squeezed(hidden_text.spell(payload)) not in shown] == []


def squeezed(text: str) -> str:
    """Return the text without white space, which pages may show otherwise."""
    return re.sub(r"\s+", "", text)
