"""Live pages: the event stream, its one poller, and asking for news where there is no stream."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import cast

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection, connections, transaction
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client
from django.utils import timezone

from agents.live import STREAMS_PER_USER, Beat, Closed, Poller, Update, Viewer
from agents.making import create_agent
from agents.models import Agent, Run, RunEvent, RunState
from agents.runs import events
from agents.runs.events import Kind
from agents.views import stream
from agents.views.updates import since
from memdash.accounts.sessions import SessionStore
from memories import store
from memories.commands import Insert
from memories.models import Member, Role
from memories.paths import MemoryPath
from tests.support.people import browser_of, member, operator
from tests.support.run_rows import answer, run_in, text
from tests.support.runs import driven, driving, model_api, new_run
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 20


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk", model="demo/support-desk")


@pytest.fixture(autouse=True)
def quick_poller(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the poller look often, and end before the database goes."""
    monkeypatch.setattr(stream.POLLER, "poll", 0.02)
    yield
    for thread in threading.enumerate():
        if thread.name == "live-pages":
            thread.join(PATIENCE)


class Frame:
    """One event of a stream."""

    def __init__(self, raw: str) -> None:
        fields = [line.partition(": ")[::2] for line in raw.strip().split("\n")]
        self.seq = int(next((value for name, value in fields if name == "id"), 0))
        self.html = "\n".join(value for name, value in fields if name == "data")


@asynccontextmanager
async def opened(user: User, run: Run, query: str = "", **headers: str) -> AsyncIterator[AsyncIterator[Frame]]:
    """Open the run's stream and give its events one by one; close it at the end, as a server does."""
    client = AsyncClient()
    await client.aforce_login(user)
    response = await client.get(f"/runs/{run.uuid}/events{query}", headers=headers)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/event-stream"
    chunks = cast("AsyncIterator[bytes]", cast("StreamingHttpResponse", response).streaming_content)

    async def frames() -> AsyncIterator[Frame]:
        while True:
            try:
                chunk = await asyncio.wait_for(anext(chunks), PATIENCE)
            except StopAsyncIteration:
                return
            if chunk.startswith(b"id: "):
                yield Frame(chunk.decode())

    try:
        yield frames()
    finally:
        await sync_to_async(response.close, thread_sensitive=False)()


def happens(run: Run, kind: Kind, **data: object) -> None:
    """Record an event of the run."""
    with transaction.atomic():
        events.add(run.pk, kind, data)


def wait_for(work: Callable[[], Awaitable[None]]) -> None:
    """Run the asynchronous part of a test."""

    async def whole() -> None:
        try:
            await asyncio.wait_for(work(), PATIENCE * 2)
        finally:
            # The thread that does the synchronous work outlives the test, and a server's database cannot be dropped
            # while it holds a connection.
            await sync_to_async(connections.close_all)()

    asyncio.run(whole())


def live_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "live-pages"]


def test_a_stream_tells_all_that_happens_and_ends_with_the_run() -> None:
    user = operator()

    async def follow() -> None:
        run = await sync_to_async(new_run)()
        driver = await sync_to_async(driving)(run)
        async with opened(user, run) as frames:
            seen = [frame async for frame in frames]
        driver.join()
        await run.arefresh_from_db()
        assert [frame.seq for frame in seen] == sorted({frame.seq for frame in seen})
        assert seen[-1].seq == run.last_event
        assert "data-over" in seen[-1].html
        assert not any("data-over" in frame.html for frame in seen[:-1])
        told = "".join(frame.html for frame in seen)
        assert all(f'id="turn-{turn}"' in told for turn in range(1, run.turns + 1))

    with model_api(pace=0.002):
        wait_for(follow)


def test_a_stream_goes_on_behind_the_last_event_the_browser_has(agent: Agent) -> None:
    user, run = operator(), run_in(RunState.RUNNING, agent)
    for number in range(1, 4):
        answer(run, number + 1, number, text(f"answer {number}"))
        happens(run, Kind.MESSAGE, seq=number + 1, role="assistant")

    async def resume() -> None:
        async with opened(user, run, "?since=0", **{"Last-Event-ID": "2"}) as frames:
            first = await anext(frames)
        assert first.seq == 3
        assert "answer 3" in first.html
        assert "answer 2" not in first.html

    wait_for(resume)


def test_text_that_goes_on_is_sent_once_and_not_the_draft_again(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    happens(run, Kind.TEXT, turn=1, block=0, text="Hello <b>")
    begun = since(run.pk, 0, may_write=True)
    happens(run, Kind.TEXT, turn=1, block=0, text=" world")
    more = since(run.pk, 1, may_write=True)
    happens(run, Kind.TOOL, turn=1, block=1, text='{"command": "view", "path": "/memories/a.md"', name="memory")
    tool = since(run.pk, 2, may_write=True)

    assert begun
    assert more
    assert tool
    assert re.search(r'id="turn-1" aria-busy="true"', begun.html)
    assert 'id="draft-1">Hello &lt;b&gt;</div>' in begun.html
    assert '<span data-append-to="draft-1"> world</span>' in more.html
    assert "Hello" not in more.html
    assert "Hello &lt;b&gt; world" in tool.html
    assert "/memories/a.md" in tool.html


def test_a_page_opened_in_between_shows_what_has_streamed_and_goes_on_from_there(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    happens(run, Kind.TEXT, turn=1, block=0, text="Hello")

    page = browser_of(operator()).get(f"/runs/{run.uuid}/").content.decode()

    assert 'id="draft-1">Hello</div>' in page
    assert 'data-cursor="1" data-live' in page


def test_the_stored_answer_takes_the_place_of_the_draft(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    happens(run, Kind.TEXT, turn=1, block=0, text="**Hel")
    answer(run, 2, 1, text("**Hello**"))
    events.take_chunks(run.pk)
    happens(run, Kind.MESSAGE, seq=2, role="assistant")

    update = since(run.pk, 1, may_write=True)

    assert update
    assert 'id="turn-1">' in update.html
    assert "<strong>Hello</strong>" in update.html
    assert "draft-1" not in update.html


def test_calls_whose_text_has_changed_are_told_anew_until_the_page_knows() -> None:
    with model_api():
        run = driven(new_run())
    view = run.tool_calls.get(path="/memories/policies/tone.md", first_seq=None)
    RunEvent.objects.update(created_at=timezone.now() + timedelta(minutes=1))
    Run.objects.filter(pk=run.pk).update(turns=view.turn + 1)
    cursor = run.last_event
    happens(run, Kind.STATE, state="running")
    quiet = since(run.pk, cursor, may_write=True)
    RunEvent.objects.update(created_at=timezone.now() - timedelta(minutes=1))

    store.apply(run.agent.store_id, Insert(MemoryPath.parse(view.path), 0, "Be kind.\n"), actor=PERSON)
    told = since(run.pk, cursor, may_write=True)

    assert quiet
    assert told
    assert "data-renewed" not in quiet.html
    renewed = told.html.partition("<div data-renewed>")[2]
    row = renewed.partition(f'id="call-{view.turn}-{view.position}"')[2].partition("</details>")[0]
    assert "This text has changed since" in row


def test_all_viewers_are_fed_by_one_thread_that_renders_once(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    rendered: list[int] = []

    def render(run_id: int, cursor: int, may_write: bool) -> Update | None:
        rendered.append(cursor)
        return since(run_id, cursor, may_write)

    async def update(viewer: Viewer) -> Update:
        while not isinstance(news := await asyncio.wait_for(viewer.news.get(), PATIENCE), Update):
            pass
        return news

    async def watch() -> None:
        poller = Poller(render, poll=0.02, beat=0)
        viewers = [Viewer(run.pk, 0, user_id, True, lambda: True) for user_id in range(50)]
        for viewer in viewers:
            poller.join(viewer)
        for viewer in viewers:
            # From its first beat on, every round of the thread has this viewer among those it feeds.
            assert isinstance(await asyncio.wait_for(viewer.news.get(), PATIENCE), Beat)
        await sync_to_async(happens)(run, Kind.STATE, state="running")
        news = [await update(viewer) for viewer in viewers]
        threads = live_threads()
        for viewer in viewers:
            poller.leave(viewer)
        assert threads == ["live-pages"]
        assert all(news[0] is other for other in news)

    wait_for(watch)

    assert rendered == [0]


def test_a_run_that_cannot_be_shown_ends_its_own_streams_alone(agent: Agent) -> None:
    good, bad = run_in(RunState.RUNNING, agent), run_in(RunState.RUNNING, agent)

    def render(run_id: int, cursor: int, may_write: bool) -> Update | None:
        if run_id == bad.pk:
            raise LookupError("made up")
        return since(run_id, cursor, may_write)

    async def watch() -> None:
        poller = Poller(render, poll=0.02)
        lucky, other = (Viewer(run.pk, 0, 1, True, lambda: True) for run in (good, bad))
        poller.join(lucky)
        poller.join(other)
        for run in (bad, good):
            await sync_to_async(happens)(run, Kind.STATE, state="running")
        assert isinstance(await asyncio.wait_for(other.news.get(), PATIENCE), Closed)
        assert isinstance(await asyncio.wait_for(lucky.news.get(), PATIENCE), Update)
        poller.leave(lucky)

    wait_for(watch)


def test_the_thread_ends_when_nobody_looks(agent: Agent) -> None:
    user, run = operator(), run_in(RunState.RUNNING, agent)

    happens(run, Kind.STATE, state="running")

    async def look_and_go() -> None:
        async with opened(user, run) as frames:
            await anext(frames)
            assert live_threads() == ["live-pages"]
        while live_threads():
            await asyncio.sleep(0.02)

    wait_for(look_and_go)


def test_an_open_stream_holds_no_connection(agent: Agent) -> None:
    user, run = operator(), run_in(RunState.RUNNING, agent)

    async def watch() -> None:
        async with opened(user, run) as frames:
            watching = asyncio.create_task(anext(frames, None))
            await asyncio.sleep(0.2)
            assert await sync_to_async(lambda: connection.connection)() is None
            watching.cancel()

    wait_for(watch)


@pytest.mark.parametrize("loss", ["membership", "session", "account"])
def test_whoever_may_no_longer_look_is_told_nothing_more(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    monkeypatch.setattr(stream.POLLER, "beat", 0.05)
    user, run = member(agent.store, Role.VIEWER), run_in(RunState.RUNNING, agent)

    def lose() -> None:
        if loss == "membership":
            Member.objects.all().delete()
        elif loss == "account":
            User.objects.filter(pk=user.pk).update(is_active=False)
        else:
            SessionStore.get_model_class().objects.all().delete()

    async def watch() -> None:
        async with opened(user, run) as frames:
            watching = asyncio.create_task(anext(frames, None))
            await asyncio.sleep(0.2)
            assert not watching.done()
            await sync_to_async(lose)()
            assert await asyncio.wait_for(watching, PATIENCE) is None

    wait_for(watch)


def test_a_person_with_many_open_streams_asks_instead(agent: Agent) -> None:
    user, run = operator(), run_in(RunState.RUNNING, agent)

    async def open_one_more() -> None:
        client = AsyncClient()
        await client.aforce_login(user)
        viewers = [Viewer(run.pk, 0, user.pk, True, lambda: True) for _ in range(STREAMS_PER_USER)]
        for viewer in viewers:
            stream.POLLER.join(viewer)
        response = await client.get(f"/runs/{run.uuid}/events")
        for viewer in viewers:
            stream.POLLER.leave(viewer)
        assert response.status_code == 429

    wait_for(open_one_more)


def test_a_stream_lives_for_a_while_only(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LIFE_SECONDS", 0.1)
    user, run = operator(), run_in(RunState.RUNNING, agent)

    async def watch() -> None:
        async with opened(user, run) as frames:
            assert [frame async for frame in frames] == []

    wait_for(watch)


def test_nothing_is_streamed_of_a_run_that_is_over() -> None:
    with model_api():
        run = driven(new_run())
    browser = browser_of(operator())

    assert browser.get(f"/runs/{run.uuid}/events?since={run.last_event}").status_code == 204


def test_a_page_that_asks_gets_news_nothing_or_the_end(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    browser = browser_of(operator())
    happens(run, Kind.STATE, state="running")

    news = browser.get(f"/runs/{run.uuid}/log?since=0")
    nothing = browser.get(f"/runs/{run.uuid}/log?since=1")
    Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
    happens(run, Kind.STATE, state="done")
    last = browser.get(f"/runs/{run.uuid}/log?since=1")
    over = browser.get(f"/runs/{run.uuid}/log?since=2")

    assert (news.status_code, 'data-cursor="1"' in news.content.decode()) == (200, True)
    assert (nothing.status_code, nothing.content) == (204, b"")
    assert (last.status_code, 'data-announce="Finished"' in last.content.decode()) == (286, True)
    assert (over.status_code, over.content) == (286, b"")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CURATOR])
def test_news_offer_acts_to_those_who_may_act(agent: Agent, role: Role) -> None:
    run = run_in(RunState.RUNNING, agent)
    happens(run, Kind.STATE, state="running")
    browser: Client = browser_of(member(agent.store, role))

    news = browser.get(f"/runs/{run.uuid}/log?since=0").content.decode()

    assert ("Cancel run" in news) is (role == Role.CURATOR)


def test_without_scripts_a_link_asks_again_each_time(agent: Agent) -> None:
    run = run_in(RunState.RUNNING, agent)
    browser = browser_of(operator())

    asked = {
        re.search(r'<noscript>.*?href="([^"]+)"', browser.get(f"/runs/{run.uuid}/").text)[1]  # type: ignore[index]
        for _ in range(2)
    }

    # To a browser the same address with another "#place" is the page that it has.
    assert len({address.partition("#")[0] for address in asked}) == 2
    assert all(browser.get(address).status_code == 200 for address in asked)
