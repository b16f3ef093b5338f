"""``memdash export``: write an agent's memory into a directory."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from agents.making import NameUnclear, agent_named
from memdash.terminal import OperatorCommand, Progress, printable
from memories.transfer.opening import NoSource
from memories.transfer.outgoing import Export, TargetRefused


class Command(OperatorCommand):
    """Export a store."""

    help = (
        "Write an agent's memory to DIR/memories/**, byte for byte and with its times, as the SDK's file system tool"
        " lays it out. DIR must be new or empty."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whose memory and where to."""
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument("--agent", required=True, metavar="NAME", help="name or slug")
        parser.add_argument(
            "--portable",
            action="store_true",
            help="spell names so that every system can hold them; a manifest tells an import the true ones",
        )

    def handle(self, *args: Any, directory: Path, agent: str, portable: bool, **options: Any) -> None:
        """Write the files and say how many."""
        try:
            found = agent_named(agent)
            if found is None:
                raise CommandError(f"There is no agent named {printable(agent)}. The page Agents lists them.")
            export = Export(found.store, directory, spell_portably=portable)
        except (NameUnclear, TargetRefused) as refusal:
            raise CommandError(printable(str(refusal))) from None
        try:
            with Progress("Exporting", len(export), self.stdout) as bar:
                for _ in export.write():
                    bar.step()
        except NoSource as gone:
            raise CommandError(f"The export is not whole: {printable(str(gone))}") from None
        except OSError as error:
            raise CommandError(
                f"The export is not whole: {error.strerror}: {printable(str(error.filename))}. Names that this file"
                " system does not hold are spelled otherwise with --portable. Empty the directory and export again."
            ) from None
        self.stdout.write(
            f"Wrote {len(export):,} file{'' if len(export) == 1 else 's'} to {printable(str(directory))}."
        )
