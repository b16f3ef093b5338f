"""Workers and beat in threads of one process, as ``memdash up`` has them."""

import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agents.demo.faults import Fault
from agents.models import JobSlot, Run, RunState
from memdash import celery, embedded
from tests.support.runs import eventually, is_streaming, model_api, new_agent, new_run
from tests.support.stores import assert_sound

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def _workers() -> Iterator[None]:
    embedded.start()
    try:
        yield
    finally:
        assert embedded.stop(10)


def is_done(run: Run) -> bool:
    run.refresh_from_db()
    return run.state == RunState.DONE


@pytest.mark.usefixtures("_workers")
def test_a_run_that_a_page_starts_is_begun_at_once_and_driven_to_its_end() -> None:
    eventually(JobSlot.objects.exists)
    with model_api():
        run = new_run()
        eventually(lambda: is_done(run), patience=20)

    assert run.started_at is not None
    assert (run.started_at - run.created_at).total_seconds() < 1
    assert_sound(run.agent.store)


@pytest.mark.usefixtures("_workers")
def test_a_wait_ends_at_its_time_without_anybody_asking() -> None:
    with model_api(Fault("status", status=429, headers={"retry-after": "1"})):
        run = new_run()
        eventually(lambda: is_done(run), patience=20)

    assert run.failed_attempts.count() == 1


@pytest.mark.usefixtures("_workers")
def test_long_runs_in_every_thread_keep_no_periodic_job_waiting() -> None:
    silence = Fault("stream_then_silence", times=-1, after_events=6)
    with model_api(silence):
        agent = new_agent()
        for _ in range(celery.CONCURRENCY["runs"] + 1):
            new_run(agent=agent)
        eventually(lambda: Run.objects.filter(state=RunState.RUNNING).count() == celery.CONCURRENCY["runs"])
        eventually(JobSlot.objects.exists)
        first = JobSlot.objects.get().slot

        eventually(JobSlot.objects.filter(slot__gte=first + 2).exists)

        assert Run.objects.filter(state=RunState.QUEUED).count() == 1


def test_a_stop_gives_runs_back_within_a_moment_and_the_next_start_goes_on_with_them() -> None:
    with model_api(Fault("stream_then_silence", after=1, after_events=6)):
        embedded.start()
        try:
            run = new_run()
            eventually(lambda: is_streaming(run, turn=2))
        finally:
            began = time.monotonic()
            assert embedded.stop(5)
            took = time.monotonic() - began

        run.refresh_from_db()
        assert took < 2
        assert (run.state, run.attempts) == (RunState.QUEUED, 0)

        embedded.start()
        try:
            eventually(lambda: is_done(run), patience=20)
        finally:
            assert embedded.stop(5)
    assert_sound(run.agent.store)


def test_a_start_takes_up_at_once_what_a_killed_process_left_though_its_lease_has_not_lapsed() -> None:
    run = new_run()
    Run.objects.filter(pk=run.pk).update(
        state=RunState.RUNNING, lease_epoch=1, attempts=1, lease_until=timezone.now() + timedelta(hours=1)
    )

    with model_api():
        embedded.start()
        try:
            eventually(lambda: is_done(run), patience=20)
        finally:
            assert embedded.stop(5)

    assert run.lease_epoch == 2


class Poison:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.file,)


@pytest.mark.usefixtures("_workers")
def test_a_pickle_in_the_queue_is_not_opened_and_the_worker_lives_on(tmp_path: Path) -> None:
    headers = {"task": "agents.drive_run", "id": "1", "lang": "py"}
    with celery.APPS["runs"].connection_for_write() as connection, connection.Producer() as producer:
        producer.publish(
            pickle.dumps([[Poison(tmp_path / "opened")], {}, {}]),
            routing_key="runs",
            headers=headers,
            content_type="application/x-python-serialize",
            content_encoding="binary",
        )

    with model_api():
        run = new_run()
        eventually(lambda: is_done(run), patience=20)

    assert not (tmp_path / "opened").exists()


def test_a_process_that_serves_pages_does_not_load_the_sdk() -> None:
    program = "import sys, memdash.asgi, memdash.embedded, agents.views.run_acts; print('anthropic' in sys.modules)"

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "False"
