"""Ending a request from another thread, even while it waits for bytes that may never come."""

import contextlib
import socket
import threading


class Interrupt:
    """A wish to end a request, with its reason; one object serves one request.

    Closing a connection does not wake a thread that reads from it; shutting its socket down does, at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._reason = ""

    @property
    def reason(self) -> str:
        """Return why it was fired, or "" if it was not."""
        return self._reason

    def fire(self, reason: str) -> None:
        """End the request that holds this interrupt now, or as soon as it has connected; the first reason stays."""
        with self._lock:
            self._reason = self._reason or reason
            self._shut_down()

    def attach(self, connected: socket.socket) -> None:
        """Tell which socket the request reads from; it is shut down at once if the interrupt was fired before."""
        with self._lock:
            self._socket = connected
            if self._reason:
                self._shut_down()

    def detach(self) -> None:
        """Forget the socket: its number may soon belong to another connection."""
        with self._lock:
            self._socket = None

    def _shut_down(self) -> None:
        if self._socket is not None:
            # SSLSocket's own method would drop its TLS state under the reader's feet.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
