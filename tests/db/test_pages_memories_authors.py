"""Who wrote what: the lines of a file beside the versions that wrote them."""

import re

import pytest
from django.test import Client

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Restore
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.views import authors
from memories.views.blame import lines_in_words
from tests.support.authors import AGENT, blame, groups, pane, readers_at
from tests.support.files import at, move, page, remove, url_of, write, write_image
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def test_lines_stand_in_groups_beside_the_version_that_wrote_them(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    write(store, "a.md", "one\n2\nthree\n")
    move(store, "a.md", "b.md", actor=AGENT)

    html = page(browser, blame(store, "b.md"))

    assert groups(html) == [("Support desk, turn 6", ["one"]), ("mia", ["2"]), ("Support desk, turn 6", ["three"])]
    assert "<span>2 sources</span>" in html
    assert re.findall(r"L\d+\"><svg[^>]*><use href=\"#i-(\w+)", html) == ["agents", "user", "agents"]
    assert re.findall(r'<tbody class="(a\d)', html) == ["a4", "a1", "a4"]


def test_every_group_is_a_link_that_picks_its_source(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    write(store, "a.md", "one\n2\nthree\n")

    html = page(browser, blame(store, "a.md", "&version=1"))

    assert '<a href="?view=blame&amp;version=2#L2">' in html
    assert re.findall(r'<tbody class="(a\d(?: on)?)"', html) == ["a4 on", "a1", "a4 on"]
    assert "Lines 1 and 3" in pane(html)
    assert "Not reviewed" in pane(html)
    assert f'href="/stores/{store.slug}/history/a.md?v=1"' in html


def test_a_picked_line_tells_of_its_source(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")

    html = page(browser, blame(store, "a.md", "&line=2"))

    assert 'class="sel" id="L2"' in html
    assert pane(html).startswith(' aria-label="Selected source" data-scroll="source"> Line 2 Edited by mia')
    assert "Not reviewed" not in pane(html)
    assert "?view=readers&amp;line=2" in html


@pytest.mark.parametrize("query", ["&line=99", "&line=0", "&version=99", "&line=x", ""])
def test_where_nothing_is_picked_all_sources_are_listed(store: MemoryStore, browser: Client, query: str) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")

    html = page(browser, blame(store, "a.md", query))

    assert "Edited by mia 1 line" in pane(html)
    assert pane(html).index("Edited by mia") < pane(html).index("Support desk, turn 6 1 line")
    assert " on" not in "".join(re.findall(r'<tbody class="[^"]*"', html))


def test_lines_that_came_back_belong_to_who_wrote_them_first(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n")
    restore = Restore(at("a.md"), 1, b"one\ntwo\n")
    memory.apply(store.pk, restore, actor=Actor(ActorKind.PERSON, "mara"))

    assert groups(page(browser, blame(store, "a.md"))) == [("Support desk, turn 6", ["one", "two"])]


def test_redacted_versions_break_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "a.md", "one\n2\n")
    MemoryVersion.objects.filter(store=store, number=1).update(
        blob=None, redacted_at="2026-12-01T10:00:00Z", redacted_by="mara"
    )

    html = page(browser, blame(store, "a.md", "&version=1"))

    assert groups(html) == [("Support desk, turn 6", ["one"]), ("mia", ["2"])]
    assert "its text was blanked" in pane(html)


def test_lines_of_versions_that_are_gone_have_no_source(store: MemoryStore, browser: Client) -> None:
    for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"):
        write(store, "a.md", text)
    MemoryVersion.objects.filter(store=store, number__in=(1, 2)).delete()

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert groups(html) == [("No longer kept", ["one", "two"]), ("mia", ["three"]), ("mia", ["four"])]
    assert "1 more, older or no longer kept" in pane(html)
    read = page(browser, readers_at(store, "a.md", 1))
    assert "Read by nobody since" in read


def test_too_many_versions_are_said_and_not_counted_through(
    store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        write(store, "a.md", f"one\n{number}\n")
    monkeypatch.setattr(authors, "EFFORT", 3 * authors.VERSION_EFFORT)

    for address in (blame(store, "a.md"), readers_at(store, "a.md", 1)):
        html = page(browser, address)
        assert "Too many versions" in html
        assert "it has 4 versions" in html
    assert "Too much has become of this file" in page(browser, url_of(store, "a.md"))


def test_ten_thousand_versions_are_followed(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "".join(f"line {number}\n" for number in range(200)), actor=AGENT)
    with_rows = MemoryEntry.objects.get(store=store, path="/memories/a.md")
    template = MemoryVersion.objects.get(entry=with_rows)
    rows = [
        MemoryVersion(
            **{
                **{field.attname: getattr(template, field.attname) for field in MemoryVersion._meta.concrete_fields},
                "id": None,
                "number": number,
                "seq": number,
                "operation": "modified",
                "spans": [[number % 100, 1, number % 100, 1]],
            }
        )
        for number in range(2, 10_001)
    ]
    MemoryVersion.objects.bulk_create(rows, batch_size=500)
    MemoryEntry.objects.filter(pk=with_rows.pk).update(version=10_000)

    html = page(browser, blame(store, "a.md", "&line=1"))

    assert "<span>101 sources</span>" in html
    assert "Version 10,000 " in pane(html)


def test_long_files_come_in_pages_and_a_line_is_found_on_its_own(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "".join(f"line {number}\n" for number in range(1, 10_001)), actor=AGENT)
    write(store, "a.md", "".join(f"line {number}\n" for number in range(1, 10_001)).replace("line 9000\n", "new\n"))

    first, last = page(browser, blame(store, "a.md")), page(browser, blame(store, "a.md", "&line=9000"))

    assert "Lines 1 to 500 of 10,000" in first
    assert 'class="sel" id="L9000"' in last
    assert "Lines 8,980 to 9,479 of 10,000" in last
    assert "&amp;from=9480" in last
    assert 'id="L9000"' in page(browser, blame(store, "a.md", "&version=2"))
    assert 'class="sel"' in page(browser, url_of(store, "a.md") + "?line=9000")
    assert ">9000</a></td><td>new<div" in page(browser, url_of(store, "a.md") + "?view=raw&line=9000")


def test_text_of_lines_is_escaped_and_hidden_characters_show(store: MemoryStore, browser: Client) -> None:
    write(store, "a.txt", "<script>x</script>\u202e\n", actor=Actor(ActorKind.AGENT, "<img src=x>\u200b"))

    for address in (blame(store, "a.txt", "&line=1"), readers_at(store, "a.txt", 1)):
        html = page(browser, address)
        assert "&lt;script&gt;x&lt;/script&gt;" in html
        assert "[U+202E]" in html
        assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_an_empty_file_and_an_image_have_no_lines_to_tell_of(store: MemoryStore, browser: Client) -> None:
    write(store, "empty.md", "")
    write_image(store, "chart.png")

    assert "An empty file" in page(browser, blame(store, "empty.md"))
    assert "No such line" in page(browser, readers_at(store, "empty.md", 1))
    image = page(browser, blame(store, "chart.png"))
    assert 'class="picture"' in image
    assert 'href="?view=blame' not in image
    assert "Who wrote what" not in image


def test_a_deleted_file_is_told_of_by_its_history(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    remove(store, "a.md")

    page(browser, blame(store, "a.md"), status=404)


def test_htmx_gets_the_pane_and_the_lines_without_the_page(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n", actor=AGENT)

    html = page(browser, blame(store, "a.md", "&line=1"), part=True)

    assert "<html" not in html
    assert 'id="about"' in html
    assert groups(html) == [("Support desk, turn 6", ["one"])]


@pytest.mark.parametrize(
    ("stretches", "words"),
    [
        ([(5, 5)], "Line 5"),
        ([(9, 9), (15, 15)], "Lines 9 and 15"),
        ([(1, 4)], "Lines 1 to 4"),
        ([(1, 4), (6, 6), (8, 1200)], "Lines 1 to 4, 6 and 8 to 1,200"),
        ([(n, n) for n in range(1, 21, 2)], "Lines 1, 3, 5, 7, 9, 11, 13, 15 and 2 more"),
    ],
)
def test_numbers_of_lines_are_said_in_words(stretches: list[tuple[int, int]], words: str) -> None:
    assert lines_in_words(stretches) == words
