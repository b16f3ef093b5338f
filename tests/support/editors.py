"""The editor's form as a browser fills it in and sends it: every line end as CRLF."""

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from memories.diffs import with_line_feeds
from memories.models import MemoryEntry, MemoryStore

HTMX = {"HX-Request": "true"}
_HIDDEN = re.compile(r'<input type="hidden" name="(base_\w+|against_\w+|draft|page)" value="([^"]*)"')
_ACTION = re.compile(r'id="editor" method="post" action="([^"]*)"')
_TYPED = re.compile(r'<textarea[^>]* name="(hand-[^"]*)"[^>]*>\n?(.*?)</textarea>', re.DOTALL)
_CHECKED = re.compile(r'name="(choice-[^"]*)" value="(\w+)" checked')
_CARRIED = re.compile(r'<input type="hidden" name="(choice-[^"]*)" value="(\w+)">')
_TEXT = re.compile(r"<textarea[^>]*>\n?(.*?)</textarea>", re.DOTALL)


class Editor:
    """The editor of a file as somebody has it open, or the page of a merge; ``text`` is what stands in it.

    ``choices`` are what is chosen for conflicts, ``typed`` their fields for words of one's own, both by their names.
    """

    def __init__(self, browser: Client, address: str, html: str) -> None:
        self.browser, self.address, self.html = browser, address, html
        self.hidden = dict(_HIDDEN.findall(html))
        self.choices: dict[str, str] = dict(_CHECKED.findall(html) + _CARRIED.findall(html))
        self.typed = {name: unescape(words) for name, words in _TYPED.findall(html)}
        found = _TEXT.search(html)
        assert found, html
        self.text = with_line_feeds(unescape(found[1]))

    def send(self, text: str | None = None, *, to: str = "", part: bool = False, **fields: str) -> Any:
        """Send the form with another text, if one is given, to its own address or to the one below that.

        What htmx puts into the form as a ``part`` of the page is sent with it from then on.
        """
        typed = (self.text if text is None else text).replace("\r\n", "\n").replace("\n", "\r\n")
        answer = self.browser.post(
            to or self.address,
            {**self.hidden, **self.choices, **self.typed, "text": typed, "note": "", **fields},
            headers=HTMX if part else {},
        )
        if part and "Your changes" in (html := answer.content.decode()):
            self.hidden.pop("draft", None)
            self.hidden |= dict(_HIDDEN.findall(html))
        return answer


def settle(page: Editor, button: str, *choices: str, value: str = "1") -> Any:
    """Choose for the conflicts of a page in order, press one of its buttons, and return the answer."""
    page.choices |= {f"choice-{key}": choice for key, choice in zip(conflicts(page), choices, strict=False)}
    return page.send(**{button: value})  # type: ignore[arg-type]


def conflicts(page: Editor) -> list[str]:
    """Return the keys of the conflicts that a page of a merge asks about, in order."""
    return re.findall(r'id="c-([^"]+)"', page.html)


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


def shown(answer: Any) -> Editor:
    """Return the editor, or the page with both texts, that an answer holds."""
    html = answer.content.decode()
    found = _ACTION.search(html)
    assert found, html
    return Editor(answer.client, unescape(found[1]), html)
