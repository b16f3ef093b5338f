"""The health of a store: what is planted is found once and nothing else, and people set aside what may stay."""

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from agents.making import create_agent
from agents.models import RunState
from memories import store as stores
from memories.actors import ActorKind
from memories.commands import ImportFile
from memories.health import looking
from memories.health.looking import look
from memories.models import MemoryEntry, MemoryStore, ReadEvent, Role
from tests.support.files import at, move, page, read_in_run, remove, write, write_image
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import AGENT, new_store

pytestmark = pytest.mark.django_db(transaction=True)

PAYLOADS = json.loads((Path(__file__).parent.parent / "data/security/xss_payloads.json").read_text())
INDEX = "# Index\n- notes/: all notes\n- long.md, links.md, unread.md, MEMORY-of.md\n"


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def address(store: MemoryStore, query: str = "") -> str:
    return f"/stores/{store.slug}/health{query}"


def listed(browser: Client, store: MemoryStore, query: str = "") -> list[tuple[str, str]]:
    """Return the kind and the file of each row."""
    html = page(browser, address(store, query))
    return re.findall(r'class="badge \w*"><svg.*?</svg>([^<]+)</span></td><td class="path"><a.*?<bdi>(.*?)</bdi>', html)


def days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def body(name: str) -> str:
    return "".join(f"- {name} has its own line {number}\n" for number in range(12))


def seeded(store: MemoryStore, others: int = 30) -> None:
    """Fill a store with files in good order, and plant one thing of each kind."""
    write(store, "index.md", INDEX)
    for number in range(others):
        write(store, f"notes/{number}.md", body(f"Note {number}") + "See [the index](../index.md) and [[unread]].\n")
    write(store, "long.md", "".join(f"{number} is a line of a long file\n" for number in range(700)))
    write(store, "notes/copy.md", body("Note 3"))
    write(store, "links.md", "# Links\n\nSee [it](gone.md) and [[Note of old]].\n")
    write(store, "gone.md", "x")
    remove(store, "gone.md")
    write(store, "orphan.md", "Nobody knows me.\n")
    for entry in MemoryEntry.objects.filter(store=store, kind="file", state="live"):
        read_in_run(store, entry.path.removeprefix("/memories/"))
    write(store, "unread.md", "Nobody reads me.\n", actor=replace(AGENT, authored_at=days_ago(92)))


def test_each_planted_thing_is_found_once_worst_first_and_nothing_else(
    store: MemoryStore, browser: Client, django_assert_max_num_queries: object
) -> None:
    agent = create_agent(name="Desk", store=store)
    for minutes in (5, 60 * 24 * 91, 60 * 24 * 200):
        run_in(RunState.DONE, agent, minutes_ago=minutes)
    seeded(store)

    # Ten of its own; the session, the person and the rail ask the others.
    with django_assert_max_num_queries(19):  # type: ignore[operator]
        html = page(browser, address(store))

    assert listed(browser, store) == [
        ("Too long", "long.md"),
        ("Near-duplicate", "notes/copy.md"),
        ("Broken link", "links.md"),
        ("Broken link", "links.md"),
        ("Not in the index", "orphan.md"),
        ("Never read", "unread.md"),
    ]
    assert "6 findings in 5 files" in html
    assert '100% the same as <span class="mono"><bdi>notes/3.md</bdi></span>, 12 of 12 lines' in html
    assert re.search(r"4,\d{3} of 20,\d{3} characters lie behind the cut", html)
    assert "Line 3 names" in html
    assert "It is in the trash, deleted" in html
    assert "2 runs could have read it" in html
    assert "No two names differ only in case" in html
    assert "Not known" not in html
    assert [name for _, name in listed(browser, store, "?kind=broken-link")] == ["links.md"] * 2
    for choice in ("Too long 1", "Near-duplicate 1", "Broken link 2", "Not in the index 1", "Never read 1"):
        assert f">{choice}</option>" in html
    assert len(html.encode()) < 100_000
    lengths = page(browser, address(store, "?kind=by-length&page=3"))
    assert "notes/copy.md" in lengths[lengths.index('id="mend"') :]
    assert "31–36 of 36" in lengths
    assert not ReadEvent.objects.filter(entry__path=at("unread.md").text).exists()


def test_what_is_set_aside_stays_reachable_and_the_toast_takes_it_back(store: MemoryStore, browser: Client) -> None:
    seeded(store, 4)
    orphan = MemoryEntry.objects.get(store=store, path=at("orphan.md").text)
    html = page(browser, address(store, "?kind=not-in-index"))
    label = re.search(r'name="add" value="([^"]+)"', html)
    assert label

    post = {"add": label[1], "next": address(store)}
    answer = browser.post(f"/files/{orphan.uuid}/label", post, follow=True)

    assert answer.redirect_chain == [(address(store), 302)]
    assert "orphan.md" not in [name for _, name in listed(browser, store)]
    assert listed(browser, store, "?aside=1") == [("Not in the index", "orphan.md")]
    assert "Show 1 set aside" in page(browser, address(store))
    undo = re.search(r'action="(/acts/[0-9a-f-]+/undo)"', answer.text[answer.text.index("data-toast") :])
    assert undo
    browser.post(undo[1])
    assert listed(browser, store, "?aside=1") == []


def test_reads_that_nobody_could_see_are_not_known_and_never_called_never_read(
    store: MemoryStore, browser: Client
) -> None:
    brought = replace(AGENT, kind=ActorKind.IMPORT, authored_at=days_ago(200))
    stores.apply(store.pk, ImportFile(at("a.md"), b"x\n"), actor=brought)
    write(store, "b.md", "x\n", actor=replace(AGENT, authored_at=days_ago(200)))
    write_image(store, "c.png")

    assert listed(browser, store) == [("Never read", "b.md")]
    html = page(browser, address(store, "?kind=not-known"))
    assert "Reads of 2 files" in html
    assert re.findall(r'class="name".*?<bdi>(.*?)</bdi>', html[html.index('id="mend"') :]) == ["a.md", "c.png"]
    assert "Links in 1 file" in html

    MemoryStore.objects.filter(pk=store.pk).update(unseen_since=days_ago(100))
    assert listed(browser, store) == []
    assert "Reads of 3 files" in page(browser, address(store))


def test_each_finding_has_the_fix_that_mends_it(store: MemoryStore, browser: Client) -> None:
    seeded(store, 4)
    index = MemoryEntry.objects.get(store=store, path=at("index.md").text)
    links = MemoryEntry.objects.get(store=store, path=at("links.md").text)
    gone = MemoryEntry.objects.get(store=store, path=at("gone.md").text, state="trash")

    html = page(browser, address(store))

    for fix in (f"/files/{index.uuid}/edit", f"/files/{links.uuid}/edit?line=3", f"/files/{gone.uuid}/restore"):
        assert f'"{fix}"' in html
    browser.post(f"/files/{gone.uuid}/restore")
    assert [name for _, name in listed(browser, store, "?kind=broken-link")] == ["links.md"]
    remove(store, "gone.md")
    write(store, "notes/there.md", "x")
    write(store, "links.md", "[it](notes/there.md)\n")
    move(store, "notes/there.md", "notes/elsewhere.md")
    assert "It was moved to" in page(browser, address(store))
    pair = re.search(r'href="(/stores/[^"]*/health/pair[^"]*)"', html)
    assert pair
    together = page(browser, pair[1].replace("&amp;", "&"))
    assert "notes/copy.md" in together
    assert "See [the index]" in together


def test_only_members_see_it_and_viewers_are_offered_no_change(store: MemoryStore) -> None:
    seeded(store, 4)
    entry = MemoryEntry.objects.get(store=store, path=at("long.md").text)
    foreign = write(new_store(), "x.md", "secret")
    viewer = browser_of(member(store, Role.VIEWER))
    pair = address(store, f"/pair?one={entry.uuid}&other=")

    page(browser_of(stranger()), address(store), status=404)
    page(browser_of(stranger()), f"{pair}{entry.uuid}", status=404)
    html = page(viewer, address(store))

    assert "Set aside" not in html
    assert not re.search(r"/files/[0-9a-f-]+/(edit|delete|restore)", html)
    page(viewer, f"{pair}{entry.uuid}")
    for wrong in (str(foreign.uuid), "", "x"):
        page(viewer, pair + wrong, status=404)


def test_hostile_names_and_texts_show_as_text_on_a_page_of_bounded_size(store: MemoryStore, browser: Client) -> None:
    actor = replace(AGENT, authored_at=days_ago(92))
    deep = "/".join(["\u00e9" * 100] * 4)
    shared = "".join(f"- {case['payload']} said on line {n}\n" for n, case in enumerate(PAYLOADS[:6]))
    write(store, "index.md", "".join(f"[x]({case['payload']}) [[{case['payload']}]]\n" for case in PAYLOADS))
    for number in range(20):
        write(store, f"{deep}/<b>&amp;{number}", f"{shared}and what is {number} alone\n", actor=actor)
        write(store, f"{deep}/{number}.md", f"/memories/{deep}/{number}/no.md\n", actor=actor)

    for query in ("", "?kind=by-length", "?kind=broken-link", "?kind=never-read", "?page=2"):
        html = page(browser, address(store, query))
        assert len(html.encode()) < 100_000
        assert "<b>&amp;" not in html
        assert "__xss(1000)</script>" not in html
    assert escape(PAYLOADS[0]["payload"]) in page(browser, address(store, "?kind=near-duplicate"))


def test_a_store_is_looked_at_up_to_a_number_of_bytes_and_the_rest_is_named(
    store: MemoryStore, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "index.md", "nothing\n")
    write(store, "old.md", "[x](no.md)" * 10)
    write(store, "new.md", "[x](never.md)")

    report = look(store, [], timezone.now(), budget=50)

    assert {report.files[key].path for key in report.texts} == {at("index.md").text, at("new.md").text}
    monkeypatch.setattr(looking.look, "__kwdefaults__", {"budget": 50})
    html = page(browser, address(store))
    assert "Text of 1 file</b>, 100B" in html
    assert "Every link to a memory file" not in html
    assert "Nothing to examine yet" in page(browser_of(operator()), address(new_store()))
