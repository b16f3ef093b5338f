"""Labels and the note in a file's about pane, labels in lists, and files found by a label."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import escape

from memories import store as stores
from memories.actors import Actor, ActorKind
from memories.commands import Label, Note
from memories.commands.words import fingerprint
from memories.models import ChangeSet, FileNote, MemoryEntry, MemoryStore, Role
from memories.text import as_label, storable
from tests.support.files import at, page, remove, url_of, write
from tests.support.people import browser_of, member, stranger
from tests.support.stores import PERSON, new_store

pytestmark = pytest.mark.django_db

DATA = Path(__file__).parent.parent / "data/security"
PAYLOADS = [case["payload"] for case in json.loads((DATA / "xss_payloads.json").read_text())]
VERBS = ("label", "note")
UNICODE = json.loads((DATA / "unicode_cases.json").read_text())


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def put(memory: MemoryStore, relative: str, *labels: str, note: str = "") -> MemoryEntry:
    entry = write(memory, relative, "x")
    if labels:
        stores.apply(memory.pk, Label(at(relative), add=labels), actor=PERSON)
    if note:
        stores.apply(memory.pk, Note(at(relative), note), actor=PERSON)
    return entry


def labels_of(entry: MemoryEntry) -> tuple[str, ...]:
    return MemoryEntry.objects.get(pk=entry.pk).label_list


def test_labels_are_put_on_and_taken_off_and_each_toast_undoes_that(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.post(f"/files/{entry.uuid}/label", {"add": "Needs  Review, tone,"}, follow=True)
    assert answer.redirect_chain == [(url_of(store, "a.md"), 302)]
    assert labels_of(entry) == ("needs review", "tone")
    html = browser.post(f"/files/{entry.uuid}/label", {"remove": "tone"}, headers={"HX-Request": "true"}).text
    assert labels_of(entry) == ("needs review",)

    undo = re.search(r'action="(/acts/[0-9a-f-]+/undo)"', html[html.index("data-toast") :])
    assert undo
    browser.post(undo[1])
    assert labels_of(entry) == ("needs review", "tone")
    feed = page(browser, "/activity/")
    assert "took labels off" in feed
    assert "labelled" in feed


@pytest.mark.parametrize("typed", ["x" * 41, "a\x07b", ",".join(f"l{n}" for n in range(21))])
def test_what_is_no_label_is_said_and_nothing_changes(store: MemoryStore, browser: Client, typed: str) -> None:
    entry = write(store, "a.md", "x")

    html = browser.post(f"/files/{entry.uuid}/label", {"add": typed}, follow=True).text

    assert "Nothing was changed" in html or "more than 20 labels" in html
    assert labels_of(entry) == ()


def test_a_note_that_somebody_else_changed_meanwhile_is_kept_in_the_field(store: MemoryStore, browser: Client) -> None:
    entry = put(store, "a.md", note="theirs")
    address = f"/files/{entry.uuid}/note"

    refused = browser.post(address, {"text": "mine\r\nand more", "shown": fingerprint("")})
    shown = re.search(r'name="shown" value="(\w+)"', refused.text)
    assert refused.status_code == 409
    assert ">\nmine\r\nand more</textarea>" in refused.text
    assert "theirs" in refused.text
    assert shown

    saved = browser.post(address, {"text": "mine\r\nand more", "shown": shown[1]}, follow=True)
    assert saved.redirect_chain == [(url_of(store, "a.md"), 302)]
    assert FileNote.objects.get(entry=entry).text == "mine\nand more"
    too_long = browser.post(address, {"text": "x" * 2_001, "shown": ""})
    assert (too_long.status_code, "at most 2,000 characters" in too_long.text) == (422, True)


def test_files_are_found_by_a_label_in_a_folder_a_store_and_all_stores(store: MemoryStore, browser: Client) -> None:
    other, foreign = new_store(), new_store()
    curator = MemoryStore.objects.get(pk=store.pk).members.get().user
    other.members.create(user=curator, role=Role.VIEWER)
    put(store, "a.md", "tone", "urgent")
    put(store, "dir/b.md", "tone")
    put(store, "gone.md", "tone")
    remove(store, "gone.md")
    put(other, "elsewhere.md", "tone")
    put(foreign, "secret.md", "tone")

    def found(address: str) -> list[str]:
        html = page(browser, address)
        table = html.partition('aria-label="Files with the label"')[2].partition("</table>")[0]
        return re.findall(r'class="name who" href="[^"]*">.*?<bdi>(.*?)</bdi>', table)

    assert found(f"{url_of(store)}?label=Tone") == ["a.md", "dir/b.md"]
    assert found(f"{url_of(store, 'dir')}?label=tone") == ["dir/b.md"]
    assert sorted(found("/stores/?label=tone")) == ["a.md", "dir/b.md", "elsewhere.md"]
    assert found("/stores/?label=none") == []
    folder = page(browser, url_of(store))
    assert folder.count('<span class="tag"><bdi>tone</bdi></span>') == 1
    assert "<em><bdi>tone</bdi>…</em>" in folder
    assert "secret.md" not in page(browser, "/stores/?label=tone")


def test_only_who_may_write_changes_them_and_strangers_find_nothing(store: MemoryStore) -> None:
    entry = put(store, "a.md", "tone", note="A note.")
    viewer = browser_of(member(store, Role.VIEWER))
    before = ChangeSet.objects.count()

    html = page(viewer, url_of(store, "a.md"))
    answers = {
        who: [browser.post(f"/files/{entry.uuid}/{verb}", {"add": "x", "text": "x"}).status_code for verb in VERBS]
        for who, browser in {"viewer": viewer, "stranger": browser_of(stranger())}.items()
    }

    assert "A note." in html
    assert 'name="remove"' not in html
    assert "Save note" not in html
    assert answers == {"viewer": [403, 403], "stranger": [404, 404]}
    assert ChangeSet.objects.count() == before


def test_hostile_words_are_text_everywhere(store: MemoryStore, browser: Client) -> None:
    labels = [label for payload in PAYLOADS if (label := as_label(payload[:40]))][:20]
    assert len(labels) == 20
    put(store, "a.md", *labels, note="\n".join(PAYLOADS)[:2_000])
    pages = [url_of(store, "a.md"), url_of(store), "/activity/", *(f"{url_of(store)}?label={labels[0][:1]}",)]
    html = "".join(page(browser, address) for address in pages)

    for payload in PAYLOADS:
        if "<" in payload:
            assert payload not in html
    assert escape(labels[-1].partition("\n")[0])[:20] in html


def test_what_looks_like_nothing_shows_in_a_label_and_a_note(store: MemoryStore, browser: Client) -> None:
    texts = [case["text"] for case in UNICODE if case["must_show"] and storable(case["text"])]

    for number, text in enumerate(texts):
        label = as_label(text[:40])
        put(store, f"{number}.md", *([label] if label else []), note=text)
        html = page(browser, url_of(store, f"{number}.md"))
        note = html.partition('class="note-t">')[2].partition("</p>")[0]
        tags = html.partition('class="tags"')[2].partition("</form>")[0]
        assert "hidden-char" in note or "look-alike" in note, text
        assert not label or label == as_label(label)
        assert bool(label) == ("<bdi>" in tags)

    assert len(texts) > 20


def test_a_file_with_all_it_may_have_stays_below_the_size_of_a_page(store: MemoryStore, browser: Client) -> None:
    actor = Actor(ActorKind.PERSON, "mia")
    labels = tuple(f"{n:02}" + "\u202e\u200b" * 19 for n in range(20))
    for n in range(60):
        put(store, f"{n:02}.md", *labels[:20])
    stores.apply(store.pk, Note(at("01.md"), "\u202e" * 1_999), actor=actor)

    assert len(page(browser, url_of(store, "01.md")).encode()) < 100 * 1024
    assert len(page(browser, url_of(store)).encode()) < 100 * 1024
