"""What is typed and not saved: kept on the server, offered back, discarded, taken up again, removed when it is old."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from memories.models import Draft, MemoryEntry, MemoryStore, Role
from memories.tasks import remove_old_drafts
from tests.support.editors import begun, opened, shown
from tests.support.files import page, remove, url_of, write
from tests.support.people import browser_of, member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def draft_address(entry: MemoryEntry) -> str:
    return f"/files/{entry.uuid}/draft"


def test_what_is_typed_comes_back_when_the_editor_opens_again(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\r\nmilk\n")

    kept = opened(browser, entry).send("tea\nbread\n", to=draft_address(entry), part=True).content.decode()
    again = opened(browser, entry)

    assert Draft.objects.get(entry=entry).text == "tea\r\nbread\n"
    assert '<span class="add">+1</span> <span class="del">−1</span>' in kept
    assert 'hx-swap-oob="true">2 lines · 11B of 1.0M' in re.sub(r">\s+", ">", kept)
    assert "<textarea" not in kept
    assert again.text == "tea\nbread\n"
    assert "Your unsaved text is back" in again.html
    assert "just now" in again.html


def test_a_draft_is_its_authors_alone(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    other = browser_of(member(store, Role.CURATOR))
    opened(browser, entry).send("milk\n", to=draft_address(entry))
    draft = Draft.objects.get()

    assert opened(other, entry).text == "tea\n"
    assert other.post(f"/drafts/{draft.pk}/take-up").status_code == 404


def test_a_draft_is_kept_at_every_tab_and_gone_once_it_is_saved(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)

    preview = shown(editor.send("milk\n", tab="preview"))
    assert Draft.objects.get(entry=entry).text == "milk\n"
    preview.send("bread\n")

    assert not Draft.objects.exists()
    assert opened(browser, entry).text == "bread\n"


def test_a_text_that_is_the_files_own_is_no_draft(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)
    editor.send("milk\n", to=draft_address(entry), part=True)

    editor.send("tea\n", to=draft_address(entry), part=True)
    assert not Draft.objects.exists()
    editor.send("milk\n")
    # The last words of an editor whose text was saved while they were on their way.
    editor.send("milk\n", to=draft_address(entry), part=True)

    assert not Draft.objects.exists()


def test_a_discarded_draft_is_offered_on_the_files_page_and_taken_up_again(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")

    answer = opened(browser, entry).send("milk\n", to=f"/files/{entry.uuid}/draft/discard")
    file = browser.get(answer.headers["Location"]).content.decode()
    draft = Draft.objects.get(entry=entry)
    assert answer.headers["Location"] == url_of(store, "a.md")
    assert draft.discarded_at
    fresh = opened(browser, entry)
    assert fresh.text == "tea\n"
    assert ". It is kept for 7 days.</span>" in fresh.html
    assert f'formaction="/drafts/{draft.pk}/take-up"' in fresh.html
    assert "Discarded your draft. It is kept for 7 days." in file
    assert file.count(f'action="/drafts/{draft.pk}/take-up"') == 2
    taken = browser.post(f"/drafts/{draft.pk}/take-up")

    assert taken.headers["Location"] == f"/files/{entry.uuid}/edit?draft={draft.pk}"
    assert opened(browser, entry).text == "milk\n"
    assert "You have a draft" in page(browser, url_of(store, "a.md"))


def test_discarding_nothing_keeps_nothing(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")

    opened(browser, entry).send(to=f"/files/{entry.uuid}/draft/discard", part=True)

    assert not Draft.objects.exists()
    assert "take-up" not in page(browser, url_of(store, "a.md"))


def test_a_draft_outlives_a_change_of_its_file_and_is_shown_beside_it(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    opened(browser, entry).send("milk\n", to=draft_address(entry))
    write(store, "a.md", "water\n")

    again = opened(browser, entry)

    assert again.text == "milk\n"
    assert again.hidden["base_version"] == "1"
    assert "wrote version 2" in again.html
    assert again.send().status_code == 409


def test_old_drafts_are_removed(store: MemoryStore, browser: Client) -> None:
    discarded, left, fresh = (write(store, f"{name}.md", "x") for name in ("discarded", "left", "fresh"))
    now = timezone.now()
    with time_machine.travel(now - timedelta(days=31), tick=False):
        for entry in (left, discarded):
            opened(browser, entry).send("y", to=draft_address(entry))
    with time_machine.travel(now - timedelta(days=7, minutes=1), tick=False):
        opened(browser, discarded).send("z", to=f"/files/{discarded.uuid}/draft/discard")
    with time_machine.travel(now - timedelta(days=29), tick=False):
        opened(browser, fresh).send("y", to=draft_address(fresh))

    remove_old_drafts()

    assert [draft.path for draft in Draft.objects.all()] == ["/memories/fresh.md"]


def test_a_new_files_draft_follows_its_path(store: MemoryStore, browser: Client) -> None:
    address = f"/stores/{store.slug}/new-file"
    editor = begun(browser, store, "d/")
    editor.send("tea\n", to=f"{address}/draft", part=True, path="d/no")
    editor.send("tea\n", to=f"{address}/draft", part=True, path="d/notes.md")

    (draft,) = Draft.objects.all()
    back = begun(browser, store, "d/notes.md")
    other = begun(browser, store, "d/")

    assert (draft.path, draft.text, draft.entry) == ("d/notes.md", "tea\n", None)
    assert back.text == "tea\n"
    assert "Your unsaved text is back" in back.html
    assert other.text == ""
    assert f'formaction="/drafts/{draft.pk}/take-up"' in other.html
    taken = browser.post(f"/drafts/{draft.pk}/take-up")
    assert taken.headers["Location"] == f"{address}?draft={draft.pk}"


def test_a_discarded_draft_of_a_new_file_comes_back_by_its_toast(store: MemoryStore, browser: Client) -> None:
    write(store, "d/a.md", "x")
    address = f"/stores/{store.slug}/new-file"

    answer = begun(browser, store, "d/").send("tea\n", to=f"{address}/discard", path="d/notes.md")
    draft = Draft.objects.get()
    html = browser.get(answer.headers["Location"]).content.decode()

    assert answer.headers["Location"] == url_of(store, "d")
    assert f'action="/drafts/{draft.pk}/take-up"' in html
    assert begun(browser, store, "d/notes.md").text == ""
    browser.post(f"/drafts/{draft.pk}/take-up")
    assert begun(browser, store, "d/notes.md").text == "tea\n"


def test_a_draft_of_a_deleted_file_comes_back_with_it(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)
    remove(store, "a.md")

    late = editor.send("milk\n")
    assert late.status_code == 409
    assert "Restore the file and go on" in late.content.decode()
    back = shown(late).send(to=f"/files/{entry.uuid}/restore", again="1")

    assert back.headers["Location"] == f"/files/{entry.uuid}/edit"
    assert opened(browser, entry).text == "milk\n"
