"""``memdash beat``: ask for the periodic jobs, beside web and workers."""

from typing import Any

from memdash import celery
from memdash.management.commands.worker import wait_for_migrations
from memdash.processes.database import refuse_alone
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand


class Command(OperatorCommand):
    """Keep the schedule."""

    help = "Ask for the periodic jobs, beside memdash web and memdash worker. A second one does no harm."

    def handle(self, *args: Any, **options: Any) -> None:
        """Keep the schedule until SIGTERM or Ctrl-C."""
        refuse_alone("beat", CONFIG)
        wait_for_migrations()
        print("Keeping the schedule.", flush=True)
        celery.beat()
