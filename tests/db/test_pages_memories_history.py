"""The history of a file: its versions with who caused them, and what each changed."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from django.test import Client
from django.urls import reverse

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.views.trails import PAGE_VERSIONS
from tests.support.files import at, move, page, remove, write, write_image
from tests.support.people import browser_of, member
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=6)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def url(store: MemoryStore, path: str, **query: object) -> str:
    address = reverse("memories:history", kwargs={"slug": store.slug, "path": path})
    return address + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


def followed(store: MemoryStore, path: str, link: str) -> str:
    """Return the address that a link in the history of the file at ``path`` leads to."""
    return urljoin(url(store, path), unescape(link))


def text_of(html: str) -> str:
    """Return what a page says, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_versions_stand_newest_first_with_what_they_did_and_who_caused_them(
    store: MemoryStore, browser: Client
) -> None:
    write(store, "a.md", "# Acme\nold\n", actor=AGENT)
    write(store, "a.md", "# Acme\nnew\nmore\n")
    move(store, "a.md", "b.md")

    versions = text_of(page(browser, url(store, "b.md")).split('class="triage')[1].split("</ol>")[0])

    assert versions.index("Version 3") < versions.index("Version 2") < versions.index("Version 1")
    assert "from a.md" in versions
    assert "+2 −1" in versions
    assert "# Acme" in versions
    assert "Support desk, turn 6" in versions
    assert "mia" in versions


def test_the_newest_version_is_shown_beside_the_one_before_it(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\nSSO certificate expires 12 December\nthree\n")
    write(store, "a.md", "one\nSSO certificate expires 14 January\nthree\n")

    html = page(browser, url(store, "a.md"))

    assert "Version 1 → 2" in html
    assert "<del>12 December</del>" in html
    assert "<ins>14 January</ins>" in html
    assert 'class="diff split"' in html
    assert 'class="diff uni"' in page(browser, url(store, "a.md", layout="unified"))


def test_the_first_version_stands_against_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")

    html = page(browser, url(store, "a.md", v=1))

    assert "No version before" in html
    assert 'class="s a">+' in html
    assert "Older<kbd>" not in html


def test_folds_open_by_address_one_after_the_other(store: MemoryStore, browser: Client) -> None:
    lines = [f"line {number}" for number in range(1, 61)]
    write(store, "a.md", "\n".join(lines) + "\n")
    write(store, "a.md", "\n".join([*lines[:29], "changed", *lines[30:]]) + "\n")

    folded = page(browser, url(store, "a.md", layout="unified"))
    opener = next(link for link in re.findall(r'href="([^"]*open=[^"]*)"', folded) if link.endswith("open=7-26"))
    opened = page(browser, followed(store, "a.md", opener))
    second = next(link for link in re.findall(r'href="([^"]*open=[^"]*)"', opened) if link.endswith("7-26,34-53"))

    assert "Show 26 unchanged lines" in folded
    assert ">line 7<" not in folded.replace("\n", "")
    assert ">line 7<" in opened.replace("\n", "")
    assert ">line 40<" in page(browser, followed(store, "a.md", second)).replace("\n", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("a  b\n", "a b\n", "Only whitespace changed."),
        ("a\nb\n", "a\nb", "The last line no longer ends with a newline."),
        ("a\nb", "a\nb\n", "The last line now ends with a newline."),
        ("", "x\n" * 3000, "This change is too large to show here."),
    ],
)
def test_what_rows_cannot_say_is_said_in_a_sentence(
    store: MemoryStore, browser: Client, old: str, new: str, said: str
) -> None:
    write(store, "a.md", old)
    write(store, "a.md", new)

    assert said in page(browser, url(store, "a.md"))


def test_a_rename_changes_no_text_and_keeps_its_history_reachable(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    move(store, "a.md", "d/b.md")

    old_address = browser.get(url(store, "a.md", v=1))

    assert old_address.headers["Location"] == url(store, "d/b.md", v=1)
    assert "Renamed. The text did not change." in page(browser, url(store, "d/b.md"))


def test_the_history_outlives_its_file(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    remove(store, "a.md", actor=AGENT)

    html = page(browser, url(store, "a.md"))

    assert "Version 1 → 2" in html
    assert 'class="s d">−' in html
    assert text_of(html).count("Deleted") == 2


def test_the_file_that_had_the_path_before_has_a_history_of_its_own(store: MemoryStore, browser: Client) -> None:
    first = write(store, "a.md", "first\n")
    remove(store, "a.md")
    write(store, "a.md", "second\n")

    html = page(browser, url(store, "a.md"))
    before = page(browser, url(store, "a.md", file=first.uuid, v=1))

    assert ">second<" in html.replace("\n", "")
    assert url(store, "a.md", file=first.uuid).replace("&", "&amp;") in html
    assert ">first<" in before.replace("\n", "")


def test_another_stores_file_has_no_history_here(store: MemoryStore, browser: Client) -> None:
    foreign = write(memory.create_store(name="Other"), "a.md", "secret\n")
    write(store, "a.md", "mine\n")

    assert browser.get(url(store, "a.md", file=foreign.uuid)).status_code == 404
    assert browser.get(url(store, "a.md", file="nonsense")).status_code == 404


@pytest.mark.parametrize("number", [3, 999999999])
def test_a_version_that_never_was_is_not_found(store: MemoryStore, browser: Client, number: int) -> None:
    write(store, "a.md", "one\n")
    write(store, "a.md", "two\n")

    assert browser.get(url(store, "a.md", v=number)).status_code == 404
    assert browser.get(url(store, "never.md")).status_code == 404
    assert "Version 1 → 2" in page(browser, url(store, "a.md", v="nonsense"))


def test_many_versions_come_in_pages(store: MemoryStore, browser: Client) -> None:
    for number in range(PAGE_VERSIONS + 5):
        write(store, "a.md", f"{number}\n")

    first = page(browser, url(store, "a.md"))
    older = re.search(r'<a href="([^"]+)">Older versions', first)
    assert older
    second = page(browser, followed(store, "a.md", older[1]))

    assert first.count("data-version=") == PAGE_VERSIONS
    assert second.count("data-version=") == 5
    assert "Newer versions" in second
    assert 'data-shown="5"' in second


def test_htmx_gets_the_change_alone_and_its_address(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    write(store, "a.md", "two\n")

    answer = browser.get(url(store, "a.md", v=1), headers={"HX-Request": "true"})

    assert answer.headers["HX-Push-Url"] == url(store, "a.md", v=1)
    assert 'class="triage' not in answer.content.decode()


def test_an_image_is_shown_as_it_was(store: MemoryStore, browser: Client) -> None:
    entry = write_image(store, "chart.png")

    html = page(browser, url(store, "chart.png"))

    assert "Images are not compared line by line." in html
    assert f"/files/{entry.uuid}/image?v=1" in html
    assert browser.get(f"/files/{entry.uuid}/image?v=1").status_code == 200
    assert browser.get(f"/files/{entry.uuid}/image?v=2").status_code == 404


def test_a_note_stands_in_place_of_the_summary_until_it_is_emptied(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "# Acme\n")
    note = reverse("memories:note", args=[entry.uuid, 1])

    answer = browser.post(note, {"note": "After the <call>", "next": url(store, "a.md", v=1)})
    noted = page(browser, url(store, "a.md"))
    browser.post(note, {"note": ""})

    assert answer.headers["Location"] == url(store, "a.md", v=1)
    assert "After the &lt;call&gt;" in noted
    assert "# Acme</bdi>" not in noted.split('class="triage')[1].split("</ol>")[0]
    assert "After the" not in page(browser, url(store, "a.md"))
    assert MemoryVersion.objects.get(entry=entry).summary == "# Acme"


def test_a_note_needs_a_version_and_has_a_length(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    missing = browser.post(reverse("memories:note", args=[entry.uuid, 7]), {"note": "x"})
    browser.post(reverse("memories:note", args=[entry.uuid, 1]), {"note": "x" * 1025})

    assert missing.status_code == 404
    assert MemoryVersion.objects.get(entry=entry).note == ""


def test_a_blanked_version_says_so_and_shows_nothing(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "secret\n")
    write(store, "a.md", "secret\nmore\n")
    first = MemoryVersion.objects.get(entry=entry, number=1)
    MemoryVersion.objects.filter(pk=first.pk).update(
        blob=None, summary="", redacted_at=first.recorded_at, redacted_by="mara"
    )

    html = page(browser, url(store, "a.md", v=2))

    assert "The text of version 1 was blanked by" in html
    assert "secret" not in html.split('id="diff"')[1]


def test_a_new_file_in_a_deleted_ones_place_starts_at_version_1(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x")
    remove(store, "a.md")
    memory.apply(store.pk, Create(at("a.md"), "y"), actor=PERSON)

    assert MemoryEntry.objects.get(store=store, path="/memories/a.md", state="live").version == 1
    assert "1 version since" in page(browser, url(store, "a.md"))
