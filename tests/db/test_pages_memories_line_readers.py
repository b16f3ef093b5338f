"""Who read a line since it was written: what the page counts, and to whom it tells it."""

import pytest
from django.test import Client

from memories import store as memory
from memories import tool
from memories.actors import Actor, ActorKind
from memories.commands import Restore, StrReplace
from memories.models import MemoryStore, Role
from memories.views import readers
from tests.support.authors import AGENT, pane, readers_at, run_of_turn
from tests.support.files import at, move, page, read_in_run, url_of, write
from tests.support.people import browser_of, member
from tests.support.runs import new_agent

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def test_who_was_shown_the_line_is_listed_by_run_newest_first(browser: Client) -> None:
    agent = new_agent()
    run = run_of_turn(agent, "hello")
    write(agent.store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    read_in_run(agent.store, "a.md", turn=3, run_id=run.uuid)
    read_in_run(agent.store, "a.md", turn=5, run_id=run.uuid)
    read_in_run(agent.store, "a.md", turn=2)
    person = browser_of(member(agent.store, Role.VIEWER))

    html = page(person, readers_at(agent.store, "a.md", 2))

    assert "Shown to 2 runs or tokens" in html
    assert html.index("<span>Turn 2</span>") < html.index("Run 1, turn 5") < html.index("Run 1, turn 3")
    assert f'href="/runs/{run.uuid}/#turn-5"' in html
    assert "Ticket 4821, export job" in html
    assert "do not count" in pane(html)
    assert "watched folder" in pane(html)


def _look(store: MemoryStore, path: str, **given: object) -> None:
    actor = Actor(ActorKind.TOKEN, "Nightly copy", token_id=7)
    tool.execute(store, {"command": "view", "path": at(path).text if path else "/memories", **given}, actor)
    memory.reads.flush()


def test_only_a_view_that_held_the_line_is_a_read_of_it(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\nthree\n", actor=AGENT)
    _look(store, "")
    _look(store, "a.md", view_range=[1, 2])

    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 3))
    assert "Nightly copy" in page(browser, readers_at(store, "a.md", 2))
    _look(store, "a.md", view_range=[3, -1])
    assert "Nightly copy" in page(browser, readers_at(store, "a.md", 3))


def test_a_view_that_was_cut_before_the_line_is_no_read_of_it(store: MemoryStore, browser: Client) -> None:
    lines = [f"line {number} of many words\n" for number in range(1, 1301)]
    write(store, "log.txt", "".join(lines), actor=AGENT)
    _look(store, "log.txt")
    shown = 0
    while sum(map(len, lines[: shown + 1])) <= 16_000:
        shown += 1

    assert "Shown to 1 run or token" in page(browser, readers_at(store, "log.txt", shown))
    assert "Read by nobody since" in page(browser, readers_at(store, "log.txt", shown + 1))


def test_reads_follow_the_line_and_not_its_number(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    _look(store, "a.md", view_range=[1, 1])
    write(store, "a.md", "zero\none\ntwo\n")
    _look(store, "a.md", view_range=[3, 3])
    memory.apply(store.pk, StrReplace(at("a.md"), "two", "2"), actor=AGENT)

    assert "version 1<" in page(browser, readers_at(store, "a.md", 2))
    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 1))
    assert "Read by nobody since" in page(browser, readers_at(store, "a.md", 3))


def test_a_read_before_the_line_came_back_counts(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n", actor=AGENT)
    move(store, "a.md", "b.md")
    _look(store, "b.md")
    write(store, "b.md", "one\n")
    memory.apply(store.pk, Restore(at("b.md"), 1, b"one\ntwo\n"), actor=AGENT)

    assert "version 2<" in page(browser, readers_at(store, "b.md", 2))


def test_readers_come_in_pages(store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    for turn in range(1, 5):
        read_in_run(store, "a.md", turn=turn)
    monkeypatch.setattr(readers, "PAGE_READERS", 3)

    first, second = (page(browser, readers_at(store, "a.md", 1, query)) for query in ("", "&page=2"))

    assert "Shown to 4 runs or tokens" in first
    assert "page=2" in first
    assert "Turn 1<" not in first
    assert "Turn 1<" in second
    assert "page=1" in second


def test_where_not_all_reads_were_looked_through_it_is_said(
    store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "a.md", "one\n", actor=AGENT)
    for turn in range(1, 4):
        read_in_run(store, "a.md", turn=turn)
    monkeypatch.setattr(readers, "SCANNED", 2)

    html = page(browser, readers_at(store, "a.md", 1))

    assert "Shown to 2 runs" in html
    assert "Older ones are not counted" in html


@pytest.mark.parametrize("line", ["3", "0", "", "-1", "x", "99999999999"])
def test_a_line_the_file_has_not_is_said(store: MemoryStore, browser: Client, line: str) -> None:
    write(store, "a.md", "one\ntwo\n")

    html = page(browser, f"{url_of(store, 'a.md')}?view=readers&line={line}")

    assert "No such line" in html
    assert ("The file has 2 lines; line 3 is none of them." in html) == (line == "3")
