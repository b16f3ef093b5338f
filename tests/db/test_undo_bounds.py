"""What taking an act back may cost: statements, memory, and how long others wait for the store."""

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.db import connection

from memories import store as memory
from memories import undo
from memories.actors import Actor
from memories.commands import Command, Create, Insert, Pin, Rename, StrReplace
from memories.models import ChangeSet, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.refusals import Busy
from memories.undo import Answer, Reason, Reply, Verdict, acting, trails
from tests.support.stores import assert_sound, files_of, new_store

A, B = MemoryPath("/memories/a.md"), MemoryPath("/memories/b.md")


def of_act(actor: Actor) -> Actor:
    return replace(actor, change_set="act")


def do(store: MemoryStore, actor: Actor, *commands: Command) -> None:
    with memory.locked(store.pk) as tx:
        for command in commands:
            tx.apply(command, actor=actor)


def act_of(store: MemoryStore) -> ChangeSet:
    return ChangeSet.objects.get(store=store, key="act")


@contextmanager
def statements(seen: Callable[[str], None]) -> Iterator[None]:
    """Tell ``seen`` of each statement before it runs."""

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield


def cost_of(act: Callable[[], object]) -> int:
    """Return how many statements an act takes beside those of the write path, which go by the versions it makes."""
    seen: list[str] = []
    with statements(seen.append):
        act()
    return len(seen)


def moved_and_edited(agent: Actor, person: Actor, files: int, *, moves: int = 1, later: bool = False) -> ChangeSet:
    """Return an act that moved a directory of files some times, and edited each file."""
    store = new_store()
    places = [MemoryPath(f"/memories/d{number}") for number in range(moves + 1)]
    names = [f"{number:04}.md" for number in range(files)]
    do(store, person, *(Create(MemoryPath(f"{places[0]}/{name}"), f"{name}\nmid\nlast\n") for name in names))
    do(store, of_act(agent), *(Rename(*pair) for pair in pairwise(places)))
    now = {name: MemoryPath(f"{places[-1]}/{name}") for name in names}
    do(store, of_act(agent), *(StrReplace(path, name, f"edited {name}") for name, path in now.items()))
    if later:
        do(store, person, *(StrReplace(path, "last", "later") for path in now.values()))
    return act_of(store)


def test_ten_thousand_versions_of_a_thousand_files_go_back(db: None, agent: Actor, person: Actor) -> None:
    act = moved_and_edited(agent, person, 1_000, moves=9)
    assert act.versions.count() == 10_000

    plan = cost_of(lambda: undo.plan(act))
    done = cost_of(lambda: undo.undo(act, actor=person, replies={}))

    assert plan < 30
    assert done < 1_000 + 3 * 30
    files = files_of(act.memory)
    assert len(files) == 1_000
    assert files["/memories/d0/0007.md"] == b"0007.md\nmid\nlast\n"


@pytest.mark.parametrize(("later", "planning"), [(False, 0), (True, 5)])
def test_each_file_costs_the_same_few_statements(
    db: None, agent: Actor, person: Actor, *, later: bool, planning: int
) -> None:
    few, many = (moved_and_edited(agent, person, files, later=later) for files in (10, 30))

    plan = cost_of(lambda: undo.plan(many)) - cost_of(lambda: undo.plan(few))
    done, more = (cost_of(lambda act=act: undo.undo(act, actor=person, replies={})) for act in (few, many))  # type: ignore[misc]

    assert plan == 20 * planning
    assert more - done == 20 * (planning + 1)
    made = MemoryVersion.objects.filter(store=many.store_id, operation__in=("renamed", "restored"))
    assert made.exclude(change_set=many).count() == 30 * 2
    assert_sound(many.memory)


def test_contents_are_held_a_few_at_a_time(store: MemoryStore, agent: Actor, person: Actor) -> None:
    random = Random(1)
    texts = [f"{number}\n{random.randbytes(50_000).hex()}\n" for number in range(100)]
    paths = [MemoryPath(f"/memories/{number}.md") for number in range(100)]
    do(store, person, *map(Create, paths, texts))
    do(store, of_act(agent), *(StrReplace(path, text, text[::-1]) for path, text in zip(paths, texts, strict=True)))
    act = act_of(store)
    del texts

    tracemalloc.start()
    undo.undo(act, actor=person, replies={})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 5_000_000


def test_what_is_written_while_a_plan_is_made_is_in_the_plan_that_is_done(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(A, "one\ntwo\nthree\n"), Create(B, "one\ntwo\nthree\n"))
    do(store, of_act(agent), StrReplace(A, "one", "ONE"), StrReplace(B, "one", "ONE"))
    do(store, person, StrReplace(A, "three", "later"))
    waiting = [StrReplace(B, "three", "later")]

    def meanwhile(sql: str) -> None:
        if "memories_blob" in sql and waiting:
            do(store, person, waiting.pop())

    with statements(meanwhile):
        undo.undo(act_of(store), actor=person, replies={})

    assert not waiting
    assert files_of(store) == {path.text: b"one\ntwo\nlater\n" for path in (A, B)}


def test_files_that_never_stay_as_planned_are_left_and_said_to_be_busy(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    do(store, person, Create(A, "one\ntwo\n"))
    do(store, of_act(agent), StrReplace(A, "one", "ONE"))
    do(store, person, Insert(A, 2, "later\n"))
    within: list[str] = []

    def meanwhile(sql: str) -> None:
        if "memories_blob" in sql and not within:
            within.append(sql)
            do(store, person, Insert(A, 2, "again\n"))
            within.clear()

    with statements(meanwhile), pytest.raises(Busy, match="busy"):
        undo.undo(act_of(store), actor=person, replies={})

    assert files_of(store)[A.text].startswith(b"ONE\ntwo\nagain\n")


def test_a_person_decides_where_there_is_more_text_than_one_plan_compares(
    store: MemoryStore, agent: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(store, person, Create(A, "one\ntwo\n"))
    do(store, of_act(agent), StrReplace(A, "one", "ONE"), Create(B, "one\n"))
    do(store, person, StrReplace(A, "two", "TWO"), StrReplace(B, "one", "another"))
    monkeypatch.setattr(acting, "COMPARED", 0)

    plans = undo.plan(act_of(store))

    assert [(made.verdict, made.reason) for made in plans] == [
        (Verdict.ASKED, Reason.TOO_LARGE),
        (Verdict.ASKED, None),
    ]
    undo.undo(act_of(store), actor=person, replies={made.entry.uuid: Reply(Answer.WHOLE) for made in plans})
    assert files_of(store) == {A.text: b"one\ntwo\n"}


def test_an_act_whose_files_have_had_too_many_versions_is_refused(
    store: MemoryStore, agent: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(store, of_act(agent), Create(A, "one\n"), StrReplace(A, "one", "two"))
    monkeypatch.setattr(trails, "VERSIONS", 2)
    assert undo.plan(act_of(store))
    do(store, person, StrReplace(A, "two", "three"))

    with pytest.raises(undo.TooMuch, match="have had 3 versions since, and one undo takes 2 versions at most"):
        undo.plan(act_of(store))
    do(store, of_act(agent), StrReplace(A, "three", "four"))
    with pytest.raises(undo.TooMuch, match="made more than 2 versions"):
        undo.undo(act_of(store), actor=person, replies={})

    assert MemoryVersion.objects.filter(store=store).count() == 4


def test_marks_alone_ask_for_no_version(store: MemoryStore, agent: Actor, person: Actor) -> None:
    do(store, agent, Create(A, "one\n"))
    do(store, of_act(person), Pin(A))
    seen: list[str] = []

    with statements(seen.append):
        assert undo.plan(act_of(store)) == []

    assert not any("memories_memoryversion" in sql for sql in seen)
