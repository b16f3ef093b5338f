"""The worker's doors, its periodic jobs, and what Celery is told."""

import time
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from agents import jobs, runs, tasks
from agents.models import JobSlot, Run, RunState
from agents.runs import hints
from memdash import celery
from tests.support.demo import refusing
from tests.support.runs import model_api, new_run, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _empty_broker() -> None:
    with current_app.connection_for_write() as connection:
        for queue in celery.CONCURRENCY:
            connection.default_channel.queue_declare(queue)
            connection.default_channel.queue_purge(queue)


def hinted() -> list[int]:
    """Return the runs for which hints wait in the broker, and take the hints out."""
    found = []
    with current_app.connection_for_read() as connection, connection.SimpleQueue("runs") as queue:
        while queue.qsize():
            message = queue.get(block=False)
            found.append(message.payload[0][0])
            message.ack()
    return found


def test_starting_a_run_hints_at_it_once_the_rows_are_there_for_a_worker_to_see() -> None:
    with transaction.atomic():
        run = new_run()
        assert hinted() == []

    assert hinted() == [run.pk]


def test_without_a_broker_a_run_is_queued_all_the_same_and_the_page_does_not_hang(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began = time.monotonic()
    with monkeypatch.context() as patch, refusing() as url, override_settings(MEMDASH_REDIS_URL=f"redis{url[4:]}/0"):
        patch.setattr(hints, "current_app", celery.make_app("default"))
        run = new_run()
        assert hints.waiting() is None

    assert time.monotonic() - began < 5
    assert run.state == RunState.QUEUED
    assert runs.reconcile() == 1
    assert hinted() == [run.pk]


def test_reconcile_hints_at_runs_that_have_work_and_no_living_worker() -> None:
    soon, ago = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(seconds=1)
    states: dict[str, dict[str, Any]] = {
        "queued": {"state": RunState.QUEUED},
        "due": {"state": RunState.WAITING, "wake_at": ago},
        "abandoned": {"state": RunState.RUNNING, "lease_until": ago},
        "waiting": {"state": RunState.WAITING, "wake_at": soon},
        "driven": {"state": RunState.RUNNING, "lease_until": soon},
        "done": {"state": RunState.DONE},
    }
    made = {}
    for name, state in states.items():
        made[name] = new_run()
        Run.objects.filter(pk=made[name].pk).update(**state)
    hinted()

    assert runs.reconcile() == 3
    assert sorted(hinted()) == sorted(made[name].pk for name in ("queued", "due", "abandoned"))


def test_reconcile_adds_nothing_while_the_broker_holds_a_hint_for_each_idle_run() -> None:
    for _ in range(3):
        new_run()

    assert [runs.reconcile() for _ in range(4)] == [0, 0, 0, 0]
    assert hints.waiting() == 3

    hinted()
    assert runs.reconcile() == 3
    assert hints.waiting() == 3


def test_a_task_for_a_run_that_is_gone_or_over_does_nothing() -> None:
    run = new_run()
    runs.cancel(run, user=person())

    tasks.drive_run(run.pk)
    tasks.drive_run(4_000_000_000)

    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


def test_a_task_drives_its_run() -> None:
    with model_api():
        run = new_run()
        tasks.drive_run(run.pk)

    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_a_slot_of_a_periodic_job_is_worked_once_however_many_schedulers_ask() -> None:
    done: list[int] = []

    claims = [jobs.once_a_slot("sweep", 3600, lambda: done.append(1)) for _ in range(5)]

    assert claims == [True, False, False, False, False]
    assert done == [1]


def test_slots_of_the_past_do_not_pile_up_and_jobs_do_not_share_them() -> None:
    JobSlot.objects.create(job="sweep", slot=1, claimed_at=timezone.now())
    JobSlot.objects.create(job="other", slot=1, claimed_at=timezone.now())

    jobs.once_a_slot("sweep", 3600, lambda: None)

    assert JobSlot.objects.filter(job="sweep").count() == 1
    assert JobSlot.objects.filter(job="other", slot=1).exists()


def test_a_second_scheduler_changes_nothing() -> None:
    run = new_run()
    hinted()

    with override_settings(MEMDASH_RECONCILE_SECONDS=3600):
        tasks.reconcile_runs()
        tasks.reconcile_runs()

    assert hinted() == [run.pk]


@pytest.mark.parametrize("redis_url", ["", "redis://127.0.0.1:6379/0"])
@pytest.mark.parametrize("queue", ["runs", "default"])
def test_celery_takes_and_sends_nothing_but_json_keeps_no_results_and_loses_no_task(queue: str, redis_url: str) -> None:
    with override_settings(MEMDASH_REDIS_URL=redis_url):
        conf = celery.configuration(queue)

    assert conf["accept_content"] == conf["result_accept_content"] == ["json"]
    assert conf["task_serializer"] == "json"
    assert conf["result_backend"] is None
    assert conf["task_ignore_result"] is True
    assert conf["task_acks_late"] is True
    assert conf["task_reject_on_worker_lost"] is True
    assert conf["worker_prefetch_multiplier"] == 1
    assert conf["worker_pool"] == "threads"
    assert conf["worker_concurrency"] == {"runs": 8, "default": 2}[queue]
    assert conf["broker_url"] == (redis_url or "memory://localhost/")
    if redis_url:
        assert conf["broker_transport_options"]["visibility_timeout"] == 6 * 3600


def test_runs_have_a_queue_of_their_own_and_every_task_goes_to_one_that_has_a_worker() -> None:
    app = celery.APPS["default"]
    app.loader.import_default_modules()
    ours = [name for name in app.tasks if name.startswith(("agents.", "memories."))]

    def queue_of(name: str) -> str:
        return str(app.amqp.router.route({}, name)["queue"].name)

    assert sorted(ours) == [
        "agents.drive_run",
        "agents.reconcile_runs",
        "memories.empty_trash",
        "memories.remove_old_drafts",
        "memories.update_search",
    ]
    assert queue_of(hints.TASK) == hints.QUEUE == "runs"
    assert {queue_of(name) for name in ours} == set(celery.CONCURRENCY)
    assert {entry["task"] for entry in celery.schedule().values()} <= set(ours)
