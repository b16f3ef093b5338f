"""What commands of the shell need: safe text, errors in one line, progress on long work."""

import sys
import time
import unicodedata
from typing import NoReturn, Self

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.db import DatabaseError, OperationalError, ProgrammingError, connection, connections

ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
BAR = 30
REDRAW_SECONDS = 0.1


def printable(text: str) -> str:
    r"""Return ``text`` as one line in which characters that act instead of showing are written out, as in ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in ACTING else character
        for character in text
    )


def stop(sentence: str, code: int = 1) -> NoReturn:
    """End the process with a sentence for the operator on standard error."""
    print(f"memdash: {sentence}", file=sys.stderr)
    raise SystemExit(code)


class Progress:
    """A bar on standard error that counts steps, drawn only where a terminal shows it and gone when the block ends."""

    def __init__(self, doing: str, total: int, out: OutputWrapper) -> None:
        self._doing, self._total, self._out = doing, max(total, 1), out
        self._done = 0
        self._shown = sys.stderr.isatty()
        self._drawn_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._erase()

    def step(self, line: str = "") -> None:
        """Count one more, and write ``line`` to ``out``, above the bar."""
        self._done += 1
        if line:
            self._erase()
            self._out.write(line)
        if self._shown and (line or time.monotonic() - self._drawn_at > REDRAW_SECONDS):
            self._draw()

    def _draw(self) -> None:
        full = BAR * min(self._done, self._total) // self._total
        bar = f"[{'#' * full}{' ' * (BAR - full)}] {self._done:,} of {self._total:,}"
        print(f"\r{self._doing} {bar}", end="", file=sys.stderr, flush=True)
        self._drawn_at = time.monotonic()

    def _erase(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class OneLineErrors(BaseCommand):
    """A command that tells what it refuses (CommandError) or what the database lacks in one line."""

    suppressed_base_arguments = {  # noqa: RUF012  (as in the base class)
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--traceback",
        "--no-color",
        "--force-color",
    }

    def run_from_argv(self, argv: list[str]) -> None:
        """Run as ``argv`` says and end the process with a sentence when the command refuses or the database is away."""
        self._called_from_command_line = True
        options = vars(self.create_parser(argv[0], argv[1]).parse_args(argv[2:]))
        try:
            self.execute(*options.pop("args", ()), **options)
        except CommandError as refusal:
            stop(str(refusal), refusal.returncode)
        except DatabaseError as error:
            stop(trouble(error))
        finally:
            connections.close_all()


class OperatorCommand(OneLineErrors):
    """A command of ``memdash``, without Django's checks, which belong to development and cost half a second."""

    requires_system_checks = ()


def trouble(error: DatabaseError) -> str:
    """Return a sentence for an error of the database, with the next step."""
    first = printable(str(error).partition("\n")[0])
    if "no such table" in first or (isinstance(error, ProgrammingError) and "does not exist" in first):
        return "The database lacks tables that this version needs. Run memdash migrate."
    if isinstance(error, OperationalError) and connection.vendor == "postgresql":
        return f"The database did not answer: {first}. Check DATABASE_URL."
    return f"The database refused: {first}"
