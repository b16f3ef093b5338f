"""``memdash worker``: work on one queue, beside web and beat."""

import time
from typing import Any

from celery.signals import worker_ready
from django.core.management.base import CommandParser

from memdash import celery
from memdash.processes.database import UNMIGRATED, lacks_migrations, pool_connections, refuse_alone
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand

LOOK_AGAIN_SECONDS = 2.0


def wait_for_migrations() -> None:
    """Return once the database has had all migrations; a process started in the middle of an upgrade is in time."""
    told = False
    while lacks_migrations():
        if not told:
            print(f"Waiting. {UNMIGRATED}", flush=True)
            told = True
        time.sleep(LOOK_AGAIN_SECONDS)


class Command(OperatorCommand):
    """Work on a queue."""

    help = "Work on one queue, beside memdash web and memdash beat. Start one process for each of the two queues."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which queue."""
        parser.add_argument(
            "-Q", "--queue", required=True, choices=celery.CONCURRENCY, help="runs of agents, or everything else"
        )

    def handle(self, *args: Any, queue: str, **options: Any) -> None:
        """Work until SIGTERM or Ctrl-C; runs that are under way are given back and go on elsewhere."""
        refuse_alone("worker", CONFIG)
        wait_for_migrations()
        pool_connections()
        worker_ready.connect(lambda **_: print(f"Working on the queue {queue}.", flush=True), weak=False)
        celery.work(queue)
