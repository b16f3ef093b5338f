"""The list of acts: who did what, where and when, and what can be asked of it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.making import create_agent
from memories import settings
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, ImportFile, Pin, Rename
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from tests.support.people import browser_of, member, operator, stranger
from tests.support.stores import AGENT, PERSON, new_store

pytestmark = pytest.mark.django_db

A, B, C = (MemoryPath(f"/memories/{name}.md") for name in "abc")


@pytest.fixture
def curator(store: MemoryStore) -> User:
    return member(store, Role.CURATOR)


@pytest.fixture
def browser(curator: User) -> Client:
    return browser_of(curator)


def listed(browser: Client, query: str = "") -> list[str]:
    """Return the acts that the page lists, each as a sentence."""
    html = browser.get(f"/activity/{query}").text
    found = re.findall(r'<span class="w">(.*?)</span>\n', html)
    return [" ".join(re.sub(r"<[^>]+>", "", act).split()) for act in found]


@pytest.fixture
def acts(store: MemoryStore, curator: User) -> None:
    """One act of each kind, by actors of each kind, a day apart."""
    run = replace(AGENT, run_id=uuid4(), change_set="run:1")
    kinds = {kind: Actor(kind, kind.value) for kind in (ActorKind.TOKEN, ActorKind.FOLDER)}
    brought = Actor(ActorKind.IMPORT, "mia", authored_at=datetime(2020, 1, 1, tzinfo=UTC))
    with time_machine.travel(datetime(2026, 3, 1, 12, tzinfo=UTC), tick=False) as clock:
        for command, actor in (
            (Create(A, "tea\n"), run),
            (Pin(A), PERSON),
            (Rename(A, B), kinds[ActorKind.TOKEN]),
            (Delete(B), run),
            (Create(C, "x\n"), kinds[ActorKind.FOLDER]),
            (ImportFile(A, b"y\n"), brought),
        ):
            memory.apply(store.pk, command, actor=actor)
            clock.shift(timedelta(days=1))
        settings.change("store", store.slug, {"max_files": 7}, store=store, actor=PERSON)
        act = settings.change("member", str(curator.pk), {"role": "owner"}, store=store, actor=PERSON)
        Member.objects.create(store=store, user=User.objects.create_user("boss"), role=Role.OWNER)
        assert act
        settings.take_back(act, actor=PERSON)


CASES = {
    "": 8,
    "?kind=edits": 3,
    "?kind=renames": 1,
    "?kind=deletions": 1,
    "?kind=marks": 1,
    "?kind=settings": 1,
    "?kind=members": 2,
    "?kind=undos": 1,
    "?kind=nonsense": 8,
    "?by=people": 4,
    "?by=agents": 1,
    "?by=programs": 1,
    "?by=folders": 1,
    "?by=imports": 1,
    "?who=MI": 5,
    "?who=mia&by=imports": 1,
    "?from=2026-03-02&to=2026-03-03": 2,
    "?from=2026-03-06": 4,
    "?to=2026-03-01": 1,
    "?to=9999-12-31&from=0001-01-01": 8,
    "?from=nonsense&to=2026-13-40": 8,
    "?from=2026-03-03&to=2026-03-02": 0,
}


@pytest.mark.usefixtures("acts")
@pytest.mark.parametrize("query", CASES)
def test_the_address_says_which_acts_are_listed(browser: Client, query: str) -> None:
    found = listed(browser, query)

    assert len(found) == CASES[query], found


@pytest.mark.usefixtures("acts")
def test_acts_are_in_order_of_when_they_were_done_by_day_and_in_words(browser: Client, store: MemoryStore) -> None:
    html = browser.get("/activity/").text

    assert re.findall(r'<h2 class="day">(.*?)</h2>', html) == ["7 Mar", "6 Mar", "5 Mar", "3 Mar", "2 Mar", "1 Mar"]
    assert [act.partition(" · ")[0] for act in listed(browser)][-6:] == [
        "mia changed limits of store" + store.name.removeprefix("store"),
        "mia created a.md",
        "folder created c.md",
        "token renamed b.md",
        "mia pinned b.md",
        "support-bot created a.md and more",
    ]


def test_what_is_asked_stays_in_the_form_and_on_the_way_to_older_acts(browser: Client, store: MemoryStore) -> None:
    for number in range(30):
        memory.apply(store.pk, Create(MemoryPath(f"/memories/{number}.md"), "x"), actor=AGENT)

    html = browser.get(f"/activity/?store={store.slug}&by=agents&who=bot&kind=edits&from=2020-01-01").text
    older = re.search(r'rel="next" href="(.*?)"', html)
    assert older
    address = older[1].replace("&amp;", "&")

    for kept in ('value="agents" selected', 'value="edits" selected', 'value="bot"', 'value="2020-01-01"'):
        assert kept in html
    first, second = listed(browser, "?who=bot"), listed(browser, address)
    assert (len(first), len(second)) == (25, 5)
    assert first[0].startswith("support-bot created 29.md")
    assert second[0].startswith("support-bot created 4.md")
    assert 'value="bot"' in browser.get(f"/activity/{address}").text
    assert "rel=" not in browser.get(f"/activity/{address}").text.partition('class="feed"')[2]


def test_acts_about_an_agent_are_chosen_by_it(browser: Client, store: MemoryStore) -> None:
    helper, other = (create_agent(name=name, store=store) for name in ("Helper", "Other"))
    memory.apply(store.pk, Create(A, "x"), actor=replace(AGENT, agent_id=helper.pk))
    about = replace(PERSON, agent_id=helper.pk)
    settings.change("agent", helper.slug, {"max_turns": 3, "model": "m"}, store=store, actor=about)
    memory.apply(store.pk, Create(B, "x"), actor=replace(AGENT, agent_id=other.pk))

    found = listed(browser, f"?agent={helper.slug}")

    assert [act.partition(" · ")[0] for act in found] == [
        "mia changed budget and model of Helper",
        "support-bot created a.md",
    ]


def test_empty_for_lack_of_acts_and_empty_by_what_was_asked_look_different(browser: Client, store: MemoryStore) -> None:
    nothing = browser.get("/activity/").text
    memory.apply(store.pk, Create(A, "x"), actor=AGENT)
    hidden = browser.get("/activity/?kind=renames&who=nobody").text
    unknown = browser.get("/activity/?store=none-such").text

    assert "Nothing has happened yet" in nothing
    assert "Nothing matches" in hidden
    assert "Nothing has happened yet" not in hidden
    assert '<a class="btn s" href="?kind=renames">Not only by somebody called “nobody”</a>' in hidden
    assert "There is no store or agent “<bdi>none-such</bdi>”" in unknown


def test_an_outsider_sees_no_act_and_finds_none_by_asking(store: MemoryStore) -> None:
    agent = create_agent(name="Helper", store=store)
    memory.apply(store.pk, Create(A, "x"), actor=replace(AGENT, agent_id=agent.pk))
    browser = browser_of(stranger())

    for query in ("", f"?store={store.slug}", f"?agent={agent.slug}", "?who=support", "?kind=edits"):
        assert listed(browser, query) == []


def test_a_viewer_sees_acts_without_the_way_back(store: MemoryStore) -> None:
    memory.apply(store.pk, Create(A, "x"), actor=AGENT)

    html = browser_of(member(store, Role.VIEWER)).get("/activity/").text

    assert "a.md" in html
    assert "/acts/" not in html


def test_a_page_costs_as_many_queries_however_much_there_is(
    curator: User, browser: Client, store: MemoryStore, acts: None
) -> None:
    for number in range(20):
        other = new_store()
        Member.objects.create(store=other, user=curator, role=Role.OWNER)
        agent = create_agent(name="One name", store=other)
        memory.apply(other.pk, Create(A, "x"), actor=replace(AGENT, agent_id=agent.pk, run_id=uuid4(), turn=number))
        settings.change("agent", agent.slug, {"max_turns": number}, store=other, actor=PERSON)
        memory.apply(other.pk, Pin(A), actor=PERSON)

    with CaptureQueriesContext(connection) as seen:
        browser.get("/activity/?by=people")
    of_the_page = [
        each["sql"] for each in seen if not re.search("django_session|accounts_session|auth_user", each["sql"])
    ]

    assert len(of_the_page) <= 11, of_the_page


@pytest.mark.parametrize("query", ["", "?from=2020-01-01", "?before={}"])
def test_the_newest_acts_are_found_by_an_index(store: MemoryStore, query: str) -> None:
    for path in (A, B, C):
        memory.apply(store.pk, Create(path, "x"), actor=AGENT)
    browser, last = browser_of(operator()), ChangeSet.objects.latest("pk").pk

    with CaptureQueriesContext(connection) as seen:
        browser.get(f"/activity/{query.format(last)}")
    (sql,) = (each["sql"] for each in seen if 'FROM "memories_changeset"' in each["sql"] and "LIMIT 26" in each["sql"])

    assert "change_set_moment" in plan_of(sql)


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"{'EXPLAIN QUERY PLAN' if connection.vendor == 'sqlite' else 'EXPLAIN'} {sql}")
        return " ".join(str(row) for row in cursor.fetchall())
