"""The HTTP client under the SDK: no redirects, no proxies, bounded answers, an address that is checked again."""

from collections.abc import Iterator
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2

from agents.claude.addresses import AddressRefused, is_public
from agents.claude.answers import Limits
from agents.claude.endpoints import Endpoint
from agents.claude.interrupts import Interrupt


class AnswerTooLarge(Exception):
    """The answer has more bytes than the limit."""


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        left = self._limit
        for part in self._stream:
            left -= len(part)
            if left < 0:
                raise AnswerTooLarge
            yield part

    def close(self) -> None:
        self._stream.close()


class _BoundedTransport(httpx2.HTTPTransport):
    """Counts bytes as they arrive; a line without end would otherwise fill the memory before anyone sees an event."""

    def __init__(self, limit: int) -> None:
        super().__init__(verify=_certificates(), trust_env=False)
        self._limit = limit

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise AnswerTooLarge  # compressed against our word: a few bytes may unpack to gigabytes
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _BoundedStream(response.stream, self._limit)
        return response


@cache
def _certificates() -> SSLContext:
    """Return what certificates are checked against; to read them takes longer than all else of a client."""
    return httpx2.create_ssl_context(trust_env=False)


def open_client(endpoint: Endpoint, interrupt: Interrupt, limits: Limits) -> httpx2.Client:
    """Return a client for one request to ``endpoint``; ``interrupt`` ends it from another thread."""

    def trace(event: str, info: dict[str, Any]) -> None:
        if event not in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            return
        network = info["return_value"]
        interrupt.attach(network.get_extra_info("socket"))
        # The name was resolved and checked before, but it may have been resolved anew since: look at the peer itself,
        # before a byte of the request leaves.
        if not endpoint.allow_private and not is_public(network.get_extra_info("server_addr")[0]):
            network.close()
            raise AddressRefused("The name of the model's address leads to a private address now.")

    def attach_trace(request: httpx2.Request) -> None:
        request.extensions["trace"] = trace

    return httpx2.Client(
        transport=_BoundedTransport(limits.answer_bytes),
        headers={"Accept-Encoding": "identity"},
        timeout=timeouts(limits),
        follow_redirects=False,
        trust_env=False,
        event_hooks={"request": [attach_trace]},
    )


def timeouts(limits: Limits) -> httpx2.Timeout:
    """Return how long to wait for a connection, and for each further byte."""
    return httpx2.Timeout(limits.idle_seconds, connect=limits.connect_seconds)
