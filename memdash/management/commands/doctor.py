"""``memdash doctor``: what works here, and what to do about what does not."""

from typing import Any

from django.core.management.base import CommandError

from memdash.processes.checks import Verdict, examine
from memdash.settings import CONFIG
from memdash.terminal import OperatorCommand, printable


class Command(OperatorCommand):
    """Check this installation."""

    help = "Check data folder, database, Redis, worker, key and addresses. Ends with 1 when something does not work."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each check; refuse at the end when one failed."""
        failed = 0
        for finding in examine(CONFIG):
            self.stdout.write(f"{finding.verdict:<5} {finding.about:<14} {printable(finding.words)}")
            failed += finding.verdict is Verdict.FAIL
        if failed:
            raise CommandError(f"{failed} check{'s' if failed > 1 else ''} failed.")
