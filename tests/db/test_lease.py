"""Who may drive a run, and who may write."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import override_settings
from django.utils import timezone

from agents import runs
from agents.demo.faults import Fault
from agents.models import Run, RunState
from agents.runs.keeper import KEEPER
from agents.runs.lease import Ended, Lease, LeaseLost, take
from tests.support.runs import driven, driving, eventually, is_streaming, model_api, new_run, person, transcript
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db(transaction=True)


def taken(run: Run) -> Lease:
    """Take the run, which must be there to be taken."""
    lease = take(run.pk)
    assert lease
    return lease


def lapse(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_of_many_workers_that_reach_for_a_run_one_gets_it() -> None:
    run = new_run()

    def reach(_: int) -> Lease | None:
        try:
            return take(run.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        leases = [lease for lease in pool.map(reach, range(16)) if lease]

    assert [lease.epoch for lease in leases] == [1]


def test_a_living_lease_is_taken_by_nobody_and_a_lapsed_one_by_the_next() -> None:
    run = new_run()
    first = taken(run)

    assert take(run.pk) is None

    lapse(run)
    second = taken(run)
    assert (first.epoch, second.epoch) == (1, 2)
    assert (first.attempts, second.attempts) == (1, 2)


def test_whoever_lost_the_lease_can_write_nothing() -> None:
    run = new_run()
    lost = taken(run)
    lapse(run)
    taken(run)

    with pytest.raises(LeaseLost), lost.fenced(title="from the grave"):
        raise AssertionError("the block must not run")
    with pytest.raises(LeaseLost):
        lost.renew()

    run.refresh_from_db()
    assert run.title != "from the grave"


def test_a_fenced_block_that_fails_leaves_nothing() -> None:
    run = new_run()
    lease = taken(run)

    with pytest.raises(ZeroDivisionError), lease.fenced(title="half done"):
        raise ZeroDivisionError

    run.refresh_from_db()
    assert run.title != "half done"


def test_a_run_that_is_over_or_waits_has_nothing_to_take() -> None:
    done, waiting = new_run(), new_run()
    Run.objects.filter(pk=done.pk).update(state=RunState.DONE)
    Run.objects.filter(pk=waiting.pk).update(state=RunState.WAITING, wake_at=timezone.now() + timedelta(seconds=60))

    assert take(done.pk) is None
    assert take(waiting.pk) is None
    assert take(987654) is None

    Run.objects.filter(pk=waiting.pk).update(wake_at=timezone.now())
    assert take(waiting.pk)


def test_a_lease_is_renewed_while_its_run_is_driven() -> None:
    run = new_run()
    lease = taken(run)
    run.refresh_from_db()
    later = Run.objects.filter(pk=run.pk, lease_until__gt=run.lease_until)

    with override_settings(MEMDASH_RENEW_SECONDS=0.1), KEEPER.keep(lease):
        eventually(later.exists)

    assert lease.ended is None


@pytest.mark.parametrize(
    ("change", "ended"),
    [({"lease_epoch": 7}, Ended.LOST), ({"cancel_requested_at": timezone.now()}, Ended.CANCELLED)],
)
def test_a_holder_hears_within_a_second_that_its_lease_is_over(change: dict[str, Any], ended: Ended) -> None:
    run = new_run()
    lease = taken(run)
    began = time.monotonic()

    with KEEPER.keep(lease), lease.request(on_beat=lambda: None) as interrupt:
        Run.objects.filter(pk=run.pk).update(**change)
        eventually(lambda: lease.ended)

    assert (lease.ended, interrupt.reason) == (ended, ended)
    assert time.monotonic() - began < 1


def test_a_wish_to_end_meets_a_request_that_begins_after_it() -> None:
    lease = taken(new_run())
    KEEPER.stop()
    try:
        with KEEPER.keep(lease), lease.request(on_beat=lambda: None) as interrupt:
            assert interrupt.reason == lease.ended == Ended.STOPPING
    finally:
        KEEPER.start()


def test_a_database_that_is_away_for_a_moment_ends_no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    lease = taken(run)
    away = iter([OperationalError("away"), OperationalError("away")])

    def look(*_: object) -> None:
        if error := next(away, None):
            raise error

    monkeypatch.setattr(KEEPER, "_look", look)
    run.refresh_from_db()
    later = Run.objects.filter(pk=run.pk, lease_until__gt=run.lease_until)

    with override_settings(MEMDASH_RENEW_SECONDS=0.1), KEEPER.keep(lease):
        eventually(later.exists)

    assert lease.ended is None


def test_the_seconds_of_driving_are_counted_once_and_waits_are_not() -> None:
    run = new_run()
    lease = taken(run)

    time.sleep(0.1)
    lease.renew()
    lease.renew()

    run.refresh_from_db()
    assert 0.1 <= run.active_seconds < 0.3


def test_the_keeper_rests_when_there_is_nothing_to_keep() -> None:
    with model_api():
        driven(new_run())

    eventually(lambda: "lease-keeper" not in {thread.name for thread in threading.enumerate()})


def test_twenty_deliveries_to_four_workers_drive_a_run_once() -> None:
    with model_api() as server:
        expected = driven(new_run())
        requests = len(server.received)
        run = new_run()

        def deliver(_: int) -> None:
            try:
                runs.drive(run.pk)
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(deliver, range(20)))
        driven(run)

        assert len(server.received) == 2 * requests
    assert run.lease_epoch == 1
    assert len(transcript(run)) == len(transcript(expected))
    assert_sound(run.agent.store)


def test_a_run_that_is_taken_over_in_mid_stream_goes_on_with_its_new_holder_alone() -> None:
    with model_api(Fault("stream_then_silence", after=1)):
        run = new_run()
        old = driving(run)
        eventually(lambda: is_streaming(run, turn=2))

        lapse(run)
        driven(run)
        old.join(5)

    assert not old.is_alive()
    assert run.state == RunState.DONE
    assert run.lease_epoch == 2
    assert "ended in the middle" in run.failed_attempts.get().cause
    assert_sound(run.agent.store)


def test_a_worker_that_stops_gives_its_run_back_at_the_next_event_and_no_try_is_counted() -> None:
    with model_api(Fault("stream_then_silence", after=1)):
        run = new_run()
        worker = driving(run)
        eventually(lambda: is_streaming(run, turn=2))
        began = time.monotonic()
        try:
            KEEPER.stop()
            worker.join(20)
            took = time.monotonic() - began
            runs.drive(run.pk)
        finally:
            KEEPER.start()

        run.refresh_from_db()
        assert took < 2
        assert (run.state, run.attempts, run.lease_epoch) == (RunState.QUEUED, 0, 1)
        assert driven(run).state == RunState.DONE


def test_a_run_that_kills_each_of_its_workers_fails_after_five_tries_and_can_be_resumed() -> None:
    run = new_run()
    for _ in range(5):
        assert take(run.pk)
        lapse(run)

    with model_api():
        runs.drive(run.pk)
        run.refresh_from_db()
        assert (run.state, run.reason) == (RunState.FAILED, "retries")
        assert "tried 5 times" in run.detail

        runs.resume(run, user=person())
        assert driven(run).state == RunState.DONE


def test_with_proof_that_no_worker_lives_every_lease_lapses_at_once() -> None:
    run = new_run()
    taken(run)

    runs.lapse_all()

    assert taken(run).epoch == 2
