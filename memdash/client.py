"""Memory in memdash for a program that runs Claude with Anthropic's SDK, on any machine::

    runner = anthropic.Anthropic().beta.messages.tool_runner(tools=[MemdashMemoryTool()], thread=False, ...)

MEMDASH_URL, MEMDASH_STORE and MEMDASH_TOKEN say where the memory is and may be given as arguments instead. This file
needs nothing but ``anthropic``: a program without memdash takes a copy of it. ``docs/client.md`` has whole examples.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import logging
import math
import os
import re
import selectors
import socket
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from typing import Any
from urllib.parse import quote, urlsplit

from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaToolResultBlockParam

Cause = str | Callable[[], str | None] | None

log = logging.getLogger("memdash.client")

SECONDS = 30.0
CAUSE_AT_MOST = 2000
ANSWER_AT_MOST = 32 * 1024 * 1024
IDLE_AT_MOST = 4
PAUSES = (0.0, 0.5, 2.0)
"""Seconds before the second, third and fourth try, where the server names none or less. The first costs nothing, since
what fails most is a connection that was kept and is closed just now."""

PASSING = {429, 502, 503, 504}
GO_ON = "Continue without memory."
LOOK = "If it was a change, it may have been made: view the path before you try again."
UNREACHED = f"Error: the memory server cannot be reached, so nothing was read or changed. {GO_ON}"
UNANSWERED = f"Error: the memory server did not answer. {LOOK}"
UNREADABLE = f"Error: the memory server answered in a way that cannot be read. {LOOK}"
FAILED = f"Error: the memory server failed on this call. {LOOK}"
BUSY = f"Error: the memory server takes no more calls at the moment. {GO_ON}"
BROKEN = f"Error: the memory call failed inside this program. {GO_ON}"
NOT_TAKEN = "Error: the memory server did not take the call as it was sent. Nothing was changed."
NO_OBJECT = "Error: the input must be an object with a `command`."
REFUSED = {
    401: f"Error: the memory server does not know this program. {GO_ON}",
    403: "Error: this program may not do that with this memory. Nothing was changed.",
    404: f"Error: the memory server has no such store. {GO_ON}",
    413: "Error: the call is too large for the memory server. Send less text in one call.",
    429: BUSY,
    502: UNANSWERED,
    503: BUSY,
    504: UNANSWERED,
}


class _Memory:
    """What the doors to a store share: where it is, and what is told with each call of one conversation.

    ``session`` names the conversation, which memdash shows as one run; left out, it is a new one. ``cause`` is what
    the agent was asked, in the words it was asked (at most 2,000 characters are sent), or a function that returns
    them; ``turn`` counts the model's answers; ``external`` names what the agent has read from outside. They are told
    with each call that follows and may be set anew at any time. ``agent`` says who calls, if it is not the token's
    agent itself. A call ends within ``timeout`` seconds, its repetitions included.

    Raises ValueError when url, store or token is missing or cannot be used.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        store: str | None = None,
        token: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        cause: Cause = None,
        turn: int | None = None,
        external: Sequence[str] = (),
        timeout: float = SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._server = _Server(
            _given("url", url, r"https?://[^\s/?#@]+(/[^\s?#]*)?"),
            _given("store", store, r"\S+"),
            _given("token", token, r"[\x21-\x7e]+"),
        )
        self.session = session or uuid.uuid4().hex
        self.agent = agent
        self.cause = cause
        self.turn = turn
        self.external = external
        self.timeout = timeout
        self._message: Any = None

    def follow(self, message: Any) -> None:
        """Take an answer of the model before its tools run, as a runner's loop has it in hand.

        Counts the turn, and tells memdash the model's own ids of the calls that follow.
        """
        self.turn = (self.turn or 0) + 1
        self._message = message

    def _ask(self, raw_input: object, tool_use_id: str | None = None) -> Any:
        """Return the content of the answer; raise ToolError, and nothing else, with the text that the model reads."""
        try:
            return _content(*self._server.post(self._body(raw_input, tool_use_id), self.timeout))
        except ToolError:
            raise
        except Exception:
            # The SDK would show the model whatever stands in the exception.
            log.exception("a memory call failed")
            raise ToolError(BROKEN) from None

    def _body(self, raw_input: object, tool_use_id: str | None) -> bytes:
        if not isinstance(raw_input, dict):
            raise ToolError(NO_OBJECT)
        cause = self.cause() if callable(self.cause) else self.cause
        told = {
            "session": self.session,
            "turn": self.turn,
            # Of one id the server makes one call, however often it arrives.
            "tool_use_id": tool_use_id or self._followed_id(raw_input) or f"call_{uuid.uuid4().hex}",
            "cause": cause[:CAUSE_AT_MOST] if cause else None,
            "agent": self.agent,
            "external": list(self.external) or None,
        }
        asked = {name: value for name, value in raw_input.items() if name not in told}
        body = asked | {name: value for name, value in told.items() if value is not None}
        try:
            return json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            # Half a character, which only an escape can carry. The server says what is wrong with it.
            return json.dumps(body).encode()

    def _followed_id(self, raw_input: object) -> str | None:
        # By identity, so that two calls with the same input are two, and a call that the SDK makes twice is one.
        blocks = self._message.content if self._message else ()
        return next((block.id for block in blocks if block.type == "tool_use" and block.input is raw_input), None)


class MemdashMemoryTool(_Memory, BetaAbstractMemoryTool):
    """The memory tool for ``tool_runner``; one object is one conversation."""

    def call(self, input: object) -> Any:
        """Answer one call with whatever the model sent; raise ToolError where it is to read of an error."""
        return self._ask(input)

    def _command(self, command: Any) -> Any:
        return self._ask(command.to_dict(mode="python"))

    # The SDK's way in for programs that call a command by its name; its objects hold what the model sent.
    view = create = str_replace = insert = delete = rename = _command


class AsyncMemdashMemoryTool(_Memory, BetaAsyncAbstractMemoryTool):
    """The same for the ``tool_runner`` of an ``AsyncAnthropic``; each call waits in a thread."""

    async def call(self, input: object) -> Any:
        """Answer one call with whatever the model sent; raise ToolError where it is to read of an error."""
        return await asyncio.to_thread(self._ask, input)

    async def _command(self, command: Any) -> Any:
        return await asyncio.to_thread(self._ask, command.to_dict(mode="python"))

    view = create = str_replace = insert = delete = rename = _command


def call_memory(tool_use: Any, *, session: str, **options: Any) -> BetaToolResultBlockParam:
    """Answer one ``tool_use`` block (the SDK's object or a dict) with the ``tool_result`` block to send back.

    ``session`` is the same for all calls of a conversation. The options are those of MemdashMemoryTool, save
    ``cache_control``. A block that is given again under its id changes nothing and gets the answer it got. Errors are
    results too; only wrong options raise (ValueError, TypeError).
    """
    block = tool_use if isinstance(tool_use, dict) else vars(tool_use)
    memory = _Memory(session=session, **options)
    result: BetaToolResultBlockParam = {"type": "tool_result", "tool_use_id": block["id"]}
    try:
        result["content"] = memory._ask(block["input"], block["id"])
    except ToolError as error:
        result["content"] = error.content
        result["is_error"] = True
    return result


def _given(name: str, value: str | None, pattern: str) -> str:
    """Return an option or what the environment has for it; raise ValueError, which does not repeat a wrong one."""
    variable = f"MEMDASH_{name.upper()}"
    found = (value or os.environ.get(variable, "")).strip()
    if not re.fullmatch(pattern, found):
        raise ValueError(f"{name} is {'not valid' if found else 'missing'}: pass {name}=… or set {variable}.")
    return found


def _content(status: int, data: bytes) -> Any:
    """Return the content of a good answer; raise ToolError with the text for the model otherwise."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    said: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if status != 200:
        log.warning("memory answered %d: %.300s", status, said.get("detail") or said.get("title") or "no reason given")
        of_its_kind = {4: NOT_TAKEN, 5: FAILED}.get(status // 100, UNREADABLE)
        raise ToolError(REFUSED.get(status, of_its_kind))
    content: Any = said.get("content")
    is_error = said.get("is_error")
    are_blocks = isinstance(content, list) and all(isinstance(block, dict) for block in content)
    if not (isinstance(content, str) or are_blocks) or not isinstance(is_error, bool):
        log.warning("memory answered something else than a tool result")
        raise ToolError(UNREADABLE)
    if is_error:
        raise ToolError(content)
    return content


class _Server:
    """One store at one address."""

    def __init__(self, url: str, store: str, token: str) -> None:
        parts = urlsplit(url)
        self._connection = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._place = (parts.hostname or "", parts.port)
        self._path = f"{quote(parts.path.rstrip('/'), safe='/%')}/api/v1/stores/{quote(store, safe='')}/memory"
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "memdash-client",
        }

    def post(self, body: bytes, timeout: float) -> tuple[int, bytes]:
        """Return status and body of the answer; raise ToolError when none came within ``timeout`` seconds.

        What may pass is tried again, at most ``len(PAUSES)`` times. That is safe for a change too: the body carries
        the id under which the server makes it once.
        """
        deadline = time.monotonic() + timeout
        sent = False
        for number, pause in enumerate((*PAUSES, math.inf), 1):
            try:
                connection = self._connected(deadline, fresh=number > 1)
                sent = True
                status, retry_after, data = self._exchange(connection, body, deadline)
            except (OSError, IncompleteRead) as error:
                log.warning("memory did not answer, try %d: %s", number, type(error).__name__)
                status, retry_after, data = 0, 0, b""
            except HTTPException as error:
                log.warning("memory answered no HTTP: %s", type(error).__name__)
                raise ToolError(UNREADABLE) from None
            if status and status not in PASSING:
                return status, data
            wait = max(pause, retry_after)
            if time.monotonic() + wait >= deadline:
                break
            time.sleep(wait)
        if status:
            return status, data
        raise ToolError(UNANSWERED if sent else UNREACHED)

    def _connected(self, deadline: float, *, fresh: bool) -> HTTPConnection:
        seconds = max(0.01, deadline - time.monotonic())
        idle = _idle[self._key()]
        with contextlib.suppress(IndexError):
            while not fresh:
                if _is_open(connection := idle.pop()):
                    return connection
                connection.close()
        connection = self._connection(*self._place, timeout=seconds)
        connection.connect()
        return connection

    def _exchange(self, connection: HTTPConnection, body: bytes, deadline: float) -> tuple[int, int, bytes]:
        """Return status, Retry-After in seconds (0 where the answer has none) and body."""
        seconds = max(0.01, deadline - time.monotonic())
        # A socket's own limit is for each piece; a server that sends a byte now and then would never meet it.
        limit = threading.Timer(seconds, _cut, (connection.sock,))
        limit.daemon = True
        limit.start()
        keep = False
        try:
            connection.sock.settimeout(seconds)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # A server that refuses a call may answer before it has read all of it.
                connection.request("POST", self._path, body, self._headers)
            with connection.getresponse() as response:
                data = response.read(ANSWER_AT_MOST)
                # Without either header an answer that was cut off would look whole.
                if response.length or not (response.chunked or "Content-Length" in response.headers):
                    raise IncompleteRead(data)
            keep = not response.will_close and response.isclosed()
            seconds_told = re.fullmatch(r"\d{1,9}", response.headers.get("Retry-After", ""))
            return response.status, int(seconds_told[0]) if seconds_told else 0, data
        finally:
            limit.cancel()
            idle = _idle[self._key()]
            if keep and len(idle) < IDLE_AT_MOST:
                idle.append(connection)
            else:
                connection.close()

    def _key(self) -> tuple[object, ...]:
        # A process that was forked off must not speak on its parent's connections.
        return os.getpid(), self._connection, self._place


_idle: defaultdict[tuple[object, ...], list[HTTPConnection]] = defaultdict(list)


def _is_open(connection: HTTPConnection) -> bool:
    """Return whether the server has said nothing since its last answer, not even that it hangs up."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(connection.sock, selectors.EVENT_READ)
        return not waiting.select(0)


def _cut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


@atexit.register
def _hang_up() -> None:
    for connections in _idle.values():
        for connection in connections:
            connection.close()
