"""The agent's view: what ``view`` answers now, byte for byte, without counting as access."""

import html as markup
import re

import pytest
from django.test import Client
from django.urls import reverse

from memories import store as memory
from memories import tool
from memories.models import MemoryStore, ReadEvent, Role
from tests.support.files import page, remove, write, write_image
from tests.support.people import browser_of, member
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a viewer of the store."""
    return browser_of(member(store, Role.VIEWER))


def url(store: MemoryStore, path: str = "", query: str = "") -> str:
    return reverse("memories:agent-view", kwargs={"slug": store.slug, **({"path": path} if path else {})}) + query


def output_of(html: str) -> str:
    """Return the text of the output as a reader would copy it."""
    shown = re.search(r'id="tool-result">(.*?)</div>', html, re.DOTALL)
    assert shown
    return markup.unescape(re.sub(r"</?[iu]>", "", shown[1]))


@pytest.mark.parametrize("path", ["", "notes.md", "d", "missing.md"])
def test_the_output_is_what_the_tool_answers_an_agent(store: MemoryStore, browser: Client, path: str) -> None:
    write(store, "notes.md", "a\tb  c \n\n<i>& é\n")
    write(store, "d/x.md", "x\n")

    html = page(browser, url(store, path))

    answer = tool.execute(store, {"command": "view", "path": f"/memories/{path}".rstrip("/")}, AGENT)
    assert output_of(html) == answer.content
    assert ("is_error: true" in html) is answer.is_error


def test_a_range_asks_for_its_lines(store: MemoryStore, browser: Client) -> None:
    write(store, "notes.md", "one\ntwo\nthree\n")

    for asked in ("2,3", "[2, 3]", "2-3", "2,-1"):
        shown = output_of(page(browser, url(store, "notes.md", f"?range={asked}")))
        assert shown.splitlines()[1:] == ["     2\ttwo", "     3\tthree"]


def test_what_is_no_range_is_said_to_be_none(store: MemoryStore, browser: Client) -> None:
    write(store, "notes.md", "one\ntwo\n")

    html = page(browser, url(store, "notes.md", "?range=two"))

    assert 'aria-invalid="true"' in html
    assert output_of(html).endswith("     1\tone\n     2\ttwo")


def test_looking_leaves_no_trace(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "notes.md", "x")

    page(browser, url(store, "notes.md"))
    memory.reads.flush()

    entry.refresh_from_db()
    assert entry.accessed_at is None
    assert not ReadEvent.objects.exists()


def test_a_path_may_be_typed_as_an_agent_might_send_it(store: MemoryStore, browser: Client) -> None:
    write(store, "a b.md", "x")

    found = browser.get(url(store), {"path": "/memories/a b.md/", "range": "1,1"})
    refused = page(browser, url(store, "", "?path=/memories/../etc"))

    assert found.headers["Location"] == url(store, "a b.md", "?range=1%2C1")
    assert "is_error: true" in refused
    assert output_of(refused).startswith("Error: the path /memories/../etc cannot be used")


def test_the_page_names_what_a_listing_hides(store: MemoryStore, browser: Client) -> None:
    for name in ("a.md", ".secret/x.md", "d/node_modules/y.js", "d/e/f/.deep.md", "d/Node_modules/z.md"):
        write(store, name, "x")

    html = page(browser, url(store))
    hidden = html[html.index("Hidden from this output") : html.index("Cost of reading")]

    assert re.findall(r"<bdi>(.*?)</bdi>", hidden) == [".secret", "d/node_modules"]
    for name in (".secret", "d/node_modules"):
        assert f'href="/stores/{store.slug}/files/{name}"' in hidden


def test_what_no_page_leads_to_is_not_counted_among_what_is_hidden(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x")
    write(store, "gone.md", "x")
    remove(store, "gone.md")

    html = page(browser, url(store))

    assert "Nothing." in html[html.index("Hidden from this output") : html.index("Cost of reading")]


def test_tabs_and_blanks_can_be_told_apart(store: MemoryStore, browser: Client) -> None:
    write(store, "notes.md", "a  b \n")

    assert "<u>     </u>1<i>\t</i>a<u>  </u>b<u> </u>" in page(browser, url(store, "notes.md"))


def test_a_long_output_is_shown_in_part_and_downloaded_whole(store: MemoryStore, browser: Client) -> None:
    write(store, "one.txt", "y" * 90_000)

    html = page(browser, url(store, "one.txt", "?range=1,1"))
    download = browser.get(url(store, "one.txt", "?range=1,1&download=1"))

    answer = tool.execute(store, {"command": "view", "path": "/memories/one.txt", "view_range": [1, 1]}, AGENT)
    assert "more characters." in html
    assert download.content.decode() == answer.content
    assert download.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert download.headers["Content-Disposition"].startswith("attachment")


def test_an_image_is_said_to_reach_the_agent_as_an_image(store: MemoryStore, browser: Client) -> None:
    entry = write_image(store, "chart.png")

    html = page(browser, url(store, "chart.png"))

    assert "An image block: image/png" in html
    assert f"/files/{entry.uuid}/image" in html
