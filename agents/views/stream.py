"""The event stream of a run (server-sent events), fed by this process's one poller."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from agents.access import may_run, run_for, runs_for
from agents.live import LIFE_SECONDS, STREAMS_PER_USER, Beat, Closed, Poller, Update, Viewer
from agents.models import Run
from agents.views.updates import since
from memdash.web.requests import UserRequest
from memories.views.numbers import number_in, number_of

POLLER: Final = Poller(since)
RETRY_MS: Final = 1000
LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Opened:
    """Who asked for the news of which run, and how far that run is."""

    run: Run
    user_id: int
    may_write: bool
    still_allowed: Callable[[], bool]


class EventStream(StreamingHttpResponse):
    """An answer that lasts; it is fed until it is closed, however it ends."""

    def __init__(self, viewer: Viewer) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(_news(viewer), content_type="text/event-stream", headers=headers)
        self._viewer = viewer

    def close(self) -> None:
        """Stop feeding it: a generator whose browser went away would not do so before it is collected."""
        POLLER.leave(self._viewer)
        super().close()


@require_GET
async def events(request: UserRequest, uuid: UUID) -> HttpResponseBase:
    """Stream a run's news after the event that ``Last-Event-ID`` or ``?since=`` names, for ten minutes at most.

    204 says that no more will come. A person with too many open streams gets 429; the page then asks for the news.
    """
    opened = await sync_to_async(_open)(request, uuid)
    cursor = _cursor(request)
    if not opened.run.may_go_on and opened.run.last_event <= cursor:
        return HttpResponse(status=204)
    if POLLER.streams_of(opened.user_id) >= STREAMS_PER_USER:
        return HttpResponse("Too many runs are followed at once.\n", status=429, content_type="text/plain")
    return EventStream(Viewer(opened.run.pk, cursor, opened.user_id, opened.may_write, opened.still_allowed))


def _open(request: UserRequest, uuid: UUID) -> Opened:
    run = run_for(request.user, uuid)
    may_write = may_run(request.user, run.agent)
    sessions, key = type(request.session), request.session.session_key

    def still_allowed() -> bool:
        # As if the page were asked for anew: signed out, deactivated or no longer a member ends the stream.
        asked = HttpRequest()
        asked.session = sessions(key)
        user = get_user(asked)
        return (
            isinstance(user, User)
            and runs_for(user).filter(pk=run.pk).exists()
            and may_run(user, run.agent) == may_write
        )

    return Opened(run, request.user.pk, may_write, still_allowed)


def _cursor(request: HttpRequest) -> int:
    given = number_of(request.headers.get("Last-Event-ID", ""))
    return given if given is not None else number_in(request, "since") or 0


async def _news(viewer: Viewer) -> AsyncIterator[str]:
    ends = time.monotonic() + LIFE_SECONDS
    # What let the person in has used a connection in the request's thread; a stream must not hold it for minutes.
    await sync_to_async(close_old_connections)()
    POLLER.join(viewer)
    yield f"retry: {RETRY_MS}\n\n"
    while (left := ends - time.monotonic()) > 0:
        try:
            news = await asyncio.wait_for(viewer.news.get(), left)
        except TimeoutError:
            return
        if isinstance(news, Closed):
            return
        yield _frame(news)
        if isinstance(news, Update) and news.over:
            return


def _frame(news: Update | Beat) -> str:
    if isinstance(news, Beat):
        return ": beat\n\n"
    data = "".join(f"data: {line}\n" for line in LINE_ENDS.split(news.html))
    return f"id: {news.seq}\nevent: update\n{data}\n"
