"""The server: POST /v1/messages on a loopback port, as JSON or as a stream of server-sent events."""

import json
import logging
import os
import socketserver
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from agents.demo.faults import Fault, Hangup
from agents.demo.messages import answer, events, whole
from agents.demo.requests import ApiError, Message, checked, invalid

PACE = 0.03
BODY_AT_MOST = 32 * 1024 * 1024
IDLE_SECONDS = 120
log = logging.getLogger(__name__)

_starting = threading.Lock()
# By process id, since a fork inherits the dictionary but not the thread that serves.
_servers: "dict[int, DemoServer]" = {}


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came, for tests that count and look."""

    path: str
    headers: dict[str, str]
    body: Any


class DemoServer(ThreadingHTTPServer):
    """Serves the scripted demo model from a thread; used as a context manager it starts and stops itself.

    ``pace`` is the time in seconds between two pieces of a stream. ``received`` keeps the
    last ``remember`` requests. ``also`` gives a model further names, so that tests can call it as they call Claude.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        pace: float = PACE,
        faults: Iterable[Fault] = (),
        remember: int = 0,
        also: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__((host, port), _Handler)
        self.pace = pace
        self.faults = tuple(faults)
        self.also = dict(also or {})
        self.received: deque[Received] = deque(maxlen=remember)
        self.is_stopped = threading.Event()
        self._counted = 0
        self._counting = threading.Lock()

    def server_bind(self) -> None:
        # HTTPServer would look its own name up here, which can take seconds without a name server.
        socketserver.TCPServer.server_bind(self)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="demo-model", daemon=True).start()
        return self

    def stop(self) -> None:
        """End silent and slow answers, take no more requests, and free the port."""
        self.is_stopped.set()
        self.shutdown()
        self.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def next_fault(self) -> Fault | None:
        """Count one request and return the fault that meets it, if any."""
        with self._counting:
            number, self._counted = self._counted, self._counted + 1
        return next((fault for fault in self.faults if fault.meets(number)), None)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class calls it so
        log.debug("a client of the demo model went away", exc_info=True)


def ensure_server(*, pace: float = PACE) -> str:
    """Return the address of this process's own server; the first call starts it and settles its ``pace``."""
    with _starting:
        process = os.getpid()
        if process not in _servers:
            _servers[process] = DemoServer(pace=pace).start()
        return _servers[process].url


class _Handler(BaseHTTPRequestHandler):
    server: DemoServer
    protocol_version = "HTTP/1.1"
    server_version = "memdash-demo-model"
    sys_version = ""
    timeout = IDLE_SECONDS

    def do_POST(self) -> None:
        request_id = f"req_demo_{uuid.uuid4().hex[:24]}"
        try:
            self._respond(request_id)
        except ApiError as error:
            self._send(error.status, error.body(request_id), request_id)
        except (Hangup, OSError):
            self.close_connection = True
        except Exception:
            log.exception("the demo model failed on a request")
            self._send(500, ApiError(500, "api_error", "Internal server error").body(request_id), request_id)

    def do_GET(self) -> None:
        self._send(404, ApiError(404, "not_found_error", "Not found").body(""), "")

    def _respond(self, request_id: str) -> None:
        path = self.path.partition("?")[0]
        body = self._body()
        if path != "/v1/messages":
            raise ApiError(404, "not_found_error", "Not found")
        self.server.received.append(Received(path, {k.lower(): v for k, v in self.headers.items()}, body))
        fault = self.server.next_fault()
        if fault and (instead := fault.instead()):
            status, headers, content = instead
            self._send(status, content, request_id, headers)
            return
        message, is_streamed = self._answered(body)
        if fault:
            message = fault.altered(message)
        frames = _frames(message) if is_streamed else iter([json.dumps(whole(message)).encode()])
        if fault:
            frames = fault.disturbed(frames, self.server.is_stopped)
        kind = "text/event-stream; charset=utf-8" if is_streamed else "application/json"
        self._send_frames(frames, kind, request_id, self.server.pace if is_streamed else 0)

    def _answered(self, body: Any) -> tuple[Message, bool]:
        """Return the right answer to a request, under the name it was asked by, and whether it is to be streamed."""
        betas = {name.strip() for name in self.headers.get("anthropic-beta", "").split(",")}
        repeats_ids = any(fault.mode == "same_id_in_two_turns" for fault in self.server.faults)
        name = body.get("model") if isinstance(body, dict) else None
        if isinstance(name, str) and name in self.server.also:
            body = body | {"model": self.server.also[name]}
        request = checked(body, betas, ids_are_unique=not repeats_ids)
        return answer(request) | {"model": name}, request.is_streamed

    def _body(self) -> Any:
        length = self.headers.get("content-length", "")
        if not length.isdecimal():
            self.close_connection = True
            raise ApiError(411, "invalid_request_error", "A content-length header is required.")
        if int(length) > BODY_AT_MOST:
            self.close_connection = True
            raise ApiError(413, "request_too_large", "Request exceeds the maximum size")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise invalid("The request body is not valid JSON.") from error

    def _send(self, status: int, body: bytes | Message, request_id: str, headers: Any = ()) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "request-id": request_id, **dict(headers)}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _send_frames(self, frames: Iterator[bytes], kind: str, request_id: str, pace: float) -> None:
        self.send_response(200)
        for name, value in (("content-type", kind), ("request-id", request_id), ("transfer-encoding", "chunked")):
            self.send_header(name, value)
        self.end_headers()
        for frame in frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
            self.wfile.flush()
            if pace:
                time.sleep(pace)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)


def _frames(message: Message) -> Iterator[bytes]:
    for event in events(message):
        yield b"event: %b\ndata: %b\n\n" % (event["type"].encode(), json.dumps(event).encode())
