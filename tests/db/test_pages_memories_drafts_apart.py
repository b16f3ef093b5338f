"""What one editor keeps never takes the place of what another one kept, and nothing that was typed is lost unsaid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from memories.models import Draft, MemoryEntry, MemoryStore, MemoryVersion, Role
from tests.support.editors import Editor, begun, opened
from tests.support.files import page, url_of, write
from tests.support.people import browser_of, member, operator
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def autosave(editor: Editor, text: str, **fields: str) -> Any:
    """Send what the editor sends while one types."""
    return editor.send(text, to=editor.address.removesuffix("/edit") + "/draft", part=True, **fields)


def led_to(browser: Client, answer: Any) -> Editor:
    """Return the editor that an answer leads to."""
    address = answer.headers["Location"]
    return Editor(browser, address, browser.get(address).content.decode())


def kept() -> list[str]:
    return sorted(Draft.objects.values_list("text", flat=True))


@pytest.mark.parametrize("text", ["", "milk\n"])
def test_a_new_file_of_the_same_path_takes_no_other_ones_draft(store: MemoryStore, browser: Client, text: str) -> None:
    first, second = begun(browser, store), begun(browser, store)
    autosave(first, "tea\n", path="a.md")

    autosave(second, text, path="a.md")
    second.send(text, path="a.md", tab="preview")
    second.send(text, path="a.md", to=f"{second.address}/discard")

    assert "tea\n" in kept()
    assert first.send("tea\n", path="b.md").status_code == 302
    assert "tea\n" not in kept()


def test_clearing_a_new_file_forgets_its_own_draft(store: MemoryStore, browser: Client) -> None:
    editor = begun(browser, store)
    autosave(editor, "tea\n", path="a.md")

    autosave(editor, "", path="a.md")

    assert kept() == []
    assert "draft" not in editor.hidden


def test_each_answer_of_htmx_tells_an_editor_its_draft(store: MemoryStore, browser: Client) -> None:
    for editor in (opened(browser, write(store, "a.md", "tea\n")), begun(browser, store)):
        editor.send("milk\n", tab="preview", part=True, path="b.md")
        editor.send("milk, bread\n", tab="changes", part=True, path="b.md")
        autosave(editor, "bread\n", path="b.md")
        editor.send("bread, butter\n", tab="preview", part=True, path="b.md")

    assert kept() == ["bread, butter\n", "bread, butter\n"]


def test_a_mark_of_somebody_else_of_another_store_or_of_nothing_is_none(store: MemoryStore, browser: Client) -> None:
    other, root = new_store(), browser_of(operator())
    file, elsewhere = write(store, "a.md", "tea\n"), write(other, "a.md", "tea\n")
    editors = [opened(root, file), opened(root, elsewhere), begun(root, store), begun(root, other)]
    for number, editor in enumerate(editors):
        autosave(editor, f"draft {number}\n", path="b.md")
    before = kept()

    marks = [*(editor.hidden["draft"] for editor in editors), "1", "@", "\0", "²@", "9" * 40, f"{'9' * 40}@x"]
    for number, mark in enumerate(marks):
        autosave(opened(browser, file), f"mine {number}\n", draft=mark)
        autosave(begun(browser, store), "", path="b.md", draft=mark)
        for editor in editors:
            if editor.hidden["draft"] != mark:
                autosave(Editor(root, editor.address, editor.html), "", draft=mark)
    assert [text for text in kept() if text.startswith("draft")] == before


@pytest.mark.parametrize("tab", ["preview", "changes", "write", "save", "draft"])
def test_a_discarded_draft_survives_an_editor_that_changes_nothing(
    store: MemoryStore, browser: Client, tab: str
) -> None:
    entry = write(store, "a.md", "tea\n")
    opened(browser, entry).send("milk\n", to=f"/files/{entry.uuid}/draft/discard")
    begun(browser, store).send("bread\n", to=f"/stores/{store.slug}/new-file/discard", path="b.md")

    for editor, path in ((opened(browser, entry), ""), (begun(browser, store, "b.md"), "b.md")):
        if tab == "draft":
            autosave(editor, editor.text, path=path)
        else:
            editor.send(path=path, tab=tab)

    assert kept() == ["bread\n", "milk\n"]
    assert not Draft.objects.filter(discarded_at=None).exists()
    for draft in Draft.objects.all():
        assert led_to(browser, browser.post(f"/drafts/{draft.pk}/take-up")).text == draft.text


def test_a_discarded_draft_stays_beside_what_is_typed_next(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    opened(browser, entry).send("milk\n", to=f"/files/{entry.uuid}/draft/discard")

    autosave(opened(browser, entry), "bread\n")

    discarded = Draft.objects.exclude(discarded_at=None).get()
    again = opened(browser, entry)
    assert (again.text, discarded.text) == ("bread\n", "milk\n")
    assert "<span>discarded <time" in again.html
    assert f'formaction="/drafts/{discarded.pk}/take-up"' in again.html


def test_two_editors_of_one_file_keep_a_draft_each(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    first, second = opened(browser, entry), opened(browser, entry)

    autosave(first, "milk\n")
    autosave(second, "bread\n")
    assert kept() == ["bread\n", "milk\n"]
    third = opened(browser, entry)
    other = Draft.objects.get(text="milk\n")
    assert third.text == "bread\n"
    assert f'formaction="/drafts/{other.pk}/take-up"' in third.html
    first.send("milk\n")

    assert kept() == ["bread\n"]


def test_an_editor_whose_draft_another_one_has_kept_begins_its_own(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    first = opened(browser, entry)
    autosave(first, "milk\n")
    autosave(opened(browser, entry), "milk and bread\n")

    autosave(first, "milk and honey\n")
    assert kept() == ["milk and bread\n", "milk and honey\n"]
    first.send("tea\n", tab="preview")
    first.send("milk and honey\n")

    assert kept() == ["milk and bread\n"]


def test_a_draft_that_is_taken_up_leaves_what_was_typed_meanwhile(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    autosave(opened(browser, entry), "milk\n")
    autosave(begun(browser, store), "honey\n", path="b.md")
    file, new = (Draft.objects.get(text=text) for text in ("milk\n", "honey\n"))
    typing, making = opened(browser, entry), begun(browser, store)
    typing.hidden.pop("draft")

    taken = typing.send("bread\n", to=f"/drafts/{file.pk}/take-up")
    made = making.send("butter\n", to=f"/drafts/{new.pk}/take-up", path="c.md")

    assert kept() == ["bread\n", "butter\n", "honey\n", "milk\n"]
    assert led_to(browser, taken).text == "milk\n"
    assert led_to(browser, made).text == "honey\n"


def test_a_file_is_taken_up_from_its_page_without_a_text(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    autosave(opened(browser, entry), "milk\n")

    browser.post(f"/drafts/{Draft.objects.get().pk}/take-up")

    assert kept() == ["milk\n"]
    assert "You have a draft from" in page(browser, url_of(store, "a.md"))


def test_discarding_twice_in_one_press_keeps_one(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)

    for _ in range(2):
        editor.send("milk\n", to=f"/files/{entry.uuid}/draft/discard")

    assert kept() == ["milk\n"]


@contextmanager
def meanwhile(table: type[MemoryEntry | MemoryVersion], act: Callable[[], object]) -> Iterator[None]:
    """Let something happen right after the first look at the table, as on another connection."""
    left = [act]

    def ask(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, parameters, many, context)
        if left and f'FROM "{table._meta.db_table}"' in sql:
            left.pop()()
        return answer

    with connection.execute_wrapper(ask):
        yield


def test_saving_twice_in_one_press_leaves_no_draft(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)

    with meanwhile(MemoryEntry, lambda: editor.send("milk\n")):
        second = editor.send("milk\n")

    assert second.headers["Location"] == url_of(store, "a.md")
    assert kept() == []


def test_making_a_file_twice_in_one_press_leads_to_it_and_leaves_no_draft(store: MemoryStore, browser: Client) -> None:
    editor = begun(browser, store)

    first, second = (editor.send("milk\n", path="a.md") for _ in range(2))
    other = editor.send("tea\n", path="a.md")

    assert first.headers["Location"] == second.headers["Location"] == url_of(store, "a.md")
    assert other.status_code == 422
    assert kept() == ["tea\n"]
