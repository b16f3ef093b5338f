"""``memdash worker``: work on one queue, beside web and beat."""

import time
from typing import Any

from django.core.management.base import CommandParser

from memdash.processes.database import UNMIGRATED, lacks_migrations, pool_connections, refuse_alone
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand

THREADS = {"runs": 8, "default": 2}
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
        """Take which queue, and how many at once."""
        parser.add_argument("-Q", "--queue", required=True, choices=THREADS, help="runs of agents, or everything else")
        parser.add_argument("--threads", type=int, help="how many at once (8 runs; 2 of everything else)")

    def handle(self, *args: Any, queue: str, threads: int | None, **options: Any) -> None:
        """Work until SIGTERM or Ctrl-C; runs that are under way are handed back and go on elsewhere."""
        refuse_alone("worker", CONFIG)
        wait_for_migrations()
        pool_connections()
        from memdash.celery import app  # noqa: PLC0415  (slow to load, and refused above where there is no broker)

        worker = app.Worker(
            queues=[queue],
            hostname=f"{queue}@%h",
            pool="threads",
            concurrency=threads or THREADS[queue],
            without_gossip=True,
            without_mingle=True,
            quiet=True,
        )
        print(f"Working on the queue {queue}, {worker.concurrency} at once.", flush=True)
        worker.start()
