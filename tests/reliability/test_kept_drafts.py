"""What somebody typed and did not save outlives the process that serves the editor."""

import re
from pathlib import Path

from tests.support.server import Browser, up

EDIT = re.compile(r'href="(/files/[0-9a-f-]+/edit)"')
HIDDEN = re.compile(r'<input type="hidden" name="(base_\w+)" value="([^"]*)"')


def opened(browser: Browser, address: str) -> tuple[str, dict[str, str]]:
    """Return the page of the editor and what its form sends beside the text."""
    status, html = browser.get(address)
    assert status == 200, html
    return html, dict(HIDDEN.findall(html))


def test_a_draft_outlives_a_server_that_is_killed_and_a_save_that_never_came(tmp_path: Path) -> None:
    with up(tmp_path / "data") as server:
        server.sign_in()
        server.browser.post("/stores/new", name="Notes", slug="notes", description="")
        new = "/stores/notes/new-file"
        _, file = server.browser.post(new, path="a.md", text="tea\r\n", note="")
        found = EDIT.search(file)
        assert found, file
        edit = found[1]
        _, hidden = opened(server.browser, edit)
        server.browser.post(edit.replace("/edit", "/draft"), page=edit, text="tea\r\nand milk\r\n", **hidden)
        server.browser.post(f"{new}/draft", page=new, path="b.md", text="bread\r\n")
        cookies = list(server.browser.cookies)
        server.kill()

    with up(tmp_path / "data") as server:
        for cookie in cookies:
            server.browser.cookies.set_cookie(cookie)
        edited, hidden = opened(server.browser, edit)
        begun, _ = opened(server.browser, f"{new}?path=b.md")
        _, saved = server.browser.post(edit, text="tea\r\nand milk\r\n", note="", **hidden)

    assert "tea\nand milk\n</textarea>" in edited
    assert "Your unsaved text is back" in edited
    assert "bread\n</textarea>" in begun
    assert "Saved version 2 of a.md." in saved
