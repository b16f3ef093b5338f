"""The pages of a store as it was, and the preview that puts it back."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import moments
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, ImportFile, Rename, StrReplace
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from tests.support.long_history import with_history
from tests.support.people import stranger
from tests.support.stores import files_of

A, B, C = (MemoryPath(f"/memories/{name}") for name in ("a.md", "d/<b>.md", "c.md"))


@pytest.fixture
def browser(client: Client, mara: User) -> Client:
    client.force_login(mara)
    return client


@pytest.fixture
def ours(store: MemoryStore, mara: User, agent: Actor, person: Actor) -> MemoryStore:
    """Return a store with five changes: at 2 it holds a.md and d/<b>.md, now x/<b>.md and c.md."""
    Member.objects.create(store=store, user=mara, role=Role.CURATOR)
    run = replace(agent, run_id=uuid4(), change_set="run:1")
    memory.apply(store.pk, Create(A, "tea\n"), actor=run)
    memory.apply(store.pk, Create(B, "# Milk\n\n- white\n"), actor=run)
    memory.apply(store.pk, Rename(MemoryPath("/memories/d"), MemoryPath("/memories/x")), actor=person)
    memory.apply(store.pk, Delete(A), actor=person)
    memory.apply(store.pk, Create(C, "later\n"), actor=person)
    store.refresh_from_db()
    return store


def page(browser: Client, store: MemoryStore, rest: str, status: int = 200) -> str:
    answer = browser.get(f"/stores/{store.slug}/{rest}")
    assert answer.status_code == status
    return answer.content.decode()


def test_a_moment_shows_its_tree_its_files_and_what_has_become_of_them(browser: Client, ours: MemoryStore) -> None:
    root = page(browser, ours, "time/?at=2")
    file = page(browser, ours, "time/d/%3Cb%3E.md?at=2")
    against = page(browser, ours, "time/a.md?at=2&view=now")
    missing = page(browser, ours, "time/c.md?at=2", 404)

    assert "2 files, 20B then." in root
    assert "0 differ from now, 1 moved, 1 is gone, 1 came later." in root
    assert "gone now" in root
    assert 'href="/stores/store-' in root
    assert "<h2>Milk</h2>" in file or "Milk" in file
    assert "elsewhere now" in file
    assert "&lt;b&gt;.md" in file
    assert "The file is not there now" in against
    assert "Nothing lived here then" in missing


def test_steps_lead_from_act_to_act_and_past_runs(browser: Client, ours: MemoryStore) -> None:
    ways = [moments.steps_from(ours, seq) for seq in range(6)]

    assert [way.back for way in ways] == [None, 0, 0, 2, 3, 4]
    assert [way.forth for way in ways] == [2, 2, 3, 4, 5, None]
    assert [way.run_back.seq if way.run_back else None for way in ways] == [None, None, None, 2, 2, 2]
    assert [way.run_forth.seq if way.run_forth else None for way in ways] == [2, 2, None, None, None, None]
    assert [(mark.kind, mark.seq, mark.size) for mark in moments.marks_of(ours)] == [
        ("run", 1, 2), ("person", 3, 1), ("person", 4, 1), ("person", 5, 1),
    ]  # fmt: skip
    body = page(browser, ours, "time/?at=3")
    assert 'href="/stores/' in body and "?at=2" in body and "?at=4" in body
    page(browser, ours, "time/?at=6", 404)
    page(browser, ours, "time/?at=x", 404)


def test_the_clock_follows_the_changes_whatever_they_tell(store: MemoryStore, agent: Actor, person: Actor) -> None:
    def at(day: int) -> datetime:
        return datetime(2026, 11, day, 12, tzinfo=UTC)

    old = Actor(ActorKind.IMPORT, "mara", authored_at=datetime(2019, 1, 1, tzinfo=UTC))
    written = [replace(agent, authored_at=at(3)), replace(agent, authored_at=at(9)), replace(person, authored_at=at(5))]
    for number, actor in enumerate([old, *written, old]):
        memory.apply(store.pk, ImportFile(MemoryPath(f"/memories/{number}.md"), b"x\n"), actor=actor)
    store.refresh_from_db()

    times = [moments.time_of(store, seq) for seq in range(1, 6)]

    assert times[:4] == [at(3), at(3), at(5), at(5)]
    assert times[4] == store.recorded_at
    assert [moments.seq_at(store, at(day)) for day in (3, 4, 6, 10)] == [0, 2, 4, 4]
    for seq, time in enumerate(times, 1):
        assert time is not None
        assert moments.time_of(store, moments.seq_at(store, time) + 1) == time
        assert moments.seq_at(store, time) < seq


@pytest.mark.parametrize(
    ("given", "seq"),
    [("2026-11-03", 1), ("2026-11-03T12:00", 1), ("2026-11-03T11:59", 0), ("2026-11-03T12:00:00", 1), ("", 2)],
)
def test_a_date_leads_to_its_moment_up_to_its_end(
    browser: Client, store: MemoryStore, mara: User, agent: Actor, given: str, seq: int
) -> None:
    Member.objects.create(store=store, user=mara, role=Role.VIEWER)
    for day in (3, 4):
        then = replace(agent, authored_at=datetime(2026, 11, day, 12, tzinfo=UTC))
        memory.apply(store.pk, Create(MemoryPath(f"/memories/{day}.md"), "x\n"), actor=then)

    answer = browser.get(f"/stores/{store.slug}/time/x%20y.md?date={given}")

    assert answer["Location"] == f"/stores/{store.slug}/time/x%20y.md?at={seq}"


def test_the_agents_view_of_then_is_linked_and_exact(browser: Client, ours: MemoryStore) -> None:
    body = page(browser, ours, "agent-view/?at=2&download=1")
    shown = page(browser, ours, "agent-view/a.md?at=2")

    assert body.endswith("\n4B\t/memories/a.md\n16B\t/memories/d/\n16B\t/memories/d/<b>.md")
    assert "1\ttea" in shown.replace("<i>", "").replace("</i>", "")
    assert "The store then" in shown


def test_everything_is_put_back_after_a_preview_and_the_toast_undoes_it(browser: Client, ours: MemoryStore) -> None:
    now = files_of(ours)
    address = f"/stores/{ours.slug}/put-back?at=2"
    body = browser.get(address).content.decode()
    shown = body.partition('name="shown" value="')[2].partition('"')[0]
    later = ours.entries.get(path=C.text).uuid

    assert "Came later" in body
    assert "Changed since by" in body
    answer = browser.post(address, {"shown": shown, "offered": [later], "back": [later]}, follow=True)
    assert files_of(ours) == {A.text: b"tea\n", B.text: b"# Milk\n\n- white\n"}
    assert "3 files put back as of change 2." in answer.content.decode()
    browser.post(f"/acts/{ChangeSet.objects.filter(store=ours).latest('pk').uuid}/undo")
    assert files_of(ours) == now


def test_a_preview_that_is_out_of_date_is_shown_anew(browser: Client, ours: MemoryStore, agent: Actor) -> None:
    address = f"/stores/{ours.slug}/put-back?at=2"
    shown = browser.get(address).content.decode().partition('name="shown" value="')[2].partition('"')[0]
    memory.apply(ours.pk, StrReplace(C, "later", "even later"), actor=agent)
    before = files_of(ours)

    answers = [browser.post(address, fields) for fields in ({"shown": shown}, {})]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert "A file changed while you looked" in answers[0].content.decode()
    assert files_of(ours) == before


@pytest.mark.parametrize("role", [Role.VIEWER, None])
def test_who_may_not_change_the_store_puts_nothing_back(client: Client, ours: MemoryStore, role: Role | None) -> None:
    somebody = stranger()
    if role:
        Member.objects.create(store=ours, user=somebody, role=role)
    client.force_login(somebody)
    before = files_of(ours)
    looks = [client.get(f"/stores/{ours.slug}/{rest}?at=2").status_code for rest in ("time/", "time-tree/", "put-back")]
    looks.append(client.post(f"/stores/{ours.slug}/put-back?at=2", {"shown": "x"}).status_code)

    assert looks == ([200, 302, 200, 403] if role else [404] * 4)
    assert files_of(ours) == before


def test_any_moment_of_a_long_past_costs_the_same_few_queries(
    browser: Client, store: MemoryStore, mara: User, agent: Actor
) -> None:
    Member.objects.create(store=store, user=mara, role=Role.CURATOR)
    with_history(store, replace(agent, change_set="all"), files=120, versions=1_000)

    for seq in (60, 500, 999):
        folder = moments.files_at(store, seq)[0].memory_path.parent
        for path in (folder.relative, moments.files_at(store, seq)[0].memory_path.relative):
            with CaptureQueriesContext(connection) as asked:
                answer = browser.get(f"/stores/{store.slug}/time/{path}?at={seq}")
            of_memory = [q["sql"] for q in asked if "memories_memory" in q["sql"] and "memories_member" not in q["sql"]]
            assert answer.status_code == 200
            assert len(of_memory) <= 12, "\n".join(of_memory)
            assert len(answer.content) < 100_000


def test_a_level_is_added_up_by_the_database_from_the_index_of_changes(store: MemoryStore, agent: Actor) -> None:
    with_history(store, replace(agent, change_set="all"), files=120, versions=600)
    folder = MemoryPath("/memories/customers/group-000")

    with CaptureQueriesContext(connection) as asked:
        (level,) = moments.levels_at(store, 300, [folder], 10)
    plan = "\n".join(map(str, explained(asked[0]["sql"])))

    assert len(asked) == 1
    assert len(level.children) == 10 and level.more
    if connection.vendor == "sqlite":
        # Through its changes until then, in their order: nothing of the store is gone through whole.
        assert "SCAN v" not in plan, plan
        assert "SCAN memories_" not in plan, plan


def explained(sql: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            ("EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN ") + sql.replace("%", "%%")
        )
        return list(cursor.fetchall())
