"""A server in the place of memdash that answers each request as a test says, well or badly."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

import pytest
from anthropic.tools import ToolError

TOKEN = "mdh_not-a-real-one"
STORE = "support-desk"
VIEW = {"command": "view", "path": "/memories"}

Answer = Callable[["_Handler"], None]


class MemoryServer(ThreadingHTTPServer):
    """Gives its answers in order, the last of them to all that follows, and keeps what it was asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.connections = 0
        self.is_stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> Any:
        self.connections += 1
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: MemoryServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers["Content-Length"]))
        number = len(self.server.bodies)
        self.server.paths.append(self.path)
        self.server.headers.append(dict(self.headers.items()))
        self.server.bodies.append(json.loads(self.body))
        self.server.answers[min(number, len(self.server.answers) - 1)](self)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def raw(data: bytes) -> Answer:
    """Send these bytes and hang up."""

    def answer(handler: _Handler) -> None:
        handler.wfile.write(data)
        handler.close_connection = True

    return answer


def status(code: int, body: bytes = b"{}", **headers: str) -> Answer:
    """Send an answer of HTTP and keep the connection."""

    def answer(handler: _Handler) -> None:
        handler.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def problem(code: int, detail: str = "told to the log alone", **headers: str) -> Answer:
    """Refuse as memdash does."""
    body = {"type": "about:blank", "title": "Refused", "status": code, "detail": detail}
    return status(code, json.dumps(body).encode(), Content_Type="application/problem+json", **headers)


def says(content: Any, *, is_error: bool = False) -> Answer:
    """Answer the call."""
    return status(200, json.dumps({"content": content, "is_error": is_error}).encode(), Content_Type="application/json")


def says_and_hangs_up(handler: _Handler) -> None:
    """Answer the call and close the connection without having announced it."""
    says("")(handler)
    handler.close_connection = True


def hang_up(handler: _Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def fall_silent(handler: _Handler) -> None:
    """Say nothing, and keep the connection."""
    handler.server.is_stopped.wait(30)
    handler.close_connection = True


def drip(handler: _Handler) -> None:
    """Send a header that never ends, a character now and then."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(600):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        if handler.server.is_stopped.wait(0.05):
            break


def relayed(url: str, *, is_lost: bool = False) -> Answer:
    """Have the server at ``url`` answer, and hang up without a word of it if it is to be lost."""

    def answer(handler: _Handler) -> None:
        request = Request(url + handler.path, data=handler.body, headers=dict(handler.headers.items()))
        with urlopen(request, timeout=30) as came:
            if is_lost:
                hang_up(handler)
            else:
                status(came.status, came.read())(handler)

    return answer


@contextmanager
def answering(*answers: Answer) -> Iterator[MemoryServer]:
    """Serve until the block ends."""
    server = MemoryServer(answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.is_stopped.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def options(server: MemoryServer, **more: Any) -> dict[str, Any]:
    """Return what makes a client of memdash call this server."""
    return {"url": server.url, "store": STORE, "token": TOKEN} | more


def timed(act: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``act`` returns, and the seconds it took."""
    began = time.monotonic()
    return act(), time.monotonic() - began


def refusal(act: Callable[[], object]) -> Any:
    """Return what the model reads of a call that fails."""
    with pytest.raises(ToolError) as error:
        act()
    return error.value.content
