"""What live pages are told, in which order, and what is left of it."""

import itertools

import pytest

from agents import runs
from agents.demo.faults import Fault
from agents.models import Run
from agents.runs.events import CHUNKS
from tests.support.runs import driven, driving, eventually, is_streaming, model_api, new_run, person

pytestmark = pytest.mark.django_db(transaction=True)


def kinds(run: Run) -> list[str]:
    return list(run.events.values_list("kind", flat=True))


def test_events_come_in_the_order_of_the_rows_they_tell_of_and_end_with_the_state() -> None:
    with model_api():
        run = driven(new_run())

    told = list(run.events.all())
    assert [event.data["seq"] for event in told if event.kind == "message"] == list(
        run.messages.values_list("seq", flat=True)
    )
    assert [event.data["tool_use_id"] for event in told if event.kind == "call"] == [
        call.tool_use_id for call in run.tool_calls.all()
    ]
    assert [event.data["state"] for event in told if event.kind == "state"] == ["running", "done"]
    assert told[-1].kind == "state"
    seqs = [event.seq for event in told]
    assert seqs == sorted(set(seqs))
    assert seqs[-1] == run.last_event


def test_chunks_are_removed_once_the_answer_is_stored_whole() -> None:
    with model_api(pace=0.1) as server:
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=1))
        server.pace = 0
        worker.join()

    run.refresh_from_db()
    assert not set(kinds(run)) & set(CHUNKS)
    assert run.last_event > len(kinds(run)), "their numbers are not used again"


def test_streamed_text_adds_up_in_order_and_is_written_four_times_a_second_at_most() -> None:
    with model_api(pace=0.1) as server:
        run = new_run()
        worker = driving(run)
        seen = {}
        while not run.messages.filter(turn=1).exists():
            for event in run.events.filter(kind="text"):
                seen[event.seq] = event
        server.pace = 0
        worker.join()

    answer = run.messages.get(role="assistant", turn=1)
    streamed = "".join(event.data["text"] for _, event in sorted(seen.items()))
    whole = "".join(block["text"] for block in answer.content if block["type"] == "text")
    assert streamed
    assert whole.startswith(streamed)
    gaps = [
        (later.created_at - earlier.created_at).total_seconds() for earlier, later in itertools.pairwise(seen.values())
    ]
    assert all(gap >= 0.24 for gap in gaps)


def test_a_tool_call_that_streams_names_its_tool_first() -> None:
    with model_api(Fault("stream_then_silence", after=1, after_events=14)):
        run = new_run()
        worker = driving(run)
        eventually(lambda: "tool" in kinds(run))
        first = run.events.filter(kind="tool").first()
        runs.cancel(run, user=person())
        worker.join(5)

    assert first is not None
    assert first.data["name"] == "memory"
    assert first.data["turn"] == 2


def test_a_failed_attempt_and_a_wait_are_told_with_their_cause_and_time() -> None:
    with model_api(Fault("status", status=529)):
        run = new_run()
        runs.drive(run.pk)

    attempt, state = run.events.filter(kind__in=("attempt", "state")).order_by("-seq")[:2][::-1]
    run.refresh_from_db()
    assert run.wake_at is not None
    assert attempt.data == {"id": run.failed_attempts.get().pk}
    assert state.data["state"] == "waiting"
    assert state.data["wake_at"] == run.wake_at.isoformat()
    assert "529" in state.data["detail"]


def test_a_message_that_waits_is_told_when_it_is_sent_and_again_when_it_is_taken_in() -> None:
    with model_api(Fault("stream_then_silence", after=1, after_events=6), MEMDASH_IDLE_SECONDS=0.5):
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=2))
        runs.send(run, "One more thing", user=person("ada"))
        pending = run.pending.get()
        worker.join(5)
        driven(run)

    assert run.events.get(kind="pending").data == {"id": pending.pk}
    seq = run.messages.get(author="ada").seq
    assert {"seq": seq, "role": "user"} in [event.data for event in run.events.filter(kind="message")]
