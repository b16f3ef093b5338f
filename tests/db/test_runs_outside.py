"""Runs that are led elsewhere: what calls of a session leave behind, once and in order."""

import threading
from collections.abc import Callable

import pytest
from django.db import connections

from agents.models import ApiToken, Run, RunState, ToolCall
from agents.runs.people import NotHere, resume, send
from agents.runs.reconciling import reconcile
from memories import replies, store
from memories.actors import Actor, ActorKind
from memories.commands import Pause
from memories.models import ChangeSet, ReadEvent
from memories.refusals import Busy
from memories.tool import Result
from tests.support.outside import NOTES, call, creating, new_token, run_of
from tests.support.people import operator
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token() -> ApiToken:
    return new_token()[0]


def test_calls_of_a_session_are_one_run_and_one_change_set(token: ApiToken) -> None:
    for number in (1, 2):
        call(token, creating(f"/memories/{number}.md"), session="s-1", turn=number, cause=f"Ask {number}\nplease")
    call(token, {"command": "view", "path": "/memories/1.md"}, session="s-1", turn=2)

    run = Run.objects.get()
    assert (run.agent, run.number, run.state, run.title) == (token.agent, 1, RunState.OUTSIDE, "Ask 1")
    assert (run.turns, run.last_seq, run.last_event, run.started_by) == (2, 3, 3, "laptop")
    assert [(made.turn, made.position, made.cause) for made in run.tool_calls.all()] == [
        (1, 1, "Ask 1\nplease"),
        (2, 2, "Ask 2\nplease"),
        (2, 3, ""),
    ]
    versions = list(token.store.versions.order_by("seq"))
    assert {(v.run_id, v.actor_kind, v.actor_label, v.agent_id, v.token_id) for v in versions} == {
        (run.uuid, "token", "Invoice helper", token.agent_id, token.pk)
    }
    assert [v.turn for v in versions] == [1, 2]
    assert ChangeSet.objects.get().key == f"run:{run.uuid}"
    assert ReadEvent.objects.get().run_id == run.uuid
    assert_sound(token.store)


def test_without_a_session_there_is_no_run(token: ApiToken) -> None:
    assert not call(token, creating(), turn=3, agent="helper of mara").is_error

    version = token.store.versions.get()
    assert (version.run_id, version.token_id, version.actor_label, version.turn) == (
        None,
        token.pk,
        "helper of mara",
        3,
    )
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ({"session": "s-1"}, "s-1"),
        ({"session": ""}, "Session without a name"),
        ({"session": "s-1", "cause": " \n\n  Book it \n now"}, "Book it"),
        ({"session": "x" * 300}, "x" * 199 + "…"),
        ({"session": "s", "cause": "y" * 300}, "y" * 199 + "…"),
    ],
)
def test_a_run_is_called_by_its_first_cause_or_its_session(token: ApiToken, said: dict[str, str], title: str) -> None:
    call(token, creating(), **said)

    assert Run.objects.get().title == title


def test_a_cause_that_comes_later_names_the_run_once(token: ApiToken) -> None:
    for cause in ("", "first", "second"):
        call(token, creating(), session="s-1", cause=cause)

    assert Run.objects.get().title == "first"


def test_sessions_are_told_apart_whatever_stands_in_them(token: ApiToken) -> None:
    names = ["", "a", "a\x00", "\x00a", "\ud800", "\ud801", "x" * 255, "x" * 256, "x" * 257, "Ä", "Ä" * 255]

    for _ in range(2):
        for name in names:
            call(token, {"command": "view", "path": "/memories"}, session=name)

    assert Run.objects.count() == len(names)
    assert {run.tool_calls.count() for run in Run.objects.all()} == {2}


def test_two_agents_may_use_one_name_for_their_sessions(token: ApiToken) -> None:
    call(token, creating(), session="s-1")
    call(new_token()[0], creating(), session="s-1")

    assert Run.objects.count() == 2


def test_the_same_call_twice_changes_memory_once(token: ApiToken) -> None:
    call(token, creating(text="tea"), session="s-1")
    doubling = {"command": "str_replace", "path": NOTES, "old_str": "tea", "new_str": "tea and tea"}

    first = call(token, doubling, session="s-1", turn=2, tool_use_id="toolu_1")
    again = call(token, dict(reversed(doubling.items())), session="s-1", turn=3, tool_use_id="toolu_1")

    assert (first.content, first.is_error) == (again.content, again.is_error)
    assert ToolCall.objects.count() == 2
    assert token.store.versions.count() == 2


def test_a_refusal_is_given_again_too(token: ApiToken) -> None:
    missing = {"command": "delete", "path": NOTES}

    first = call(token, missing, session="s-1", tool_use_id="toolu_1")
    call(token, creating(), session="s-1")
    again = call(token, missing, session="s-1", tool_use_id="toolu_1")

    assert first.is_error and (first.content, first.is_error) == (again.content, again.is_error)
    assert token.store.versions.count() == 1


@pytest.mark.parametrize("session", ["s-1", None])
def test_an_id_that_came_with_another_input_is_refused(token: ApiToken, session: str | None) -> None:
    call(token, creating(), session=session, tool_use_id="toolu_1")

    other = call(token, creating(text="coffee\n"), session=session, tool_use_id="toolu_1")

    assert other.is_error and "nothing was changed" in str(other.content)
    assert token.store.versions.count() == 1


def test_ids_count_within_their_session(token: ApiToken) -> None:
    for session in ("s-1", "s-2"):
        assert not call(token, creating(f"/memories/{session}"), session=session, tool_use_id="toolu_1").is_error

    assert ToolCall.objects.count() == token.store.versions.count() == 2


def test_without_a_session_an_id_counts_for_the_token(token: ApiToken) -> None:
    other, _ = new_token(token.agent)
    call(token, creating(text="a"), tool_use_id="toolu_1")
    insert = {"command": "insert", "path": NOTES, "insert_line": 0, "insert_text": "b\n"}

    answers = [call(by, insert, tool_use_id="toolu_2") for by in (token, token, other)]

    assert len({str(answer.content) for answer in answers}) == 1
    assert token.store.versions.count() == 3


def test_ids_may_be_of_any_length_and_hold_anything(token: ApiToken) -> None:
    ids = ["x" * 255, "x" * 256, "x" * 257, "a\x00", "\ud800", "ü"]

    for number in (1, 2):
        for name in ids:
            path = f"/memories/{ids.index(name)}.md"
            assert not call(token, creating(path), session="s-1", tool_use_id=name).is_error, number

    assert ToolCall.objects.count() == len(ids)
    assert token.store.versions.count() == len(ids)


def test_calls_without_an_id_are_each_for_themselves(token: ApiToken) -> None:
    for _ in range(2):
        call(token, creating(), session="s-1", tool_use_id="")

    assert ToolCall.objects.count() == 2


def test_what_is_told_is_kept_within_bounds(token: ApiToken) -> None:
    call(
        token,
        creating(),
        session="s-1",
        cause="c" * 5_000,
        agent="a" * 5_000,
        external=tuple("e" * 5_000 for _ in range(500)),
    )

    made = ToolCall.objects.get()
    assert (len(made.cause), made.cause[-2:]) == (2_000, "c…")
    assert (len(made.external), {len(source) for source in made.external}) == (50, {500})
    assert len(token.store.versions.get().actor_label) == 255


def test_nul_and_half_characters_are_kept_as_signs_that_something_stood_there(token: ApiToken) -> None:
    odd = "a\x00b\ud800c"

    assert not call(token, creating(), session="s-1", cause=odd, agent=odd, external=(odd,)).is_error

    made = ToolCall.objects.get()
    assert (made.cause, made.external) == ("a\ufffdb\ufffdc", ["a\ufffdb\ufffdc"])
    assert token.store.versions.get().actor_label == "a\ufffdb\ufffdc"


def test_first_calls_at_once_make_one_run(token: ApiToken) -> None:
    answers = at_once(
        8, lambda number: call(token, creating(f"/memories/{number}.md"), session="s-1", tool_use_id=str(number))
    )

    assert [answer.is_error for answer in answers] == [False] * 8
    run = Run.objects.get()
    assert sorted(run.tool_calls.values_list("position", flat=True)) == list(range(1, 9))
    assert (run.last_seq, run.last_event) == (8, 8)
    assert_sound(token.store)


def test_first_calls_of_several_sessions_at_once_number_their_runs(token: ApiToken) -> None:
    at_once(8, lambda number: call(token, creating(f"/memories/{number}.md"), session=f"s-{number}"))

    assert sorted(Run.objects.values_list("number", flat=True)) == list(range(1, 9))


def test_the_same_call_at_once_changes_memory_once(token: ApiToken) -> None:
    call(token, creating(text="tea"), session="s-1")
    doubling = {"command": "str_replace", "path": NOTES, "old_str": "tea", "new_str": "tea and tea"}

    answers = at_once(6, lambda _: call(token, doubling, session="s-1", tool_use_id="toolu_1"))

    assert len({str(answer.content) for answer in answers}) == 1
    assert token.store.versions.count() == 2


def test_a_busy_store_is_an_answer_of_the_tool(token: ApiToken, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*given: object, **more: object) -> None:
        raise Busy(replies.BUSY)

    monkeypatch.setattr(store, "locked", busy)

    assert call(token, creating(), session="s-1").content == replies.BUSY


def test_nobody_here_drives_such_a_run_or_speaks_in_it(token: ApiToken) -> None:
    run = run_of(token)

    with pytest.raises(NotHere):
        send(run, "hello", user=operator())
    with pytest.raises(NotHere):
        resume(run, user=operator())
    reconcile()

    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.OUTSIDE, 0)


def test_a_store_that_is_paused_refuses_the_change_and_keeps_the_call(token: ApiToken) -> None:
    store.apply(token.store_id, Pause(), actor=Actor(ActorKind.PERSON, "mia"))

    answer = call(token, creating(), session="s-1")

    assert answer.is_error and "paused" in str(answer.content)
    assert ToolCall.objects.get().is_error


def at_once(count: int, act: Callable[[int], Result]) -> list[Result]:
    """Return what ``act`` answers in so many threads that begin together."""
    barrier, answers = threading.Barrier(count), []

    def one(number: int) -> None:
        barrier.wait(20)
        try:
            answers.append(act(number))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == count
    return answers
