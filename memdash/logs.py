"""Log lines that say what happened and where, and never what stands in memory."""

import logging
import traceback
from typing import Any

from memdash.terminal import printable


class PlainFormatter(logging.Formatter):
    """One record in one line, with nothing in it that could forge a second one or steer a terminal.

    Of an exception only the class and the places are logged: its text may quote memory, a tool's input or a password.
    """

    def __init__(self, *, exception_text: bool = False) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S%z")
        self.exception_text = exception_text

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text; an exception's places follow indented, one in a line."""
        record.message = printable(record.getMessage())
        record.asctime = self.formatTime(record, self.datefmt)
        line = self.formatMessage(record)
        if record.exc_info and record.exc_info[1] is not None:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return line

    def formatException(self, ei: Any) -> str:  # noqa: N802  (logging's name)
        """Return the class of the exception and where it was raised, without its text unless asked for."""
        if self.exception_text:
            return super().formatException(ei)
        kind, _, places = ei
        lines = [f"  {place.filename}:{place.lineno} in {place.name}" for place in traceback.extract_tb(places)]
        return "\n".join([f"  {kind.__module__}.{kind.__qualname__}", *lines])
