"""Each fault of the model API in ``api_faults.json``, over real HTTP: what happens to the run it meets."""

import json
import logging
import socket
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from agents import runs
from agents.demo.faults import HUGE, Fault
from agents.models import Run, RunState
from memories.models import MemoryVersion
from tests.support.demo import blackhole, refusing
from tests.support.runs import KEY, at, driven, model_api, new_run, person, transcript
from tests.support.stores import assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = {row["id"]: row for row in json.loads(Path("tests/data/security/api_faults.json").read_text())}
MET = 2
"""Requests that go well before the fault, so that there is memory to lose and a turn to repeat."""


def fault(name: str, **changes: Any) -> Fault:
    """Return the fault of a row, at its place in the middle of a run."""
    return Fault.from_row(ROWS[name], **{"after": MET, **changes})


def undisturbed(*faults: Fault) -> Run:
    with model_api(*faults):
        return driven(new_run())


def without_ids(value: Any) -> Any:
    """Return content blocks without the ids that the model gave them."""
    if isinstance(value, list):
        return [without_ids(each) for each in value]
    if isinstance(value, dict):
        return {key: without_ids(each) for key, each in value.items() if key not in ("id", "tool_use_id")}
    return value


def assert_as_if_nothing_had_happened(run: Run) -> None:
    """Check that the run ended with the conversation and the memory of a run that met no fault."""
    expected = undisturbed()
    assert run.state == RunState.DONE, run.detail
    assert without_ids(transcript(run)) == without_ids(transcript(expected))
    assert files_of(run.agent.store) == files_of(expected.agent.store)
    assert_each_call_had_one_effect(run)


def assert_each_call_had_one_effect(run: Run) -> None:
    assert_sound(run.agent.store)
    ranges = run.tool_calls.filter(first_seq__isnull=False).values_list("first_seq", "last_seq")
    seqs = [seq for first, last in ranges for seq in range(first or 0, (last or 0) + 1)]
    assert seqs == list(range(1, run.agent.store.seq + 1))
    versions = MemoryVersion.objects.filter(store=run.agent.store)
    assert set(versions.values_list("run_id", flat=True)) <= {run.uuid}


def test_every_row_of_the_list_has_a_test() -> None:
    tested = {
        "429-retry-after",
        "529-overloaded",
        "529-forever",
        "500-once",
        "400-bad-request",
        "401-key",
        "413-too-large",
        "connect-refused",
        "connect-timeout",
        "read-stall",
        "cut-mid-json",
        "cut-after-tool-use-before-stop",
        "error-event-in-stream",
        "bad-json",
        "unknown-block",
        "duplicate-tool-use-id",
        "two-tool-uses-one-turn",
        "max-tokens-in-tool-use",
        "refusal",
        "slow-drip",
        "huge-response",
        "redirect",
    }

    assert tested == set(ROWS)


def test_429_waits_as_long_as_the_api_asks_and_then_finishes() -> None:
    with model_api(fault("429-retry-after")):
        run = new_run()
        runs.drive(run.pk)

        run.refresh_from_db()
        attempt = run.failed_attempts.get()
        assert (run.state, run.reason) == (RunState.WAITING, "retry")
        assert (attempt.turn, attempt.status) == (MET + 1, 429)
        assert run.wake_at is not None
        assert 1.9 < (run.wake_at - attempt.created_at).total_seconds() < 3

        runs.drive(run.pk)
        run.refresh_from_db()
        assert run.state == RunState.WAITING, "it was woken before its time"
        driven(run)

    assert_as_if_nothing_had_happened(run)


@pytest.mark.parametrize(
    "name",
    ["529-overloaded", "500-once", "cut-mid-json", "cut-after-tool-use-before-stop", "error-event-in-stream"],
)
def test_a_passing_fault_is_asked_again_and_leaves_no_trace_in_memory(name: str) -> None:
    with model_api(fault(name)):
        run = driven(new_run())

    assert run.failed_attempts.count() == ROWS[name].get("times", 1)
    assert_as_if_nothing_had_happened(run)


def test_529_for_ever_fails_with_the_cause_keeps_every_write_and_can_be_resumed() -> None:
    with model_api(fault("529-forever")):
        run = driven(new_run())

        assert run.state == RunState.FAILED
        assert "529" in run.detail
        assert "Overloaded" in run.detail
        assert run.failed_attempts.count() == 5
        assert files_of(run.agent.store)
        assert_each_call_had_one_effect(run)

    with model_api():
        runs.resume(run, user=person())
        driven(run)

    assert_as_if_nothing_had_happened(run)


@pytest.mark.parametrize(("name", "said"), [("400-bad-request", "refused on purpose"), ("413-too-large", "compaction")])
def test_a_final_error_is_not_asked_again_and_comes_with_advice(name: str, said: str) -> None:
    with model_api(fault(name, times=-1)) as server:
        run = driven(new_run())

        assert len(server.received) == MET + 1
    assert (run.state, run.reason) == (RunState.FAILED, "request")
    assert said in run.detail
    assert run.failed_attempts.count() == 1


def test_401_fails_without_the_key_in_message_or_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with model_api(fault("401-key", after=0, times=-1)) as server:
        run = driven(new_run())

        assert len(server.received) == 1
    assert run.state == RunState.FAILED
    assert "ANTHROPIC_API_KEY" in run.detail
    assert KEY not in run.detail
    assert KEY not in run.failed_attempts.get().cause
    assert KEY not in caplog.text


def test_a_refused_connection_is_tried_again_then_fails_and_can_be_resumed() -> None:
    with refusing() as url, override_settings(**at(url)):
        run = driven(new_run())

    assert (run.state, run.failed_attempts.count()) == (RunState.FAILED, 5)
    assert "could not be reached" in run.detail
    with model_api():
        runs.resume(run, user=person())
        assert driven(run).state == RunState.DONE


def test_a_connection_that_never_comes_about_ends_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.runs.turns.CONNECT_SECONDS", 0.2)
    with blackhole() as url, override_settings(**at(url)):
        run = driven(new_run(), patience=10)

    assert (run.state, run.failed_attempts.count()) == (RunState.FAILED, 5)
    assert "could not be reached in time" in run.detail


def test_silence_ends_the_attempt_and_its_partial_text_is_kept_as_partial() -> None:
    with model_api(fault("read-stall", after_events=6), MEMDASH_IDLE_SECONDS=1):
        run = driven(new_run())

    attempt = run.failed_attempts.get()
    assert "silent" in attempt.cause
    assert attempt.partial_text
    assert_as_if_nothing_had_happened(run)


def test_garbage_is_asked_again_and_then_given_up() -> None:
    with model_api(fault("bad-json")):
        assert_as_if_nothing_had_happened(driven(new_run()))
    with model_api(fault("bad-json", times=-1)):
        run = driven(new_run())

    assert (run.state, run.failed_attempts.count()) == (RunState.FAILED, 3)
    assert "malformed" in run.detail


def test_an_unknown_block_is_kept_as_it_came_and_sent_back() -> None:
    with model_api(fault("unknown-block")) as server:
        run = driven(new_run())

        sent_back = server.received[-1].body["messages"]
    block = {"type": "hologram", "payload": {"of": "tomorrow", "depth": 3}}
    assert run.state == RunState.DONE
    assert block in run.messages.get(turn=MET + 1, role="assistant").content
    assert any(block in message["content"] for message in sent_back)


def test_an_id_that_comes_again_is_answered_from_its_first_result() -> None:
    with model_api(Fault("same_id_in_two_turns", times=-1)):
        run = driven(new_run())

    same = run.tool_calls.get(tool_use_id="toolu_demo_the_same_in_every_turn")
    results = [block for message in run.messages.filter(role="user") for block in message.content]
    answers = [block["content"] for block in results if block.get("tool_use_id") == same.tool_use_id]
    assert len(answers) > 1
    assert set(answers) == {same.content}
    assert_each_call_had_one_effect(run)


def test_two_calls_of_one_turn_run_once_each_and_share_one_message_in_order() -> None:
    with model_api(fault("two-tool-uses-one-turn")):
        run = driven(new_run())

    calls = run.tool_calls.filter(turn=MET + 1)
    message = run.messages.get(role="user", turn=MET + 1)
    assert [call.path for call in calls] == ["/memories/parallel/first.md", "/memories/parallel/second.md"]
    assert [block["tool_use_id"] for block in message.content] == [call.tool_use_id for call in calls]
    assert_each_call_had_one_effect(run)


def test_a_call_cut_off_by_max_tokens_is_not_executed() -> None:
    with model_api(fault("max-tokens-in-tool-use")):
        run = driven(new_run())

        assert (run.state, run.reason) == (RunState.STOPPED, "max_tokens")
        assert not run.tool_calls.filter(turn=MET + 1).exists()

        runs.resume(run, user=person())
        driven(run)

    assert run.state == RunState.DONE
    said = run.messages.get(role="user", turn=MET + 1)
    assert said.content[0]["is_error"] is True
    assert "not executed" in said.content[0]["content"]
    assert_each_call_had_one_effect(run)


def test_a_refusal_ends_the_run_and_says_so() -> None:
    with model_api(fault("refusal")):
        run = driven(new_run())

    assert (run.state, run.reason) == (RunState.STOPPED, "refusal")
    assert "refused" in run.detail


def test_a_drip_that_never_falls_silent_meets_the_total_limit() -> None:
    with model_api(fault("slow-drip", seconds=0.05), MEMDASH_TURN_SECONDS=2):
        run = driven(new_run())

    assert "longer than 2 seconds" in run.failed_attempts.get().cause
    assert_as_if_nothing_had_happened(run)


def test_an_answer_without_end_is_refused_and_memory_stays_bounded() -> None:
    with model_api(fault("huge-response", times=-1)):
        new = new_run()
        tracemalloc.start()
        try:
            run = driven(new, patience=60)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert run.state == RunState.FAILED
    assert "larger" in run.detail
    # Most of it is the stub's, which lives in this process and holds its 50 MB; tests of the stream look closer.
    assert most < 4 * HUGE


def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.2)
        host, port = other.getsockname()
        with model_api(fault("redirect", after=0, location=f"http://{host}:{port}/v1/messages")):
            run = driven(new_run())

        with pytest.raises(TimeoutError):
            other.accept()
    assert run.state == RunState.FAILED
    assert "redirect" in run.detail
