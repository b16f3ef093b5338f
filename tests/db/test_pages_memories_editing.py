"""The editor of a file: what it shows, what it takes, what comes of it."""

from hashlib import sha256

import pytest
from django.test import Client

from memories.models import Draft, MemoryEntry, MemoryStore, MemoryVersion, Role
from memories.refusals import Refused
from tests.support.editors import HTMX, opened, shown
from tests.support.files import at, move, page, remove, url_of, write, write_image
from tests.support.people import browser_of, member, operator, stranger
from tests.support.stores import AGENT, assert_sound, content_of

pytestmark = pytest.mark.django_db(transaction=True)

MIB = 1024 * 1024


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def data_of(entry: MemoryEntry) -> bytes:
    """Return what the file holds now."""
    now = MemoryEntry.objects.select_related("blob").get(pk=entry.pk)
    assert now.blob
    return content_of(now.blob)


def test_what_is_saved_is_a_version_with_its_author_and_note_and_a_toast_that_takes_it_back(
    store: MemoryStore, browser: Client
) -> None:
    entry = write(store, "a.md", "tea\n", actor=AGENT)

    answer = opened(browser, entry).send("tea\nmilk\n", note="They take milk.")
    after = browser.get(answer.headers["Location"]).content.decode()

    version = MemoryVersion.objects.get(entry=entry, number=2)
    assert answer.headers["Location"] == url_of(store, "a.md")
    assert data_of(entry) == b"tea\nmilk\n"
    assert (version.actor_kind, version.user_id, version.note) == (
        "person",
        int(browser.session["_auth_user_id"]),
        "They take milk.",
    )
    assert version.spans == [[1, 0, 1, 1]]
    assert version.change_set.reason == "They take milk."
    assert "<span>Saved version 2 of a.md.</span>" in after
    assert f'action="/acts/{version.change_set.uuid}/undo"' in after
    assert_sound(store)


def test_undoing_a_save_brings_the_text_back(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    opened(browser, entry).send("milk\n")
    act = MemoryVersion.objects.get(entry=entry, number=2).change_set

    browser.post(f"/acts/{act.uuid}/undo")

    assert data_of(entry) == b"tea\n"


def test_htmx_is_led_to_the_file_after_a_save(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")

    answer = opened(browser, entry).send("milk\n", part=True)

    assert answer.headers["HX-Redirect"] == url_of(store, "a.md")
    assert data_of(entry) == b"milk\n"


@pytest.mark.parametrize(
    ("stored", "typed", "saved"),
    [
        ("a\r\nb\r\nc\n", "a\nB\nc\n", "a\r\nB\r\nc\n"),
        ("a\nb", "a\nB", "a\nB"),
        ("a\nb\n", "a\nb", "a\nb"),
        ("\n\na\n", "\n\nb\n", "\n\nb\n"),
        ("\ufeffa\r\nb\r\n", "\ufeffa\nc\n", "\ufeffa\r\nc\r\n"),
        ("a\u200b\u202e\tb \n", "a\u200b\u202e\tb \nc\n", "a\u200b\u202e\tb \nc\n"),
        ("<b>&amp;</textarea>\n", "<b>&amp;</textarea>\nx", "<b>&amp;</textarea>\nx"),
        ("one\rline\n", "one\nline\nmore\n", "one\rline\nmore\n"),
        ("", "x", "x"),
    ],
)
def test_bytes_that_were_not_edited_stay_as_they_were(
    store: MemoryStore, browser: Client, stored: str, typed: str, saved: str
) -> None:
    entry = write(store, "a.md", stored)
    editor = opened(browser, entry)

    untouched = editor.send()
    assert data_of(entry) == stored.encode()
    assert "Nothing was changed." in browser.get(untouched.headers["Location"]).content.decode()
    editor.send(typed)

    assert data_of(entry) == saved.encode()


def test_each_tab_works_as_a_form_that_comes_back_with_the_text(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "# Tea\n")
    editor = opened(browser, entry)

    preview = editor.send("# Milk\n", tab="preview", note="why")
    changes = editor.send("# Milk\n", tab="changes")
    part = editor.send("# Milk\n", tab="changes", part=True).content.decode()

    assert '<article class="prose" hx-disable><h2>Milk</h2>' in preview.content.decode()
    assert 'value="why"' in preview.content.decode()
    assert shown(preview).text == shown(changes).text == "# Milk\n"
    assert 'class="diff uni"' in changes.content.decode()
    assert 'class="diff uni"' in part
    assert "<textarea" not in part and "<html" not in part
    assert data_of(entry) == b"# Tea\n"


def test_a_text_of_exactly_the_limit_is_saved_and_one_byte_more_is_refused(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    most = ("東" * 100 + "\n") * 3483
    most += "x" * (MIB - len(most.encode()))
    editor = opened(browser, entry)

    refused = editor.send(most + "y")
    saved = shown(refused).send(most)

    assert refused.status_code == 422
    assert "1,048,577 bytes; a file of this store may have at most 1,048,576" in refused.content.decode()
    assert 'aria-describedby="id_text_error"' in refused.content.decode()
    assert shown(refused).text == most + "y"
    assert saved.status_code == 302
    assert sha256(data_of(entry)).hexdigest() == sha256(most.encode()).hexdigest()
    assert opened(browser, entry).text == most


def test_a_text_that_no_browser_could_send_back_is_not_opened(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "\n" * MIB)

    html = browser.get(f"/files/{entry.uuid}/edit").content.decode()

    assert "Too long to be edited in a browser" in html
    assert "<textarea" not in html


def test_a_store_that_is_full_says_so_at_the_field_and_keeps_the_text(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    MemoryStore.objects.filter(pk=store.pk).update(max_bytes=10)

    answer = opened(browser, entry).send("y" * 20)

    assert answer.status_code == 422
    assert "it may hold at most 10" in answer.content.decode()
    assert Draft.objects.get(entry=entry).text == "y" * 20


def test_a_note_that_is_too_long_is_refused_beside_it(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = opened(browser, entry).send("y", note="n" * 1025)

    assert answer.status_code == 422
    assert 'id="id_note_error"' in answer.content.decode()
    assert shown(answer).text == "y"
    assert data_of(entry) == b"x"


def test_nul_is_refused_and_the_rest_stays_on_the_page(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = opened(browser, entry).send("a\0b")

    assert answer.status_code == 422
    assert shown(answer).text == "ab"


def test_a_form_without_its_version_is_refused(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    editor = opened(browser, entry)
    editor.hidden = {}

    assert editor.send("y").status_code == 400
    assert editor.send("y", to=f"/files/{entry.uuid}/draft").status_code == 400
    assert editor.send("y", to=f"/files/{entry.uuid}/draft/discard").status_code == 400
    assert data_of(entry) == b"x"


def test_a_file_that_was_renamed_meanwhile_is_saved_where_it_is(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    editor = opened(browser, entry)
    move(store, "a.md", "b/c.md")
    write(store, "a.md", "another")

    answer = editor.send("y")

    assert answer.headers["Location"] == url_of(store, "b/c.md")
    assert data_of(entry) == b"y"


def test_an_image_and_a_deleted_file_lead_to_their_pages(store: MemoryStore, browser: Client) -> None:
    image, gone = write_image(store, "a.png"), write(store, "gone.md", "x")
    remove(store, "gone.md")

    assert browser.get(f"/files/{image.uuid}/edit").headers["Location"] == url_of(store, "a.png")
    assert browser.post(f"/files/{image.uuid}/edit", {"text": "x"}).headers["Location"] == url_of(store, "a.png")
    assert browser.get(f"/files/{gone.uuid}/edit").headers["Location"] == url_of(store, "gone.md")
    assert '/edit"' not in page(browser, url_of(store, "a.png"))


def test_people_edit_locked_files_and_paused_stores_and_are_told(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    browser.post(f"/files/{entry.uuid}/lock")
    browser.post(f"/stores/{store.slug}/pause")

    editor = opened(browser, entry)
    editor.send("y")

    assert "Locked for agents" in editor.html
    assert "Agents are paused" in editor.html
    assert data_of(entry) == b"y"


def test_a_line_in_the_address_is_where_the_editor_opens(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x\ny\n")

    assert 'data-line="2"' in opened(browser, entry, "?line=2").html
    assert "data-line" not in opened(browser, entry, "?line=<b>").html


def test_viewers_may_not_edit_and_outsiders_know_of_nothing(store: MemoryStore) -> None:
    entry = write(store, "a.md", "x")
    fields = {"text": "y", "base_version": "1", "base_sha256": sha256(b"x").hexdigest(), "path": "b.md"}
    files = ("edit", "edit/news", "draft", "draft/discard", "rename", "delete", "restore")
    stores = ("new-file", "new-file/draft", "new-file/discard", "rename/d", "delete/d")
    addresses = [f"/files/{entry.uuid}/{verb}" for verb in files] + [f"/stores/{store.slug}/{verb}" for verb in stores]
    viewer, outsider = browser_of(member(store, Role.VIEWER)), browser_of(stranger())
    get = {"edit", "edit/news", "rename", "restore", "new-file", "rename/d"}

    for address in addresses:
        answers = [] if address.endswith("/news") else [viewer.post(address, fields)]
        answers += [viewer.get(address) for verb in get if address.endswith(f"/{verb}")]
        for answer in answers:
            assert answer.status_code == 403, address
            assert "You can look but not change." in answer.content.decode()
        assert outsider.post(address, fields).status_code in (404, 405)
        assert outsider.get(address).status_code in (404, 405)
    html = page(viewer, url_of(store, "a.md")) + page(viewer, url_of(store))
    assert not [verb for verb in ('/edit"', "/new-file", "/delete", "/rename", "/restore") if verb in html]
    assert data_of(entry) == b"x"
    assert not Draft.objects.exists()


@pytest.mark.parametrize("role", [Role.CURATOR, Role.OWNER, None])
def test_curators_owners_and_the_operator_may_edit(store: MemoryStore, role: Role | None) -> None:
    entry = write(store, "a.md", "x")
    browser = browser_of(member(store, role) if role else operator())

    assert f'href="/files/{entry.uuid}/edit"' in page(browser, url_of(store, "a.md"))
    assert opened(browser, entry).send("y").status_code == 302
    assert data_of(entry) == b"y"


def test_the_editor_asks_as_many_questions_however_long_the_history(
    store: MemoryStore, browser: Client, django_assert_max_num_queries: object
) -> None:
    entry = write(store, "a.md", "0")
    for number in range(1, 30):
        write(store, "a.md", str(number))
    browser.get("/keys")

    with django_assert_max_num_queries(20):  # type: ignore[operator]
        opened(browser, entry)


def test_two_saves_of_one_press_are_one(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    editor = opened(browser, entry)

    first, second = editor.send("y"), editor.send("y")

    assert first.headers["Location"] == second.headers["Location"]
    assert MemoryEntry.objects.get(pk=entry.pk).version == 2


def test_a_refusal_reads_as_a_sentence_of_its_own() -> None:
    assert Refused(f"Error: {at('a.md')} is new.").words == "/memories/a.md is new."
    assert Refused("Error: the store is busy.").words == "The store is busy."


def test_answers_say_that_htmx_gets_another_one(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.get(f"/files/{entry.uuid}/edit", headers=HTMX)

    assert "HX-Request" in answer.headers["Vary"]
    assert "<html" not in answer.content.decode()
