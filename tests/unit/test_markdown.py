"""Markdown becomes HTML of few tags, links that say where they lead, and nothing that loads or runs."""

import json
import time
from collections.abc import Collection
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from memdash.web.html import ATTRIBUTES, CLASSES, LINK_REL, TAGS
from memdash.web.markdown import LONGEST, Marks, Ours, render

DATA = Path(__file__).parent.parent / "data/security"
PAYLOADS = json.loads((DATA / "xss_payloads.json").read_text())
SLOW = json.loads((DATA / "slow_inputs.json").read_text())


class Reader(HTMLParser):
    """Collects the tags of a piece of HTML and what is wrong with them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(tag)
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if tag == "a" and name == "href":
            self.links.append(value)
        elif tag == "a" and name == "rel":
            assert value == LINK_REL
        elif name == "class":
            assert set(value.split()) <= CLASSES[tag]
        elif name not in ATTRIBUTES.get(tag, set()):
            self.wrong.append(f"{tag} {name}")


@pytest.mark.parametrize("case", PAYLOADS, ids=lambda case: case["id"])
def test_hostile_text_becomes_only_allowed_tags_and_addresses(case: dict[str, Any]) -> None:
    read = Reader(render(case["payload"]))

    assert read.wrong == []
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in read.links)


@given(st.text(alphabet="[]()<>!*_`#-|\n :/\\\"'&ahrefjvsciptonx.=" + "\u200b\x00", max_size=80))
def test_any_text_becomes_only_allowed_tags_and_addresses(text: str) -> None:
    read = Reader(render(text))

    assert read.wrong == []
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in read.links)


@pytest.mark.parametrize(
    "target",
    [
        *(
            "//evil.example",
            "\\\\evil.example",
            "https:evil.example",
            "https:/evil.example",
            "https://",
            "https://[evil",
        ),
        *(
            "ht\u200btps://evil.example",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://a.example",
        ),
        *("mailto:", "/memories/a.md", "a.md", "", "#x"),
    ],
)
def test_a_target_that_is_no_web_or_mail_address_is_text(target: str) -> None:
    assert "<a" not in render(f"[x](<{target}>)")


def test_a_link_is_followed_by_the_host_it_really_leads_to() -> None:
    html = render("[https://bank.example](https://bank.example@evil.example/x)")

    assert '</a> <span class="link-target">(evil.example)</span>' in html


def test_an_address_that_is_its_own_text_is_not_told_twice() -> None:
    assert "link-target" not in render("<https://ok.example/a> <mara@mail.example>")


def test_an_image_is_named_and_not_loaded() -> None:
    html = render("![chart](https://evil.example/beacon.png)")

    assert "<img" not in html
    assert "[image: chart https://evil.example/beacon.png]" in html


def test_a_link_to_a_file_of_memory_is_what_the_page_makes_of_it() -> None:
    pages = {"/memories/a b.md": Ours("/stores/s/files/a%20b.md")}

    html = render("[a](</memories/a b.md>) [b](/memories/b.md)", resolve=lambda _: pages)

    assert '<a href="/stores/s/files/a%20b.md" rel' in html
    assert "b <span" in html
    assert html.count("<a") == 1


def test_a_link_to_a_file_that_is_not_there_says_so() -> None:
    html = render("[a](a.md)", resolve=lambda _: {"a.md": Ours("/stores/s/files/a.md", exists=False)})

    assert '<a href="/stores/s/files/a.md" class="missing" title="No such file" rel' in html


def test_all_links_of_a_text_are_resolved_at_once() -> None:
    asked: list[Collection[str]] = []

    def resolve(targets: Collection[str]) -> dict[str, Ours]:
        asked.append(targets)
        return {}

    render("[a](a.md)\n\n* [b](b%20c.md) <https://x.example>\n\n[d]\n\n[d]: d.md", resolve=resolve)
    render("no link, and <mara@mail.example>", resolve=resolve)

    assert asked == [{"a.md", "b c.md", "d.md"}]


def test_headings_start_below_the_page_and_leave_no_hole() -> None:
    html = render("# One\n\n#### Two\n\n## Three")

    assert "<h2>One</h2>\n<h3>Two</h3>\n<h3>Three</h3>" in html


def test_raw_html_is_shown_as_text() -> None:
    assert render("<b id=x>y</b>") == "<p>&lt;b id=x&gt;y&lt;/b&gt;</p>\n"


def test_hidden_characters_are_labelled_in_text_and_code() -> None:
    html = render("a\u202eb `c\u200bd`\n\n    e\u00adf")

    assert "[U+202E]" in html
    assert "[U+200B]" in html
    assert "[U+00AD]" in html


def numbered(text: str, picked: int | None = None) -> str:
    """Return the text rendered, with "⟨12⟩" before each line that has a place, and "⟨bar⟩" after the picked one."""
    return render(text, marks=Marks(lambda number: format_html("⟨{}⟩", number), picked, "⟨bar⟩"))


def test_lines_of_paragraphs_lists_tables_and_code_are_marked_where_they_stand() -> None:
    blocks = ["# One", "", "two *a*", "three", "", "- four", "  five", "  - six", "", "> seven", "", "| a | b |"]
    html = numbered("\n".join([*blocks, "|---|---|", "| c | d |", "", "```", "e", "", "f", "```", "", "    g"]))

    assert "<h2>⟨1⟩One</h2>" in html
    assert "<p>⟨3⟩two <em>a</em>\n⟨4⟩three</p>" in html
    assert "<li>⟨6⟩four\n⟨7⟩five\n<ul>\n<li>⟨8⟩six</li>" in html
    assert "<p>⟨10⟩seven</p>" in html
    assert "<th>⟨12⟩a</th>\n<th>b</th>" in html
    assert "<td>⟨14⟩c</td>\n<td>d</td>" in html
    assert "<pre><code>⟨17⟩e\n⟨18⟩\n⟨19⟩f\n</code></pre>" in html
    assert "<pre><code>⟨22⟩g" in html


def test_a_line_whose_place_is_not_sure_has_no_mark() -> None:
    assert numbered("one `a\nb` two\nthree") == "<p>⟨1⟩one <code>a b</code> two\nthree</p>\n"
    in_link = numbered("one [a\nb](<https://x.example>) two\nthree")
    assert "⟨2⟩" not in in_link
    assert "⟨3⟩three" in in_link


def test_lines_are_counted_as_the_file_counts_them() -> None:
    assert numbered("\ufeffone\rstill one\r\ntwo") == "<p>⟨1⟩one\nstill one\n⟨2⟩two</p>\n"


def test_the_bar_stands_behind_the_line_that_is_picked() -> None:
    assert numbered("one\ntwo\nthree", 2) == "<p>⟨1⟩one\n⟨2⟩two⟨bar⟩\n⟨3⟩three</p>\n"
    assert "<li>⟨1⟩one⟨bar⟩\n<ul>" in numbered("- one\n  - two", 1)
    assert "⟨2⟩one\n⟨bar⟩⟨3⟩two" in numbered("~~~\none\ntwo", 2)
    assert "⟨bar⟩" not in numbered("one\n\ntwo", 2)


@pytest.mark.parametrize("case", PAYLOADS, ids=lambda case: case["id"])
def test_marks_let_nothing_else_through(case: dict[str, Any]) -> None:
    plain = render(case["payload"])

    marked = render(case["payload"], marks=Marks(lambda _: SafeString(), None, ""))

    assert marked == plain


def test_what_stands_in_a_mark_is_escaped_unless_it_is_safe() -> None:
    assert render("one", marks=Marks(lambda _: SafeString("<i>"), 1, "<b>")) == "<p><i>one&lt;b&gt;</p>\n"


@pytest.mark.parametrize("case", SLOW, ids=lambda case: case["id"])
def test_a_slow_text_takes_a_moment_of_processor_time(case: dict[str, Any]) -> None:
    # The benchmarks measure how long; a parser that backtracks would take minutes.
    text = case["unit"] * case["repeat"] + case["suffix"]

    started = time.process_time()
    render(text)
    render(text[:LONGEST])

    assert time.process_time() - started < 15
