"""Serves the addresses below /api/ past what only pages need: sessions, forms, a thread of its own for each request.

A call of the memory tool takes less time than all of that. Here a few threads stay, each with its connection.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.exception import convert_exception_to_response
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver
from django.utils.module_loading import import_string

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Answers = Callable[[HttpRequest], Any]

THREADS: Final = 4 if settings.MEMDASH_EMBEDDED else 8
"""SQLite has one writer at a time, and PostgreSQL's connections are shared with the pages."""


class Direct:
    """An ASGI application for addresses that need no cookie."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "api")
        self._answer = _chain(_view)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing is sent to somebody who has hung up."""
        body = await _body(receive)
        if body is None:
            return
        response = await asyncio.get_running_loop().run_in_executor(self._threads, self._serve, scope, body)
        headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": response.content})

    def close(self) -> None:
        """Take no more requests; those that are being answered go on."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _serve(self, scope: Scope, body: bytes) -> HttpResponse:
        try:
            response: HttpResponse = self._answer(ASGIRequest(scope, BytesIO(body)))
            return response
        finally:
            # PostgreSQL's go back to their pool. One of SQLite stays open, since to open it takes as long as a call.
            if connection.vendor != "sqlite" or connection.errors_occurred:
                connection.close()


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body, or None when the caller hangs up before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _chain(view: Callable[[HttpRequest], HttpResponse]) -> Answers:
    """Return ``view`` within the middleware of every answer, as Django would chain it."""
    answer: Answers = convert_exception_to_response(view)
    for name in reversed(settings.MEMDASH_API_MIDDLEWARE):
        answer = convert_exception_to_response(import_string(name)(answer))
    return answer


def _view(request: HttpRequest) -> HttpResponse:
    match = get_resolver().resolve(request.path_info)
    request.resolver_match = match
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response
