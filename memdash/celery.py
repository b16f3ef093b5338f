"""The worker's side of Celery: two queues with an app each, so that long runs never keep a short job waiting.

With ``REDIS_URL`` workers and beat are processes of their own. Without, they live in the process that serves pages
(:mod:`memdash.embedded`), and messages in its memory. A lost message costs time and nothing else: rows say what is due.
"""

import os
from typing import Any

from celery import Celery, signals
from django.conf import settings
from kombu.entity import Queue

# Celery would check all of Django, pages included, before each worker starts; the command that starts it has done so.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

CONCURRENCY = {"runs": 8, "default": 2}
VISIBILITY_SECONDS = 6 * 3600
DRAFTS_SECONDS = 600.0
TRASH_SECONDS = 30.0
SEARCH_SECONDS = 5.0
"""Searches look through what is not indexed yet; the longer that is left, the more they have to do."""
REDIS = {
    "visibility_timeout": VISIBILITY_SECONDS,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
    "socket_keepalive": True,
}
MEMORY = {
    "broker_url": "memory://localhost/",
    "broker_transport": "memdash.memory:Transport",
    # The default looks once a second.
    "broker_transport_options": {"polling_interval": 0.05},
}


def make_app(queue: str) -> Celery:
    """Return the app whose worker takes from ``queue``; any app may send to each queue."""
    app = Celery(f"memdash-{queue}", set_as_current=False)
    app.conf.update(configuration(queue))
    app.autodiscover_tasks(["agents", "memories"])
    return app


def configuration(queue: str) -> dict[str, Any]:
    """Return what Celery is told for a worker of ``queue``."""
    redis_url = settings.MEMDASH_REDIS_URL
    broker = {"broker_url": redis_url, "broker_transport_options": REDIS} if redis_url else MEMORY
    return broker | {
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_connection_timeout": 2,
        "accept_content": ["json"],
        "task_serializer": "json",
        "result_accept_content": ["json"],
        "result_serializer": "json",
        "result_backend": None,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_default_queue": "default",
        "task_queues": [Queue(name) for name in CONCURRENCY],
        "task_create_missing_queues": False,
        "task_routes": {"agents.drive_run": {"queue": "runs"}},
        # A page that queues work must not hang when the broker is away; reconcile makes up for it.
        "task_publish_retry_policy": {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2},
        "worker_pool": "threads",
        "worker_concurrency": CONCURRENCY[queue],
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_enable_remote_control": False,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "worker_soft_shutdown_timeout": 10,
        "beat_scheduler": "celery.beat:Scheduler",
        "beat_max_loop_interval": 0.5,
        "beat_schedule": schedule(),
        "timezone": "UTC",
    }


def schedule() -> dict[str, Any]:
    """Return the periodic jobs. Messages that nobody took in the time of four are dropped."""
    tasks = {
        "agents.reconcile_runs": settings.MEMDASH_RECONCILE_SECONDS,
        "memories.remove_old_drafts": DRAFTS_SECONDS,
        "memories.empty_trash": TRASH_SECONDS,
        "memories.update_search": SEARCH_SECONDS,
    }
    return {task: {"task": task, "schedule": every, "options": {"expires": 4 * every}} for task, every in tasks.items()}


APPS = {queue: make_app(queue) for queue in CONCURRENCY}
APPS["default"].set_default()


def work(queue: str) -> None:
    """Be a worker process of ``queue`` until SIGTERM; its runs are given back at their next event."""
    APPS[queue].worker_main(
        [
            "-q",
            "worker",
            "-Q",
            queue,
            "-n",
            f"{queue}@%h",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
    )


def beat() -> None:
    """Be the process that sends for the periodic jobs, until SIGTERM; a second one does no harm."""
    APPS["default"].Beat(quiet=True).run()


@signals.worker_shutting_down.connect
def give_runs_back(**_: Any) -> None:
    """Let the runs of this process go, so that its shutdown need not wait for their ends."""
    from agents.runs.keeper import KEEPER  # noqa: PLC0415  (models are ready by now, and were not above)

    KEEPER.stop()
