"""From "Connect an agent" to the first call of the program that was pasted, with and without scripts."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from agents.demo import SUPPORT_DESK
from agents.demo.server import DemoServer
from tests.browser.live import watching_as_them
from tests.support.server import LINK, Server, up

pytestmark = pytest.mark.browser

MODEL = "claude-opus-5-5"
"""The model that programs to paste ask for; here the demo model answers under its name."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A new installation, and its operator signed in."""
    with up(tmp_path / "data") as server:
        server.browser.sign_in(server.wait_for(LINK)[0])
        yield server


def connect(page: Page, name: str) -> str:
    """Connect an agent that runs elsewhere and return its secret."""
    page.goto("/")
    page.get_by_role("link", name="Connect an agent").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_text("Shown once")).to_be_visible()
    return page.get_by_label("The token", exact=True).text_content() or ""


def pasted(page: Page, secret: str, language: str) -> subprocess.CompletedProcess[str]:
    """Run the program of that language as it stands on the page, in a process of its own."""
    page.get_by_role("radio", name=language, exact=True).check(force=True)
    program = page.get_by_role("region", name=f"Program, {language}", exact=True)
    expect(program).to_be_visible()
    with DemoServer(pace=0, also={MODEL: SUPPORT_DESK}) as model:
        keys = {"MEMDASH_TOKEN": secret, "ANTHROPIC_API_KEY": "any-key", "ANTHROPIC_BASE_URL": model.url}
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", program.text_content() or ""],
            env={**os.environ, **keys},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def test_the_program_on_the_page_runs_as_it_stands_and_its_first_call_shows_up(
    browser: Browser, server: Server
) -> None:
    with watching_as_them(browser, server) as watched:
        page = watched.page
        secret = connect(page, "Invoice helper")
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()
        watched.assert_fits_every_size_and_theme()

        pasted(page, f"{secret[:-4]}wxyz", "Python")
        expect(page.get_by_text(f"ends in wxyz. This agent’s ends in {secret[-4:]}.")).to_be_visible()
        watched.assert_fits_every_size_and_theme()
        ran = pasted(page, secret, "Python")

        assert ran.returncode == 0, ran.stderr
        expect(page.get_by_text("Connected")).to_be_visible()
        expect(page.locator("#first-call").get_by_text("view", exact=True)).to_be_visible()
        expect(page.get_by_text("Waiting for the first call")).to_have_count(0)
        watched.assert_fits_every_size_and_theme()
        page.get_by_role("link", name="Its run").click()
        expect(page.get_by_role("heading", name="What do you know about Acme Corp?")).to_be_visible()


def test_without_scripts_the_page_shows_the_first_call_when_it_is_opened_again(
    browser: Browser, server: Server
) -> None:
    with watching_as_them(browser, server, scripts=False) as watched:
        page = watched.page
        secret = connect(page, "Invoice helper")
        ran = pasted(page, secret, "Python, a loop of your own")
        assert ran.returncode == 0, ran.stderr

        page.get_by_role("link", name="Look again").click()

        expect(page.get_by_text("Connected")).to_be_visible()
        assert secret not in page.content()


def test_a_secret_is_gone_when_the_page_is_opened_again_and_its_token_can_be_revoked(
    browser: Browser, server: Server
) -> None:
    with watching_as_them(browser, server) as watched:
        page = watched.page
        secret = connect(page, "Invoice helper")
        assert secret not in page.url

        page.reload()
        expect(page.get_by_text("That token was made before")).to_be_visible()
        assert secret not in page.content()
        page.goto("/tokens/")
        page.get_by_role("link", name="Revoke Invoice helper").click()
        page.get_by_role("button", name="Revoke token").click()

        expect(page.get_by_text("Revoked Invoice helper. Its next call is refused.")).to_be_visible()
        assert page.url.partition("#")[2].startswith("token-")


def test_what_a_way_to_run_needs_shows_when_it_is_chosen(browser: Browser, server: Server) -> None:
    with watching_as_them(browser, server, scripts=False) as watched:
        page = watched.page
        page.goto("/agents/connect")
        expect(page.get_by_label("Folder on this server", exact=True)).to_be_hidden()

        page.get_by_label("Is a folder").check()

        expect(page.get_by_label("Folder on this server", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name="Token")).to_be_hidden()


def test_a_folder_is_connected_and_what_is_in_it_is_taken(browser: Browser, server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("- Assam\n")
    with watching_as_them(browser, server) as watched:
        page = watched.page
        page.goto("/agents/connect")
        page.get_by_label("Is a folder").check()
        page.get_by_label("Name", exact=True).fill("Notes")
        page.get_by_label("Folder on this server", exact=True).fill(str(tmp_path / "gone"))
        page.get_by_role("button", name="Connect").click()
        expect(page.get_by_text("is not there, or cannot be looked into.").first).to_be_visible()
        watched.assert_fits_every_size_and_theme()

        page.get_by_label("Folder on this server", exact=True).fill(str(folder))
        page.get_by_role("button", name="Connect").click()

        expect(page.get_by_role("heading", name="Followed folder")).to_be_visible()
        taken = page.locator("dl").get_by_text("1", exact=True)
        for _ in range(40):
            if taken.is_visible():
                break
            page.wait_for_timeout(250)
            page.reload()
        expect(taken).to_be_visible()
        watched.assert_fits_every_size_and_theme()


def test_a_token_is_made_among_the_others_and_its_secret_can_be_copied(browser: Browser, server: Server) -> None:
    with watching_as_them(browser, server) as watched:
        page = watched.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
        connect(page, "Invoice helper")
        page.goto("/tokens/")
        page.get_by_label("Name", exact=True).fill("Nightly copy")
        page.get_by_label("Read", exact=True).check()
        page.get_by_label("Ends").select_option("never")
        page.get_by_role("button", name="Make token").click()

        secret = page.get_by_label("The token", exact=True).text_content()
        page.get_by_role("button", name="Copy").click()

        assert page.evaluate("navigator.clipboard.readText()") == secret
        expect(page.get_by_role("row", name="Nightly copy").get_by_text("No end")).to_be_visible()
        watched.assert_fits_every_size_and_theme()
