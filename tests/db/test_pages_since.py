"""Since you last looked: one difference for each file, whatever lay between, until the person has seen it."""

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agents.making import create_agent
from agents.models import RunState
from memories import store as memory_store
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, Insert, StrReplace
from memories.models import FileSeen, Member, MemoryStore, Role, StoreSeen
from memories.paths import MemoryPath
from tests.support.files import at, move, page, remove, write, write_image
from tests.support.people import browser_of, member, stranger
from tests.support.run_rows import run_in
from tests.support.stores import AGENT

pytestmark = pytest.mark.django_db

SINCE = "/since/"
SEEN = "/since/seen"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def curator(store: MemoryStore) -> User:
    """A curator of the store, who has seen all of it so far."""
    return member(store, Role.CURATOR)


@pytest.fixture
def browser(curator: User) -> Client:
    """The curator's browser."""
    return browser_of(curator)


@pytest.fixture
def me(curator: User) -> Actor:
    """The curator as the author of changes."""
    return Actor(ActorKind.PERSON, curator.username, user_id=curator.pk)


def look(browser: Client) -> None:
    """Mark all there is as seen."""
    browser.post(SEEN, {"upto": upto(page(browser, SINCE)), "all": "1"})


def upto(html: str) -> str:
    """Return what the page's last button sends: how far it knows each store."""
    found: list[str] = re.findall(r'name="upto" value="([^"]*)"', html)
    return found[-1]


def listed(html: str) -> list[str]:
    """Return the files of the page, in order, each with what it says about it."""
    rows = html.split("data-entry>")[1:]
    texts = [re.sub(r"<[^>]*>", " ", row.partition('class="actions"')[0]) for row in rows]
    return [" ".join(text.split()).rpartition(" · ")[0] for text in texts]


def test_a_file_shows_one_difference_from_what_was_seen_to_now(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "one\ntwo\n")
    look(browser)
    for text in ("one\n2\n", "uno\n2\n", "uno\n2\nthree\n"):
        write(store, "a.md", text, actor=AGENT)

    html = page(browser, SINCE)

    assert listed(html) == ["a.md +3 −2 3 changes · support-bot"]
    assert re.findall(r'<td class="[ad]">(\w+)\s*</td>', html) == ["one", "two", "uno", "2", "three"]


def test_each_file_says_in_words_what_became_of_it(store: MemoryStore, browser: Client, me: Actor) -> None:
    for name in ("moved", "both", "same", "gone", "again", "mine"):
        write(store, f"{name}.md", f"{name}\n")
    write(store, "back.md", "back\n")
    remove(store, "back.md")
    look(browser)
    move(store, "moved.md", "notes/moved.md", actor=AGENT)
    move(store, "both.md", "notes/both.md", actor=AGENT)
    write(store, "notes/both.md", "other\n", actor=AGENT)
    write(store, "same.md", "x\n", actor=AGENT)
    write(store, "same.md", "same\n", actor=AGENT)
    remove(store, "gone.md", actor=AGENT)
    remove(store, "again.md", actor=AGENT)
    write(store, "again.md", "anew\n", actor=AGENT)
    write(store, "new.md", "new\n", actor=AGENT)
    write(store, "mine.md", "by me\n", actor=me)
    write(store, "passing.md", "x", actor=AGENT)
    remove(store, "passing.md", actor=AGENT)
    write_image(store, "chart.png")

    html = page(browser, SINCE)

    assert listed(html) == [
        "again.md +1 −1 deleted and made again, 2 changes · support-bot",
        "chart.png new file · mia",
        "gone.md −1 deleted · support-bot",
        "new.md +1 new file · support-bot",
        "notes/both.md +1 −1 moved from both.md and changed, 2 changes · support-bot",
        "notes/moved.md 0 moved from moved.md · support-bot",
        "same.md 0 changed twice, same text as before · support-bot",
    ]
    assert "1 file made and deleted again" in html
    assert "Images are not compared line by line." in html
    assert 'image?v=1" alt="As it is now"' in html
    assert "Restore version 1" in html
    assert "mine.md" not in html


def test_many_versions_of_some_files_read_as_one_entry_each(store: MemoryStore, browser: Client) -> None:
    paths = [at(f"notes/{number:02}.md") for number in range(40)]
    with memory_store.locked(store.pk) as tx:
        for path in paths:
            tx.apply(Create(path, "- start\n"), actor=AGENT)
    look(browser)
    with memory_store.locked(store.pk) as tx:
        for number in range(500):
            tx.apply(Insert(paths[number % 40], 1, f"- change {number}\n"), actor=AGENT)

    first = page(browser, SINCE)
    rest = page(browser, SINCE + "?first=20")

    assert len(listed(first)) == len(listed(rest)) == 20
    assert {row.split()[0] for row in listed(first) + listed(rest)} == {f"notes/{number:02}.md" for number in range(40)}
    assert 'href="?first=20"' in first
    assert 'href="?first=40"' not in rest
    assert max(len(first.encode()), len(rest.encode())) < 100_000


def test_a_mark_covers_what_was_on_the_page_and_nothing_later(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x", actor=AGENT)
    entry = write(store, "b.md", "x", actor=AGENT)
    html = page(browser, SINCE)
    write(store, "b.md", "y", actor=AGENT)
    write(store, "c.md", "x", actor=AGENT)

    browser.post(SEEN, {"upto": upto(html)})
    assert [row.split()[0] for row in listed(page(browser, SINCE))] == ["b.md", "c.md"]

    browser.post(SEEN, {"file": f"{entry.uuid}:1"})
    assert [row.split()[0] for row in listed(page(browser, SINCE))] == ["b.md", "c.md"]
    part = browser.post(SEEN, {"file": f"{entry.uuid}:2"}, headers=HTMX).content.decode()
    assert [row.split()[0] for row in listed(part)] == ["c.md"]
    assert "b.md counts as seen." in part


def test_marks_can_be_taken_back_from_the_toast_and_from_the_empty_page(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x", actor=AGENT)
    look(browser)
    write(store, "a.md", "y", actor=AGENT)
    entry = write(store, "b.md", "x", actor=AGENT)
    browser.post(f"/files/{entry.uuid}/seen", {"version": 1})
    write(store, "b.md", "y", actor=AGENT)
    before = listed(page(browser, SINCE))
    assert len(before) == 2

    for made in ({"file": f"{entry.uuid}:2"}, {"upto": upto(page(browser, SINCE)), "all": "1"}):
        html = browser.post(SEEN, made, follow=True).content.decode()
        assert listed(html) != before
        undo = re.findall(r'action="(/since/seen/\d+/undo)"', html)
        assert undo
        browser.post(undo[0])
        assert listed(page(browser, SINCE)) == before
        again = browser.post(undo[0], follow=True).content.decode()
        assert "Nothing was taken back" in again

    look(browser)
    page(browser, SINCE)
    empty = page(browser, SINCE)
    assert "All seen" in empty
    assert "Undo<kbd>" not in empty
    browser.post(re.findall(r'action="(/since/seen/\d+/undo)"', empty)[0])
    assert listed(page(browser, SINCE)) == before


def test_a_first_mark_that_is_taken_back_leaves_no_trace(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x", actor=AGENT)

    browser.post(SEEN, {"upto": upto(page(browser, SINCE))})
    html = page(browser, SINCE)
    browser.post(re.findall(r'action="(/since/seen/\d+/undo)"', html)[0])

    assert not StoreSeen.objects.exists()


def test_an_opened_older_page_does_not_lower_what_was_seen(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x", actor=AGENT)
    write(store, "a.md", "y", actor=AGENT)

    for version in (2, 1):
        browser.post(f"/files/{entry.uuid}/seen", {"version": version})

    assert FileSeen.objects.get().version == 2


def test_runs_of_a_group_are_named_and_can_be_undone(browser: Client, curator: User) -> None:
    agent = create_agent(name="Support desk")
    Member.objects.create(store=agent.store, user=curator, role=Role.CURATOR)
    run = run_in(RunState.DONE, agent)
    actor = Actor(ActorKind.AGENT, "Support desk", run_id=run.uuid, change_set=f"run:{run.uuid}", turn=1)
    memory_store.apply(agent.store_id, Create(at("a.md"), "x"), actor=actor)

    html = page(browser, SINCE)

    assert f'href="/runs/{run.uuid}' in html
    act = agent.store.change_sets.get().uuid
    assert f'/acts/{act}/undo?next=/since/"' in html
    assert f"Undo run {run.number}…" in html


def test_roles_decide_who_sees_and_who_may_fix(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x", actor=AGENT)
    edit, mark = reverse("memories:edit", args=[entry.uuid]), {"file": f"{entry.uuid}:1"}
    viewer, outsider = browser_of(member(store, Role.VIEWER)), browser_of(stranger())

    assert edit in page(browser, SINCE)
    assert edit not in page(viewer, SINCE)
    assert viewer.post(SEEN, mark).status_code == 302
    assert listed(page(viewer, SINCE)) == []
    assert "a.md" not in page(outsider, SINCE)
    for fields in (mark, {"upto": f"{store.pk}:1"}):
        assert outsider.post(SEEN, fields).status_code == 404
    assert outsider.get(f"/since/files/{entry.uuid}").status_code == 404
    assert len(listed(page(browser, SINCE))) == 1
    assert browser.post(SEEN, {"upto": "x"}).status_code == 400


def test_a_large_difference_is_a_link_away_and_paged_there(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "long.md", "")
    look(browser)
    write(store, "long.md", "".join(f"- line {number}\n" for number in range(900)), actor=AGENT)
    write(store, "huge.md", "x" * 100_000, actor=AGENT)

    html = page(browser, SINCE)
    whole = page(browser, f"/since/files/{entry.uuid}")

    assert f'href="/since/files/{entry.uuid}">Show all of it' in html
    assert "Too large to show here: 97.7K." in html
    assert "- line 150" not in html
    assert "- line 150" in whole
    assert "page=2" in whole
    assert len(whole.encode()) < 100_000
    look(browser)
    assert "Nothing has become of" in page(browser, f"/since/files/{entry.uuid}")


def test_files_with_long_names_make_shorter_pages(store: MemoryStore, browser: Client) -> None:
    names = ["/".join(["ä" * 110] * 4 + [f"{number}.md"]) for number in range(20)]
    with memory_store.locked(store.pk) as tx:
        for name in names:
            tx.apply(Create(MemoryPath.parse(f"/memories/{name}"), '"&<' * 3_000), actor=AGENT)

    html = page(browser, SINCE)

    assert len(html.encode()) < 100_000
    following = int(re.findall(r'href="\?first=(\d+)"', html)[0])
    assert len(listed(html)) == following < 20


def test_the_rail_and_the_agents_page_count_what_is_new(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x", actor=AGENT)
    write(store, "b.md", "x", actor=AGENT)

    for address in ("/agents/", "/activity/", SINCE):
        assert '2<span class="vh"> files new to you' in page(browser, address)
    assert "2 files changed since you last looked" in page(browser, "/agents/")
    look(browser)
    assert "new to you" not in page(browser, "/agents/")
    assert "since you last looked" not in page(browser, "/agents/")


def test_a_page_takes_as_many_queries_for_many_files_as_for_one(
    store: MemoryStore, browser: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(25):
        path = at(f"{number}.md")
        memory_store.apply(store.pk, Create(path, "x"), actor=AGENT)
        actor = Actor(ActorKind.AGENT, "Support desk", run_id=uuid4())
        memory_store.apply(store.pk, StrReplace(path, "x", "y"), actor=actor)
    memory_store.apply(store.pk, Delete(at("3.md")), actor=AGENT)
    page(browser, SINCE)

    with django_assert_max_num_queries(21):  # type: ignore[operator]
        page(browser, SINCE)


@pytest.mark.parametrize("spelled", ["{0.hex}----", "----{0.hex}", "{0}"])
def test_an_id_is_known_however_its_hyphens_stand(store: MemoryStore, spelled: str) -> None:
    entry = write(store, "a.md", "one\n", actor=AGENT)
    user = member(store, Role.VIEWER)

    answer = browser_of(user).post(SEEN, {"file": f"{spelled.format(entry.uuid)}:1"})

    assert answer.status_code == 302
    assert FileSeen.objects.get(user=user, entry=entry).version == 1
