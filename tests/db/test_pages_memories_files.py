"""Pages of files: what a file shows of its text and about itself, and what can be fetched of it."""

import pytest
from django.test import Client

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore, ReadEvent, Role
from tests.support.files import page, read_in_run, url_of, write, write_image
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


ODD = ("a b.md", "50% off.md", "a%20b.md", "what?.md", "x#y.md", "日本語.md", "a:b.md", "<b>.md", "n&m.md")


def test_markdown_is_rendered_and_can_be_read_as_it_was_written(store: MemoryStore, browser: Client) -> None:
    write(store, "a/notes.md", "# Acme\n\n<b>raw</b> [more](../other.md) [away](https://x.example/y)\n")

    rendered, raw = page(browser, url_of(store, "a/notes.md")), page(browser, url_of(store, "a/notes.md") + "?view=raw")

    assert '<h2><a href="?line=1">1</a>Acme</h2>' in rendered
    assert f'<a href="{url_of(store, "other.md")}"' in rendered
    assert "&lt;b&gt;raw&lt;/b&gt;" in rendered
    assert "# Acme" in raw
    assert '<td class="n"><a href="?view=raw&amp;line=3">3</a></td>' in raw


def test_other_text_has_line_numbers_and_visible_characters(store: MemoryStore, browser: Client) -> None:
    write(store, "rules.xml", "<r>\n  be\u200b kind\u202e\n</r>\n")

    html = page(browser, url_of(store, "rules.xml"))

    assert "[U+200B]" in html
    assert "[U+202E]" in html
    assert "&lt;r&gt;" in html
    assert "Rendered</a>" not in html


def test_long_text_comes_in_pages_and_shows_where_one_view_ends(store: MemoryStore, browser: Client) -> None:
    write(store, "log.txt", "".join(f"line {number} of many words\n" for number in range(1, 1301)))

    first = page(browser, url_of(store, "log.txt"))
    second = page(browser, url_of(store, "log.txt") + "?from=501")
    last = page(browser, url_of(store, "log.txt") + "?from=99999")

    assert "Lines 1 to 500 of 1,300" in first
    assert "?view=raw&amp;from=501" in first
    assert "Lines 501 to 1,000 of 1,300" in second
    assert second.count("A view without a range ends here") == 1
    assert "Lines 1,300 to 1,300 of 1,300" in last
    assert "agents read the rest line range by line range" in first


def test_long_markdown_is_rendered_up_to_a_line_and_goes_on_as_text(store: MemoryStore, browser: Client) -> None:
    write(store, "log.md", "".join(f"- entry {number} of many words\n" for number in range(1, 1501)))

    html = page(browser, url_of(store, "log.md"))

    shown = html.count("</a>entry ")
    assert shown > 500
    assert f"Rendered up to line {shown:,} of 1,500." in html
    assert f"?view=raw&amp;from={shown + 1}" in html


def test_a_line_that_no_page_can_hold_is_cut_and_says_so(store: MemoryStore, browser: Client) -> None:
    write(store, "one.txt", "x" * 20_000)

    assert "… 12,000 more characters" in page(browser, url_of(store, "one.txt"))


def test_an_empty_file_says_that_it_is_empty(store: MemoryStore, browser: Client) -> None:
    write(store, "empty.txt", "")

    assert "An empty file" in page(browser, url_of(store, "empty.txt"))


def test_the_about_pane_tells_length_reads_and_where_lines_came_from(store: MemoryStore, browser: Client) -> None:
    agent = Actor(ActorKind.AGENT, "Support desk", turn=6)
    write(store, "a.md", "one\ntwo\nthree\n", actor=agent)
    write(store, "a.md", "one\n2\nthree\n")
    read_in_run(store, "a.md", turn=7)
    read_in_run(store, "a.md", turn=8)

    html = page(browser, url_of(store, "a.md"))

    assert "12 characters, about 3 tokens" in html
    assert "2 reads by 2 runs in 30 days. Yours do not count." in html
    assert html.index("Support desk, turn 8") < html.index("Support desk, turn 7")
    sources = html[html.index("Where these lines came from") :]
    assert sources.index("Edited by mia") < sources.index("Support desk, turn 6")
    assert "1 line<" in sources
    assert "2 lines<" in sources


def test_a_persons_look_is_no_access(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    for view in ("", "?view=raw"):
        page(browser, url_of(store, "a.md") + view)
    browser.get(f"/files/{entry.uuid}/download")
    memory.reads.flush()

    entry.refresh_from_db()
    assert entry.accessed_at is None
    assert not ReadEvent.objects.exists()


@pytest.mark.parametrize("path", ["a//b", "..%2Fx", "a/%E2%80%AE", "x" * 300])
def test_an_address_that_names_no_path_is_not_found(store: MemoryStore, browser: Client, path: str) -> None:
    assert browser.get(f"/stores/{store.slug}/files/{path}").status_code == 404


@pytest.mark.parametrize("name", ODD)
def test_odd_names_have_addresses_that_lead_to_them(store: MemoryStore, browser: Client, name: str) -> None:
    entry = write(store, f"d/{name}", "hello there")

    listing = page(browser, url_of(store, "d"))
    links = {part.split('"')[0] for part in listing.split('href="')[1:]}
    address = next(link for link in links if link.startswith(url_of(store, "d") + "/")).replace("&amp;", "&")

    assert str(entry.uuid) in page(browser, address)


def test_an_image_is_drawn_anew_and_kept_apart_from_our_pages(store: MemoryStore, browser: Client) -> None:
    entry = write_image(store, "chart.png")

    answer = browser.get(f"/files/{entry.uuid}/image")

    assert f'src="/files/{entry.uuid}/image"' in page(browser, url_of(store, "chart.png"))
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Content-Disposition"] == 'inline; filename="image.png"'
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.content.startswith(b"\x89PNG")


def test_text_is_no_image_whatever_its_name(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "page.png", "<svg onload='alert(1)'/>")

    assert browser.get(f"/files/{entry.uuid}/image").status_code == 404


def test_a_download_is_what_was_written_and_opens_in_no_browser(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "räge.html", "<script>\r\nä\n")

    answer = browser.get(f"/files/{entry.uuid}/download")

    assert answer.content == "<script>\r\nä\n".encode()
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
