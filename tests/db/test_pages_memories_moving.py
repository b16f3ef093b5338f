"""Making, moving, deleting and restoring files and directories from their pages, and taking each of these back."""

import re
from typing import Any

import pytest
from django.test import Client

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import StrReplace
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, Role
from tests.support.editors import HTMX, begun, shown
from tests.support.files import at, page, remove, url_of, write, write_image
from tests.support.people import browser_of, member
from tests.support.stores import assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def paths_of(store: MemoryStore) -> list[str]:
    return sorted(path.removeprefix("/memories/") for path in files_of(store))


def toast(browser: Client, answer: Any) -> tuple[str, str]:
    """Return what the page says to which an answer leads, and the address that takes it back."""
    html = browser.get(answer.headers["Location"]).content.decode()
    found = re.search(r'data-toast>\s*<span>(.*?)</span>(?:\s*<form method="post" action="(/acts/[^"]+)")?', html)
    assert found, html
    return found[1], found[2]


def test_a_file_is_made_with_its_directories_and_taken_back(store: MemoryStore, browser: Client) -> None:
    answer = begun(browser, store, "customers/").send("# Acme\n", path="customers/acme/notes.md", note="First words")
    said, undo = toast(browser, answer)
    version = MemoryVersion.objects.get(store=store)

    assert answer.headers["Location"] == url_of(store, "customers/acme/notes.md")
    assert files_of(store) == {"/memories/customers/acme/notes.md": b"# Acme\n"}
    assert (version.note, version.operation, version.actor_kind) == ("First words", "created", "person")
    assert said == "Made notes.md."
    browser.post(undo)
    assert paths_of(store) == []
    assert_sound(store)


def test_the_whole_path_may_be_typed_too(store: MemoryStore, browser: Client) -> None:
    begun(browser, store).send("x", path="/memories/a.md")

    assert paths_of(store) == ["a.md"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "Type a path"),
        ("customers/", "it ends in a slash"),
        ("../etc/passwd", "a name in it is made of dots and blanks only"),
        ("a//b.md", "it holds a doubled slash"),
        ("a\\b.md", "a backslash"),
        ("taken.md", "File /memories/taken.md already exists"),
        ("taken.md/below.md", "/memories/taken.md is a file, so nothing can be stored below it"),
        ("d", "/memories/d is a directory"),
        ("x" * 300, "longer than 255 bytes"),
    ],
)
def test_a_path_that_cannot_be_used_is_refused_at_its_field_and_the_text_stays(
    store: MemoryStore, browser: Client, path: str, words: str
) -> None:
    write(store, "taken.md", "x")
    write(store, "d/a.md", "x")

    answer = begun(browser, store).send("# Tea\n", path=path)
    html = answer.content.decode()

    assert answer.status_code == 422
    assert words in html.replace("&#x27;", "'")
    assert 'id="id_path_error"' in html and 'aria-invalid="true"' in html
    assert shown(answer).text == "# Tea\n"
    assert paths_of(store) == ["d/a.md", "taken.md"]


def test_the_tabs_of_a_new_file_need_no_path_yet(store: MemoryStore, browser: Client) -> None:
    answer = begun(browser, store).send("# Tea\n", path="", tab="changes")
    preview = begun(browser, store).send("# Tea\n", path="tea.md", tab="preview", part=True).content.decode()

    assert answer.status_code == 200
    assert 'class="diff uni"' in answer.content.decode()
    assert "<h2>Tea</h2>" in preview


def test_ways_to_a_new_file_know_the_directory(store: MemoryStore, browser: Client) -> None:
    write(store, "d/a.md", "x")
    address = f"/stores/{store.slug}/new-file"

    root, folder, file = (page(browser, url_of(store, path)) for path in ("", "d", "d/a.md"))
    part = page(browser, url_of(store, "d/a.md"), part=True)

    assert f'id="new-file" href="{address}"' in root
    assert f'id="new-file" href="{address}?path=d%2F"' in folder and f'id="new-file" href="{address}?path=d%2F"' in file
    assert re.search(rf'id="new-file" href="{re.escape(address)}\?path=d%2F"[^>]* hx-swap-oob="true"', part)
    assert "hx-swap-oob" not in file.replace("toasts", "")
    assert 'value="d/"' in begun(browser, store, "d/").html


def test_an_empty_store_offers_a_new_file(store: MemoryStore, browser: Client) -> None:
    html = page(browser, url_of(store))

    assert "No memory yet" in html
    assert f'<a class="btn" href="/stores/{store.slug}/new-file">' in html


def test_a_file_moves_with_its_history_and_back(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    form = page(browser, f"/files/{entry.uuid}/rename")

    answer = browser.post(f"/files/{entry.uuid}/rename", {"path": "d/b.md"})
    said, undo = toast(browser, answer)

    assert 'value="a.md"' in form
    assert answer.headers["Location"] == url_of(store, "d/b.md") + "#heading"
    assert (said, paths_of(store)) == ("Moved a.md to d/b.md.", ["d/b.md"])
    assert MemoryEntry.objects.get(pk=entry.pk).version == 2
    browser.post(undo)
    assert paths_of(store) == ["a.md"]


def test_a_directory_moves_with_everything_below_it_as_one_act(store: MemoryStore, browser: Client) -> None:
    for name in ("d/a.md", "d/e/b.md", "other.md"):
        write(store, name, "x")
    form = page(browser, f"/stores/{store.slug}/rename/d")

    answer = browser.post(f"/stores/{store.slug}/rename/d", {"path": "f"})
    said, undo = toast(browser, answer)

    assert "Move 2 files" in form
    assert (said, paths_of(store)) == ("Renamed d with 2 files to f.", ["f/a.md", "f/e/b.md", "other.md"])
    browser.post(undo)
    assert paths_of(store) == ["d/a.md", "d/e/b.md", "other.md"]
    assert_sound(store)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("taken.md", "already exists"),
        ("d/inside.md", "which lies inside it"),
        ("a/../b", "dots and blanks only"),
        ("", "Type a path"),
    ],
)
def test_a_move_that_cannot_be_made_is_refused_at_the_field(
    store: MemoryStore, browser: Client, path: str, words: str
) -> None:
    write(store, "taken.md", "x")
    write(store, "d/a.md", "x")

    answer = browser.post(f"/stores/{store.slug}/rename/d", {"path": path})

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert paths_of(store) == ["d/a.md", "taken.md"]


def test_images_can_be_moved_and_deleted_too(store: MemoryStore, browser: Client) -> None:
    image = write_image(store, "a.png")
    assert f'href="/files/{image.uuid}/rename"' in page(browser, url_of(store, "a.png"))

    browser.post(f"/files/{image.uuid}/rename", {"path": "b.png"})
    browser.post(f"/files/{image.uuid}/delete")
    assert paths_of(store) == []
    browser.post(f"/files/{image.uuid}/restore")

    assert paths_of(store) == ["b.png"]


@pytest.mark.parametrize(
    ("path", "following"),
    [("d/a.md", "d/b.md"), ("d/b.md", "d"), ("a/only.md", ""), ("d/e/x.md", "d"), ("top.md", "")],
)
def test_after_a_delete_one_comes_to_the_next_file_or_the_folder_above(
    store: MemoryStore, browser: Client, path: str, following: str
) -> None:
    for name in ("a/only.md", "d/a.md", "d/b.md", "d/e/x.md", "top.md"):
        write(store, name, "x")
    entry = MemoryEntry.objects.get(store=store, path=at(path).text)

    answer = browser.post(f"/files/{entry.uuid}/delete")
    said, undo = toast(browser, answer)

    assert answer.headers["Location"] == url_of(store, following) + "#heading"
    assert said == f"Deleted {at(path).name}."
    assert path not in paths_of(store)
    browser.post(undo)
    assert len(paths_of(store)) == 5
    assert_sound(store)


def test_a_directory_is_deleted_and_brought_back_as_one(store: MemoryStore, browser: Client) -> None:
    for name in ("d/a.md", "d/e/b.md", "z.md"):
        write(store, name, name)
    before = files_of(store)
    assert "Delete 2 files" in page(browser, url_of(store, "d"))

    answer = browser.post(f"/stores/{store.slug}/delete/d")
    said, undo = toast(browser, answer)

    assert answer.headers["Location"] == url_of(store, "z.md") + "#heading"
    assert (said, paths_of(store)) == ("Deleted d with 2 files.", ["z.md"])
    assert MemoryVersion.objects.filter(store=store, operation="deleted").values("change_set").distinct().count() == 1
    browser.post(undo)
    assert files_of(store) == before


def test_directories_are_acted_on_by_path_and_nothing_else_is(store: MemoryStore, browser: Client) -> None:
    write(store, "d/a.md", "x")

    statuses = {
        path: (
            browser.get(f"/stores/{store.slug}/rename/{path}").status_code,
            browser.post(f"/stores/{store.slug}/delete/{path}").status_code,
        )
        for path in ("d/a.md", "none", "d/../d", "%2e%2e")
    }

    assert set(statuses.values()) == {(404, 404)}
    assert paths_of(store) == ["d/a.md"]


def test_a_second_delete_of_a_file_changes_nothing(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    browser.post(f"/files/{entry.uuid}/delete")

    again = browser.post(f"/files/{entry.uuid}/delete")

    assert "no longer at /memories/a.md" in browser.get(again.headers["Location"]).content.decode()
    assert MemoryEntry.objects.get(pk=entry.pk).version == 2


def test_a_version_comes_back_as_a_new_one_and_says_so(store: MemoryStore, browser: Client) -> None:
    for text in ("one\n", "two\n", "three\n"):
        entry = write(store, "a.md", text)
    first, newest = (page(browser, f"/stores/{store.slug}/history/a.md?v={number}") for number in (1, 3))
    assert "Restore version 1" in first
    assert "Restore version" not in newest

    answer = browser.post(f"/files/{entry.uuid}/restore", {"version": "1"})
    said, undo = toast(browser, answer)

    version = MemoryVersion.objects.get(entry=entry, number=4)
    assert said == "Restored version 1 of a.md as version 4."
    assert (version.operation, version.origin) == ("restored", 1)
    assert files_of(store) == {"/memories/a.md": b"one\n"}
    browser.post(undo)
    assert files_of(store) == {"/memories/a.md": b"three\n"}


def test_a_version_that_is_there_already_changes_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    write(store, "a.md", "two\n")
    entry = write(store, "a.md", "one\n")

    said, _ = toast(browser, browser.post(f"/files/{entry.uuid}/restore", {"version": "1"}))

    assert said == "a.md says the same as version 1. Nothing was changed."
    assert MemoryEntry.objects.get(pk=entry.pk).version == 3


def test_a_deleted_file_comes_back_from_its_page(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "d/gone.md", "x")
    remove(store, "d/gone.md", actor=Actor(ActorKind.AGENT, "Support desk"))
    gone = page(browser, url_of(store, "d/gone.md"), status=404)

    answer = browser.post(f"/files/{entry.uuid}/restore")
    said, undo = toast(browser, answer)

    assert f'action="/files/{entry.uuid}/restore"' in gone
    assert answer.headers["Location"] == url_of(store, "d/gone.md") + "#heading"
    assert (said, paths_of(store)) == ("Restored gone.md.", ["d/gone.md"])
    browser.post(undo)
    assert paths_of(store) == []


def test_where_its_path_is_taken_a_deleted_file_asks_for_another(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "old")
    remove(store, "a.md")
    write(store, "a.md", "new")

    asked = browser.post(f"/files/{entry.uuid}/restore")
    html = asked.content.decode()
    part = browser.post(f"/files/{entry.uuid}/restore", {"path": "a.md"}, headers=HTMX).content.decode()
    answer = browser.post(f"/files/{entry.uuid}/restore", {"path": "a-old.md"})

    assert asked.status_code == 422
    assert "<html" not in part and "Choose another path." in part
    assert "/memories/a.md already exists. Choose another path." in html and 'value="a.md"' in html
    assert answer.headers["Location"] == url_of(store, "a-old.md") + "#heading"
    assert files_of(store) == {"/memories/a.md": b"new", "/memories/a-old.md": b"old"}


def test_a_version_of_a_deleted_file_comes_back_as_one_act(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\n")
    entry = write(store, "a.md", "two\n")
    remove(store, "a.md")
    assert "Restore version 1" in page(browser, f"/stores/{store.slug}/history/a.md?v=1")
    assert "Restore version" not in page(browser, f"/stores/{store.slug}/history/a.md?v=3")

    said, undo = toast(browser, browser.post(f"/files/{entry.uuid}/restore", {"version": "1"}))

    assert said == "Restored version 1 of a.md as version 5."
    assert files_of(store) == {"/memories/a.md": b"one\n"}
    browser.post(undo)
    assert paths_of(store) == []
    assert_sound(store)


def test_what_never_was_cannot_be_restored(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    for version in ("", "9", "0", "x"):
        assert browser.post(f"/files/{entry.uuid}/restore", {"version": version}).status_code in (404, 422)
    assert "is not in the trash" in page(browser, f"/files/{entry.uuid}/restore")
    assert MemoryEntry.objects.get(pk=entry.pk).version == 1


def test_an_agents_edit_in_between_does_no_harm_to_a_move(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea")
    page(browser, f"/files/{entry.uuid}/rename")
    memory.apply(store.pk, StrReplace(at("a.md"), "tea", "milk"), actor=Actor(ActorKind.AGENT, "Support desk"))

    browser.post(f"/files/{entry.uuid}/rename", {"path": "b.md"})

    assert files_of(store) == {"/memories/b.md": b"milk"}


def test_a_missing_page_comes_as_a_part_too(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x")
    remove(store, "a.md")

    assert "Restore" in browser.get(url_of(store, "a.md"), headers=HTMX).content.decode()
