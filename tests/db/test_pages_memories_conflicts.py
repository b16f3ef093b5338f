"""Two who change one file: nothing is lost, nothing is written over unasked, and both see what the other did."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.making import create_agent
from agents.models import RunState
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import StrReplace
from memories.models import Draft, MemoryStore, Role
from tests.support.editors import HTMX, opened, shown
from tests.support.files import at, move, read_in_run, remove, url_of, write
from tests.support.people import browser_of, member
from tests.support.run_rows import run_in
from tests.support.stores import assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=3)


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def text_of(store: MemoryStore, relative: str) -> str:
    return files_of(store)[at(relative).text].decode()


@pytest.mark.parametrize("part", [False, True])
def test_a_save_that_comes_too_late_writes_nothing_and_shows_both_texts(
    store: MemoryStore, browser: Client, part: bool
) -> None:
    entry = write(store, "a.md", "tea\nmilk\nbread\n")
    editor = opened(browser, entry)
    memory.apply(store.pk, StrReplace(at("a.md"), "tea", "coffee"), actor=AGENT)

    answer = editor.send("tea\nmilk\ncake\n", note="why", part=part)
    html = answer.content.decode()

    assert answer.status_code == 409
    assert text_of(store, "a.md") == "coffee\nmilk\nbread\n"
    assert "<bdi>Support desk</bdi> changed this file while you were editing" in html
    assert "Support desk, turn 3" in html and "wrote version 2" in html and "after you opened version 1" in html
    assert "2 changes merged by themselves." in html and "No conflict needs a choice." in html
    assert ">coffee" in html and ">cake" in html
    assert ("<html" in html) is not part
    assert shown(answer).text == "tea\nmilk\ncake\n"
    assert 'name="note" value="why"' in html
    assert Draft.objects.get(entry=entry).text == "tea\nmilk\ncake\n"
    assert_sound(store)


def test_one_leaves_the_new_text_and_the_draft_is_kept(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)
    write(store, "a.md", "coffee\n")

    answer = shown(editor.send("milk\n")).send(to=f"/files/{entry.uuid}/draft/discard")

    draft = Draft.objects.get(entry=entry)
    assert answer.headers["Location"] == url_of(store, "a.md")
    assert draft.discarded_at and draft.text == "milk\n"
    assert text_of(store, "a.md") == "coffee\n"


def test_two_people_who_save_the_same_version(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    other = browser_of(member(store, Role.OWNER))
    mine, theirs = opened(browser, entry), opened(other, entry)

    first, second = theirs.send("coffee\n"), mine.send("milk\n")

    assert (first.status_code, second.status_code) == (302, 409)
    assert text_of(store, "a.md") == "coffee\n"


def test_a_rename_is_no_conflict(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)
    move(store, "a.md", "b.md")

    assert editor.send("milk\n").status_code == 302
    assert text_of(store, "b.md") == "milk\n"


def test_who_changed_the_text_is_told_rather_than_who_renamed_the_file_since(
    store: MemoryStore, browser: Client
) -> None:
    entry = write(store, "a.md", "tea\n")
    editor = opened(browser, entry)
    memory.apply(store.pk, StrReplace(at("a.md"), "tea", "coffee"), actor=AGENT)
    move(store, "a.md", "b.md")

    told = browser.get(f"/files/{entry.uuid}/edit/news?since=1", headers=HTMX).content.decode()
    renamed = browser.get(f"/files/{entry.uuid}/edit/news?since=2", headers=HTMX).content.decode()

    assert "Support desk, turn 3" in told and "wrote version 2" in told
    assert "edit/news?since=3" in told
    assert "renamed the file in version 3" in renamed
    assert "<bdi>Support desk</bdi> changed this file" in editor.send("milk\n").content.decode()


def test_an_open_editor_is_told_at_once_who_did_what(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    news = f"/files/{entry.uuid}/edit/news"

    nothing = browser.get(f"{news}?since=1", headers=HTMX)
    write(store, "a.md", "coffee\n", actor=AGENT)
    told = browser.get(f"{news}?since=1", headers=HTMX)
    remove(store, "a.md", actor=AGENT)
    deleted = browser.get(f"{news}?since=2", headers=HTMX).content.decode()

    assert (nothing.status_code, nothing.content) == (204, b"")
    assert "Support desk, turn 3" in told.content.decode()
    assert "wrote version 2" in told.content.decode()
    assert f'hx-get="{news}?since=2"' in told.content.decode()
    assert "wrote version 2 while you were editing" in told.headers["HX-Trigger"]
    assert "deleted the file in version 3" in deleted
    assert browser.get(news).headers["Location"] == f"/files/{entry.uuid}/edit"


def test_asking_for_news_is_cheap(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "tea\n")
    browser.get("/keys")

    with CaptureQueriesContext(connection) as asked:
        browser.get(f"/files/{entry.uuid}/edit/news?since=1", headers=HTMX)

    assert len(asked) <= 6


def test_the_answer_to_a_late_save_is_bounded_beside_the_text(store: MemoryStore, browser: Client) -> None:
    old = "".join(f"{number} \u202e<&' {number}\n" for number in range(1_900))
    entry = write(store, "a.md", old)
    editor = opened(browser, entry)
    write(store, "a.md", old.replace("1", "one"))

    html = editor.send(old.replace("2", "two")).content.decode()
    start, end = html.index("<textarea"), html.index("</textarea>")

    assert len(html.encode()) - len(html[start:end].encode()) <= 100 * 1024


def test_the_tabs_and_kept_drafts_are_bounded(store: MemoryStore, browser: Client) -> None:
    old = "".join(f"{number} \u202e<&' {number}\n" for number in range(1_900))
    sizes = {}
    for name in ("a.md", "a.txt"):
        entry = write(store, name, old)
        editor = opened(browser, entry)
        for tab in ("preview", "changes"):
            sizes[name, tab] = len(editor.send(old.replace("2", "two"), tab=tab, part=True).content)
        sizes[name, "draft"] = len(editor.send(old + "x", to=f"/files/{entry.uuid}/draft", part=True).content)

    assert max(sizes.values()) <= 100 * 1024, sizes


def test_live_runs_that_read_the_file_are_named_in_the_editor(store: MemoryStore, browser: Client) -> None:
    agent = create_agent(name="Support desk", model="demo/support-desk", store=store)
    entry = write(store, "a.md", "tea\n")
    run_in(RunState.DONE, agent)
    assert "No run is live" in opened(browser, entry).html
    live, other = run_in(RunState.RUNNING, agent), run_in(RunState.WAITING, agent)
    read_in_run(store, "a.md", run_id=live.uuid)

    html = opened(browser, entry).html

    assert f'href="/runs/{live.uuid}/"' in html
    assert "It last read this file" in html
    assert html.index(str(live.uuid)) < html.index(str(other.uuid))
    assert "It has not read this file." in html
