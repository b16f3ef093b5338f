"""The editor's form as a browser fills it in and sends it: every line end as CRLF."""

import re
from html import unescape
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from memories.diffs import with_line_feeds
from memories.models import MemoryEntry, MemoryStore

HTMX = {"HX-Request": "true"}
_HIDDEN = re.compile(r'<input type="hidden" name="(base_\w+|draft)" value="([^"]*)"')
_TEXT = re.compile(r"<textarea[^>]*>\n?(.*?)</textarea>", re.DOTALL)


class Editor:
    """The editor of a file as somebody has it open; ``text`` is what stands in it."""

    def __init__(self, browser: Client, address: str, html: str) -> None:
        self.browser, self.address, self.html = browser, address, html
        self.hidden = dict(_HIDDEN.findall(html))
        found = _TEXT.search(html)
        assert found, html
        self.text = with_line_feeds(unescape(found[1]))

    def send(self, text: str | None = None, *, to: str = "", part: bool = False, **fields: str) -> Any:
        """Send the form with another text, if one is given, to its own address or to the one below that.

        What htmx puts into the form as a ``part`` of the page is sent with it from then on.
        """
        typed = (self.text if text is None else text).replace("\r\n", "\n").replace("\n", "\r\n")
        answer = self.browser.post(
            to or self.address, {**self.hidden, "text": typed, "note": "", **fields}, headers=HTMX if part else {}
        )
        if part and "Your changes" in (html := answer.content.decode()):
            self.hidden.pop("draft", None)
            self.hidden |= dict(_HIDDEN.findall(html))
        return answer


def opened(browser: Client, entry: MemoryEntry, query: str = "") -> Editor:
    """Open the editor of a file."""
    address = reverse("memories:edit", args=[entry.uuid])
    answer = browser.get(address + query)
    assert answer.status_code == 200, (answer.status_code, address)
    return Editor(browser, address, answer.content.decode())


def begun(browser: Client, memory: MemoryStore, path: str = "") -> Editor:
    """Open the editor of a file that is to be made."""
    address = reverse("memories:new-file", args=[memory.slug])
    return Editor(browser, address, browser.get(address, {"path": path} if path else {}).content.decode())


def shown(answer: HttpResponse) -> Editor:
    """Return the editor, or the page with both texts, that an answer holds."""
    return Editor(answer.client, answer.request["PATH_INFO"], answer.content.decode())  # type: ignore[attr-defined]
