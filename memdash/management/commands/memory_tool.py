"""``memdash tool``: use the memory tool from a script."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memdash.terminal import OperatorCommand, printable
from memories import tool
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore
from memories.store import reads

NOT_JSON = tool.Result("Error: the line is not JSON. Send one tool input per line.", is_error=True)


class Command(OperatorCommand):
    """Answer calls of the memory tool, one JSON value per line in and one per line out."""

    help = (
        "Read one input of the memory tool per line, as JSON, from standard input; print one"
        ' {"content": ..., "is_error": ...} per line. Blank lines are passed over. Viewing a file counts as access.'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the store."""
        parser.add_argument("--store", required=True, metavar="SLUG", help="the store to work on")

    def handle(self, *args: Any, store: str, **options: Any) -> None:
        """Answer every line, also a wrong one; refuse only a store that is not there."""
        memory = MemoryStore.objects.filter(slug=store).first()
        if memory is None:
            raise CommandError(f"There is no store {printable(store)}.")
        actor = Actor(ActorKind.TOKEN, "cli")
        for line in _lines(sys.stdin.buffer):
            result = _answer(memory, line, actor)
            self.stdout.write(json.dumps({"content": result.content, "is_error": result.is_error}))
            self.stdout.flush()
        reads.flush()


def _lines(source: Iterable[bytes]) -> Iterable[bytes]:
    return (line for line in source if line.strip())


def _answer(memory: MemoryStore, line: bytes, actor: Actor) -> tool.Result:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return NOT_JSON
    return tool.execute(memory, value, actor)
