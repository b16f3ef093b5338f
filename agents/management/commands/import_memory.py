"""``memdash import``: bring a directory of memory files into an agent's store."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from agents.importing import agent_to_fill, fill
from agents.making import NameUnclear, agent_named
from agents.models import Agent
from memdash.terminal import OperatorCommand, Progress, printable
from memories.refusals import Busy
from memories.transfer.incoming import Fate
from memories.transfer.manifest import ManifestRefused
from memories.transfer.opening import NoSource
from memories.transfer.source import Source

NAME = 255


class Command(OperatorCommand):
    """Import a directory."""

    help = (
        "Import a directory of memory files: DIR/memories/** as the SDK's file system tool writes it, or DIR itself."
        " Bytes and times of modification are kept, links are not followed, and importing again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take where from, whose memory, and whether to write."""
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument(
            "--agent", required=True, metavar="NAME", help="name or slug; made, with a store, if absent"
        )
        parser.add_argument("--dry-run", action="store_true", help="report what would happen and write nothing")

    def handle(self, *args: Any, directory: Path, agent: str, dry_run: bool, **options: Any) -> None:
        """Import file by file, reporting on each and in all."""
        try:
            with Source.named(directory) as source:
                self._import(source, directory.name, agent, dry_run=dry_run)
        except (NoSource, ManifestRefused, NameUnclear) as refusal:
            raise CommandError(printable(str(refusal))) from None

    def _import(self, source: Source, name: str, agent: str, *, dry_run: bool) -> None:
        filled = _agent_to_fill(agent, dry_run=dry_run)
        reason = f"memdash import {printable(name)}"
        fates: Counter[Fate] = Counter()
        with Progress("Importing", source.count(), self.stdout) as bar:
            try:
                for report in fill(filled, source, reason=reason, dry_run=dry_run):
                    fates[report.fate] += 1
                    note = f": {printable(report.note)}" if report.note else ""
                    bar.step(f"{report.fate:<13}  {printable(report.name)}{note}")
            except Busy:
                raise CommandError("Others kept the store busy too long. Import again; it goes on from here.") from None
        would = "Dry run, nothing written. Would be " if dry_run else "In all "
        self.stdout.write(would + ", ".join(f"{fates[fate]:,} {fate}" for fate in Fate) + ".")


def _agent_to_fill(name: str, *, dry_run: bool) -> Agent:
    if agent_named(name) is None and not 0 < len(name.strip()) <= NAME:
        raise CommandError(f"A new agent needs a name of 1 to {NAME} characters.")
    return agent_to_fill(name, dry_run=dry_run)
