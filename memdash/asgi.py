"""The ASGI application that uvicorn serves: Django's, within the life of the worker and a limit on requests."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.asgi import get_asgi_application

from memdash.processes import folder

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

STOP_SECONDS = 3.0
REQUEST_BYTES = 2 * 1024 * 1024
DRAINED_BYTES = 64 * 1024 * 1024
DRAIN_SECONDS = 20.0
PAUSE_SECONDS = 1.0
TOO_LARGE = b"The request is larger than 2 MiB. Nothing was saved.\n"

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memdash.settings")
pages = get_asgi_application()

# Apps must be loaded before what is built on them. This also makes the Celery app through which pages send hints.
from agents.api import problems  # noqa: E402
from agents.folders.keeper import KEEPER as FOLDERS  # noqa: E402
from memdash import embedded  # noqa: E402
from memdash.direct import Direct  # noqa: E402
from memories.store import reads  # noqa: E402

API = "/api/"
api = Direct()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one request, or begin and end the life of the process."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        await _serve(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    await receive()
    try:
        await sync_to_async(_begin)()
    except folder.FolderTaken as taken:
        await send({"type": "lifespan.startup.failed", "message": str(taken)})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await sync_to_async(_end)()
    await send({"type": "lifespan.shutdown.complete"})


def _begin() -> None:
    if settings.MEMDASH_EMBEDDED:
        # Without Redis the process that serves also works, and only one process may work on a data folder.
        folder.hold(settings.MEMDASH_DATA)
        embedded.start()
    # Whoever registers a folder saw it here, so here it is followed, also where other processes do the work.
    FOLDERS.start()


def _end() -> None:
    FOLDERS.stop(STOP_SECONDS)
    if settings.MEMDASH_EMBEDDED:
        embedded.stop(STOP_SECONDS)
    api.close()
    reads.flush()


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    if _is_too_large(dict(scope["headers"]).get(b"content-length", b"0")):
        await _refuse(scope, receive, send)
        return
    taken = 0

    async def counted() -> Mapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > REQUEST_BYTES:
            await _refuse(scope, receive, send)
            return {"type": "http.disconnect"}
        return message

    application = api if scope["path"].startswith(API) else pages
    await application(scope, counted, send)


def _is_too_large(length: bytes) -> bool:
    """Say whether a request announces more than is taken; Python refuses to make a number of thousands of digits."""
    digits = length.lstrip(b"0")
    return digits.isdigit() and (len(digits) > len(str(REQUEST_BYTES)) or int(digits) > REQUEST_BYTES)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await _drain(receive)
    media_type, body = "text/plain; charset=utf-8", TOO_LARGE
    if scope["path"].startswith(API):
        media_type, body = problems.MEDIA_TYPE, json.dumps(problems.TOO_LARGE.as_json()).encode()
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _drain(receive: Receive) -> None:
    """Take in what is still being sent: a browser shows no answer that comes while it sends."""
    drained, more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while more and drained < DRAINED_BYTES:
                message = await asyncio.wait_for(receive(), PAUSE_SECONDS)
                drained += len(message.get("body", b""))
                more = message.get("more_body", False)
