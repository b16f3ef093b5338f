"""Celery's messages in the memory of one process."""

from typing import Any

from kombu.transport import memory

LOOK_SECONDS = 0.2


class Transport(memory.Transport):
    """Kombu's in-memory transport, whose workers look up every moment whether they should stop.

    They wait two seconds for a message otherwise, and twice that on their way out.
    """

    def drain_events(self, connection: Any, timeout: Any = None, **kwargs: Any) -> Any:  # noqa: ARG002  (kombu's)
        """Deliver the next message; raise TimeoutError if none comes within a moment."""
        return super().drain_events(connection, timeout=LOOK_SECONDS)
