"""What people do with runs while workers are at them."""

import threading
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from agents import runs
from agents.demo.faults import Fault
from agents.models import Agent, Place, Run, RunState
from agents.runs import Attachment, NothingToContinue
from agents.runs.budgets import BudgetTooSmall
from tests.support.runs import driven, driving, eventually, is_streaming, model_api, new_agent, new_run, person
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db(transaction=True)


def said_by_people(run: Run) -> list[str]:
    """Return the texts of the messages that have an author."""
    return [block["text"] for message in run.messages.exclude(author="") for block in message.content]


def seconds_to_cancel(run: Run) -> float:
    """Return how long it took from a person's wish to the end of the run."""
    assert run.ended_at is not None
    assert run.cancel_requested_at is not None
    return (run.ended_at - run.cancel_requested_at).total_seconds()


def test_a_run_is_queued_with_its_title_its_number_and_the_settings_of_its_agent() -> None:
    agent = new_agent(system_prompt="Be kind.", max_turns=7)

    first, second = new_run("\nHello there\nmore", agent), new_run("Again", agent)

    assert (first.state, first.title, first.number, first.started_by) == (RunState.QUEUED, "Hello there", 1, "mia")
    assert (second.number, second.title) == (2, "Again")
    assert (first.settings["system_prompt"], first.settings["max_turns"]) == ("Be kind.", 7)


def test_attachments_reach_the_model_as_blocks_and_keep_their_marks() -> None:
    with model_api() as server:
        agent = new_agent()
        page = Attachment("ticket.txt", "Ticket 4711 from Acme Ltd")
        run = runs.start(agent, "Read this", attachments=[page], user=person())
        driven(run)

        sent = server.received[0].body["messages"][0]["content"]
    assert [block["text"] for block in sent] == ["Read this", "Attached: ticket.txt\n\nTicket 4711 from Acme Ltd"]
    assert [mark["trust"] for mark in run.messages.get(seq=1).marks] == ["trusted", "external"]


@pytest.mark.parametrize("change", [{"place": Place.FOLDER}, {"place": Place.API}, {"archived_at": timezone.now()}])
def test_an_agent_that_lives_elsewhere_or_is_archived_has_no_runs_here(change: dict[str, object]) -> None:
    agent = new_agent(**change)

    with pytest.raises(runs.NotHere):
        runs.start(agent, "Hello", user=person())

    assert not Run.objects.exists()
    assert Agent.objects.get().last_run_number == 0


def test_a_message_sent_while_the_agent_works_is_taken_in_when_it_is_free() -> None:
    with model_api(pace=0.05) as server:
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=2))
        server.pace = 0

        runs.send(run, "And what about Globex Ltd?", user=person("ada"))

        assert run.pending.count() == 1
        worker.join(20)

    run.refresh_from_db()
    assert run.state == RunState.DONE
    assert not run.pending.exists()
    message = run.messages.get(author="ada")
    assert message.content[0]["text"] == "And what about Globex Ltd?"
    assert message.seq > 3, "not before the answer that was under way"


def test_a_message_to_a_run_that_has_ended_lets_it_go_on() -> None:
    with model_api():
        run = driven(new_run())
        turns = run.turns
        runs.send(run, "Hello again from Globex Ltd.", user=person())
        run.refresh_from_db()
        assert run.state == RunState.QUEUED

        driven(run)

    assert run.state == RunState.DONE
    assert run.turns > turns
    assert said_by_people(run)[-1] == "Hello again from Globex Ltd."


def test_a_message_that_was_withdrawn_never_reaches_the_agent() -> None:
    with model_api():
        run = new_run()
        runs.send(run, "And what about Globex Ltd?", user=person("ada"))
        runs.send(run, "And Initech?", user=person("ada"))

        runs.withdraw(run, run.pending.all()[0].pk)
        driven(run)

    assert said_by_people(run) == ["Acme Ltd prefers mail on Tuesdays.", "And Initech?"]


def test_a_withdrawn_message_is_put_back_once_with_its_texts_and_its_author() -> None:
    run = new_run()
    attached = Attachment("ticket.txt", "Ticket 4711")
    runs.send(run, "Read this", attachments=[attached], user=person("ada"))
    before = run.pending.values("id", "content", "marks", "author").get()
    number = runs.withdraw(run, before["id"])

    runs.put_back(run, number)
    with pytest.raises(runs.NotWithdrawn):
        runs.put_back(run, number)

    assert run.pending.values("id", "content", "marks", "author").get() == before


def test_a_message_put_back_into_a_run_that_is_done_lets_it_go_on() -> None:
    with model_api():
        run = new_run()
        runs.send(run, "And what about Globex Ltd?", user=person("ada"))
        number = runs.withdraw(run, run.pending.get().pk)
        driven(run)

        runs.put_back(run, number)
        run.refresh_from_db()
        assert run.state == RunState.QUEUED
        driven(run)

    assert said_by_people(run)[-1] == "And what about Globex Ltd?"


def test_a_message_put_back_into_a_cancelled_run_starts_nothing() -> None:
    run = new_run()
    runs.send(run, "And hurry", user=person())
    number = runs.withdraw(run, run.pending.get().pk)
    runs.cancel(run, user=person())

    runs.put_back(run, number)

    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert run.pending.exists()


@pytest.mark.parametrize("number", [1, 99])
def test_only_what_was_withdrawn_is_put_back(number: int) -> None:
    run = new_run()

    with pytest.raises(runs.NotWithdrawn):
        runs.put_back(run, number)

    assert not run.pending.exists()


def test_messages_go_on_waiting_after_a_cancel_and_are_sent_when_the_run_is_continued() -> None:
    with model_api():
        run = new_run()
        runs.send(run, "And what about Globex Ltd?", user=person())
        runs.cancel(run, user=person())
        assert run.pending.exists()

        runs.resume(run, user=person())
        driven(run)

    assert said_by_people(run)[-1] == "And what about Globex Ltd?"
    assert not run.pending.exists()


def test_no_message_is_stranded_however_the_end_of_the_run_and_its_sending_fall_together() -> None:
    with model_api():
        for pause in (0.0, 0.01, 0.03):
            run = new_run()
            Run.objects.filter(pk=run.pk).update(last_seq=2, turns=1)
            run.messages.create(
                seq=2, role="assistant", turn=1, stop_reason="end_turn", content=[], created_at=timezone.now()
            )
            worker = driving(run)
            time.sleep(pause)
            runs.send(run, "Wait, one more thing", user=person())
            worker.join(20)

            driven(run)
            assert run.state == RunState.DONE
            assert not run.pending.exists()
            assert said_by_people(run)[-1] == "Wait, one more thing"


def test_a_cancel_takes_effect_within_a_second_while_text_streams() -> None:
    with model_api(pace=0.3):
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=1))
        runs.cancel(run, user=person("ada"))
        worker.join(5)

    run.refresh_from_db()
    assert seconds_to_cancel(run) < 1
    assert (run.state, run.cancelled_by, run.lease_owner) == (RunState.CANCELLED, "ada", "")
    assert "Cancelled by ada" in run.failed_attempts.get().cause
    assert not run.events.filter(kind__in=("text", "tool")).exists()


def test_a_cancel_takes_effect_within_a_second_while_the_model_is_silent() -> None:
    with model_api(Fault("stream_then_silence", after=1, after_events=6)):
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=2))
        runs.cancel(run, user=person())
        worker.join(5)

    run.refresh_from_db()
    assert seconds_to_cancel(run) < 1
    assert run.state == RunState.CANCELLED
    assert run.failed_attempts.get().partial_text
    assert_sound(run.agent.store)


def test_a_run_that_nobody_drives_is_cancelled_at_once() -> None:
    queued, waiting, abandoned = new_run(), new_run(), new_run()
    Run.objects.filter(pk=waiting.pk).update(state=RunState.WAITING, wake_at=timezone.now() + timedelta(hours=1))
    long_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(pk=abandoned.pk).update(state=RunState.RUNNING, lease_until=long_ago, lease_epoch=3)

    for run in (queued, waiting, abandoned):
        runs.cancel(run, user=person())
        runs.drive(run.pk)
        run.refresh_from_db()
        assert (run.state, run.wake_at) == (RunState.CANCELLED, None)
        assert run.ended_at
    assert abandoned.lease_epoch == 4, "a worker that wakes up after all must not write"


def test_a_run_that_has_ended_cannot_be_cancelled() -> None:
    with model_api():
        run = driven(new_run())

    runs.cancel(run, user=person())

    run.refresh_from_db()
    assert (run.state, run.cancelled_by) == (RunState.DONE, "")


def test_a_cancelled_run_goes_on_where_it_was_when_it_is_continued() -> None:
    with model_api(Fault("stream_then_silence", after=2, after_events=6)):
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=3))
        runs.cancel(run, user=person())
        worker.join(5)

        runs.resume(run, user=person())
        driven(run)

    assert run.state == RunState.DONE
    assert run.cancel_requested_at is None
    assert said_by_people(run) == ["Acme Ltd prefers mail on Tuesdays."], "nothing was put into a person's mouth"


def test_calls_that_a_cancel_came_before_are_answered_as_not_executed() -> None:
    uses = [
        {"type": "tool_use", "id": f"toolu_{n}", "name": "memory", "input": {"command": "view", "path": "/memories"}}
        for n in (1, 2)
    ]
    run = new_run()
    Run.objects.filter(pk=run.pk).update(last_seq=2, turns=1, cancel_requested_at=timezone.now())
    run.messages.create(
        seq=2, role="assistant", turn=1, stop_reason="tool_use", content=uses, created_at=timezone.now()
    )

    runs.drive(run.pk)

    run.refresh_from_db()
    results = run.messages.get(seq=3).content
    assert run.state == RunState.CANCELLED
    assert not run.tool_calls.exists()
    assert [(block["tool_use_id"], block["is_error"]) for block in results] == [("toolu_1", True), ("toolu_2", True)]


def test_a_waiting_run_is_tried_again_now_when_a_person_wants_it() -> None:
    with model_api(Fault("status", status=429, headers={"retry-after": "600"})):
        run = new_run()
        runs.drive(run.pk)
        run.refresh_from_db()
        assert run.state == RunState.WAITING

        runs.resume(run, user=person())
        driven(run)

    assert run.state == RunState.DONE


@pytest.mark.parametrize("state", [RunState.QUEUED, RunState.RUNNING, RunState.DONE])
def test_a_run_that_is_at_work_or_done_has_nothing_to_continue(state: RunState) -> None:
    run = new_run()
    Run.objects.filter(pk=run.pk).update(state=state)

    with pytest.raises(NothingToContinue):
        runs.resume(run, user=person())

    run.refresh_from_db()
    assert run.state == state


def test_after_max_tokens_a_continue_asks_the_model_to_go_on() -> None:
    with model_api():
        agent = new_agent(max_output_tokens=20)
        run = driven(new_run(agent=agent))
        assert (run.state, run.reason) == (RunState.STOPPED, "max_tokens")

        runs.resume(run, user=person("ada"))
        runs.drive(run.pk)

    assert run.messages.filter(author="ada").get().content == [{"type": "text", "text": "Continue."}]
    run.refresh_from_db()
    assert run.turns > 1


def test_a_raised_budget_must_be_above_what_is_spent() -> None:
    with model_api():
        run = driven(new_run(agent=new_agent(max_turns=2)))
        assert run.reason == "budget:turns"

        with pytest.raises(BudgetTooSmall, match="2 turns"):
            runs.resume(run, user=person(), budget=Decimal(2))
        run.refresh_from_db()
        assert run.state == RunState.STOPPED

        runs.resume(run, user=person(), budget=Decimal(3))
        driven(run)

    assert (run.state, run.turns, run.settings["max_turns"]) == (RunState.STOPPED, 3, 3)


def test_a_message_to_a_run_stopped_by_a_budget_is_answered_once_it_goes_on() -> None:
    with model_api():
        run = driven(new_run(agent=new_agent(max_turns=2)))
        runs.send(run, "And what about Globex Ltd?", user=person())
        driven(run)
        assert (run.state, run.turns) == (RunState.STOPPED, 2)

        runs.resume(run, user=person(), budget=Decimal(20))
        driven(run)

    assert run.state == RunState.DONE
    assert said_by_people(run)[-1] == "And what about Globex Ltd?"


def test_people_who_act_at_once_do_not_undo_each_other() -> None:
    run = new_run()

    def act(number: int) -> None:
        try:
            runs.send(run, f"message {number}", user=person())
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert run.pending.count() == 6
    seqs = list(run.events.values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
