"""``memdash import``: bring a directory of memory files into an agent's store."""

import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from agents.making import NameUnclear, agent_named, create_agent
from memdash.terminal import OperatorCommand, Progress, printable
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore
from memories.refusals import Busy
from memories.transfer.incoming import Fate, bring_in
from memories.transfer.manifest import ManifestRefused
from memories.transfer.source import NoSource, Source

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
            source = Source(directory)
            store = _store_of(agent, dry_run=dry_run)
        except (NoSource, ManifestRefused, NameUnclear) as refusal:
            raise CommandError(printable(str(refusal))) from None
        importer = Actor(
            ActorKind.IMPORT,
            "import",
            change_set=f"import:{uuid.uuid4()}",
            reason=f"memdash import {printable(directory.name)}"[:1024],
        )
        fates: Counter[Fate] = Counter()
        with Progress("Importing", source.count(), self.stdout) as bar:
            try:
                for report in bring_in(store, source, actor=importer, dry_run=dry_run):
                    fates[report.fate] += 1
                    note = f": {printable(report.note)}" if report.note else ""
                    bar.step(f"{report.fate:<13}  {printable(report.name)}{note}")
            except Busy:
                raise CommandError("Others kept the store busy too long. Import again; it goes on from here.") from None
        would = "Dry run, nothing written. Would be " if dry_run else "In all "
        self.stdout.write(would + ", ".join(f"{fates[fate]:,} {fate}" for fate in Fate) + ".")


def _store_of(name: str, *, dry_run: bool) -> MemoryStore:
    if agent := agent_named(name):
        return agent.store
    if not 0 < len(name.strip()) <= NAME:
        raise CommandError(f"A new agent needs a name of 1 to {NAME} characters.")
    return MemoryStore(name=name) if dry_run else create_agent(name=name).store
