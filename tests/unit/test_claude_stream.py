"""One request to the model over a socket of our own: limits, interrupts, and what leaves the machine."""

import json
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from agents.claude.answers import Answer, Chunk, Final, Interrupted, Limits, Question, RequestFailed, Transient
from agents.claude.endpoints import Endpoint
from agents.claude.interrupts import Interrupt
from agents.claude.stream import stream_turn

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
QUESTION = Question("claude-opus-5-5", [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], 100)
KEY = "sk-ant-made-up"

Speak = Callable[[socket.socket], None]


@contextmanager
def model(speak: Speak) -> Iterator[tuple[str, list[bytes]]]:
    """Serve one connection: read the request, then let ``speak`` answer; give the address and what was read."""
    heard: list[bytes] = []

    def serve() -> None:
        try:
            connection, _ = listening.accept()
            with connection:
                heard.append(request(connection))
                speak(connection)
        except OSError:
            pass  # the client went away, or never came

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", heard
    thread.join(5)


def request(connection: socket.socket) -> bytes:
    """Return a whole request, or as much of it as came before the client went away."""
    read = b""
    while b"\r\n\r\n" not in read or not read.endswith(b"}"):
        part = connection.recv(1 << 16)
        if not part:
            break
        read += part
    return read


def ask(
    url: str, *, interrupt: Interrupt | None = None, allow_private: bool = True, **limits: Any
) -> list[Chunk | Answer]:
    held = Limits(**{"connect_seconds": 2, "idle_seconds": 5, "total_seconds": 5, **limits})
    endpoint = Endpoint(url, KEY, allow_private)
    return list(stream_turn(endpoint, QUESTION, interrupt=interrupt or Interrupt(), limits=held))


def event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def begin() -> bytes:
    usage = {"input_tokens": 3, "output_tokens": 0}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude", "content": [], "usage": usage}
    return event("message_start", message=message)


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> bytes:
    parts = [event("content_block_start", index=index, content_block=start)]
    parts += [event("content_block_delta", index=index, delta=delta) for delta in deltas]
    return b"".join([*parts, event("content_block_stop", index=index)])


def end(stop_reason: str) -> bytes:
    told = event("message_delta", delta={"stop_reason": stop_reason}, usage={"output_tokens": 7})
    return told + event("message_stop")


def says(*parts: bytes) -> Speak:
    return lambda connection: connection.sendall(HEAD + b"".join(parts))


def tool_use(*pieces: str) -> bytes:
    start = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {}}
    return block(0, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def test_the_chunks_come_first_and_the_whole_answer_last() -> None:
    text = block(
        0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hel"}, {"type": "text_delta", "text": "lo"}
    )

    with model(says(begin(), text, end("end_turn"))) as (url, _):
        *chunks, answer = ask(url)

    assert chunks == [Chunk(0, "text", "Hel"), Chunk(0, "text", "lo")]
    assert answer == Answer(
        content=[{"type": "text", "text": "Hello"}],
        stop_reason="end_turn",
        model="claude",
        request_id="",
        usage={"input_tokens": 3, "output_tokens": 7},
        applied_edits=[],
    )


def test_what_the_api_left_out_of_the_context_comes_with_the_answer() -> None:
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 5, "cleared_input_tokens": 900}
    told = event(
        "message_delta",
        delta={"stop_reason": "end_turn"},
        usage={"output_tokens": 7},
        context_management={"applied_edits": [edit]},
    )

    with model(says(begin(), told, event("message_stop"))) as (url, _):
        answer = ask(url)[-1]

    assert isinstance(answer, Answer)
    assert answer.applied_edits == [edit]


def test_the_request_asks_for_no_compression_and_names_the_memory_tool() -> None:
    with model(says(begin(), end("end_turn"))) as (url, heard):
        ask(url)

    head, _, body = heard[0].partition(b"\r\n\r\n")
    assert b"accept-encoding: identity" in head.lower()
    assert json.loads(body)["tools"] == [{"type": "memory_20250818", "name": "memory"}]


@pytest.mark.parametrize(
    "pieces", [['{"command":"delete","path":"/memories/a'], ['{"path":"\\ud800"}'], ["[" * 100_000]]
)
def test_a_tool_input_that_is_no_whole_json_is_no_answer(pieces: list[str]) -> None:
    with model(says(begin(), tool_use(*pieces), end("tool_use"))) as (url, _), pytest.raises(Transient) as failed:
        ask(url)

    assert failed.value.tries == 3


@pytest.mark.parametrize(
    "bad", [{"id": "", "name": "memory"}, {"id": "x" * 500, "name": "memory"}, {"id": 7, "name": "m"}]
)
def test_a_tool_call_without_a_proper_id_is_no_answer(bad: dict[str, Any]) -> None:
    parts = (begin(), block(0, {"type": "tool_use", "input": {}, **bad}), end("tool_use"))

    with model(says(*parts)) as (url, _), pytest.raises(Transient):
        ask(url)


def test_lone_surrogates_in_an_answer_become_replacement_characters() -> None:
    text = block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a\ud800b"})

    with model(says(begin(), text, end("end_turn"))) as (url, _):
        chunk, answer = ask(url)

    assert isinstance(chunk, Chunk)
    assert isinstance(answer, Answer)
    assert chunk.text == answer.content[0]["text"] == "a\ufffdb"


def test_a_line_without_end_is_given_up_at_the_limit_and_not_held_in_memory() -> None:
    def flood(connection: socket.socket) -> None:
        connection.sendall(HEAD + b"event: message_start\ndata: ")
        while True:
            connection.sendall(b"x" * 65536)

    tracemalloc.start()
    try:
        with model(flood) as (url, _), pytest.raises(Final, match="larger"):
            ask(url, answer_bytes=1_000_000)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 20_000_000


def test_a_compressed_answer_is_refused_since_few_bytes_may_unpack_to_gigabytes() -> None:
    def zipped(connection: socket.socket) -> None:
        connection.sendall(HEAD.replace(b"connection", b"content-encoding: gzip\r\nconnection") + b"\x1f\x8b")

    with model(zipped) as (url, _), pytest.raises(Final):
        ask(url)


@pytest.mark.parametrize("before", [b"", HEAD, HEAD + begin()])
def test_an_interrupt_ends_a_silent_request_at_once_wherever_it_waits(before: bytes) -> None:
    def fall_silent(connection: socket.socket) -> None:
        connection.sendall(before)
        connection.recv(1)

    interrupt = Interrupt()
    with model(fall_silent) as (url, _):
        threading.Timer(0.3, interrupt.fire, ["cancelled"]).start()
        began = time.monotonic()
        with pytest.raises(Interrupted, match="cancelled"):
            ask(url, interrupt=interrupt)

    assert time.monotonic() - began < 5


def test_an_interrupt_fired_before_the_request_ends_it_before_it_is_sent() -> None:
    interrupt = Interrupt()
    interrupt.fire("cancelled")

    with model(says(begin(), end("end_turn"))) as (url, heard), pytest.raises(Interrupted):
        ask(url, interrupt=interrupt)

    assert not any(b"sk-ant" in request for request in heard)


def test_pings_do_not_keep_an_answer_alive_beyond_its_total_time() -> None:
    def ping(connection: socket.socket) -> None:
        connection.sendall(HEAD + begin())
        while True:
            connection.sendall(event("ping"))
            time.sleep(0.05)

    with model(ping) as (url, _), pytest.raises(Transient, match="longer than"):
        ask(url, total_seconds=0.4)


def test_the_peer_is_looked_at_after_connecting_so_that_a_name_cannot_lead_inside_later() -> None:
    with model(says(begin(), end("end_turn"))) as (url, heard), pytest.raises(Final, match="private"):
        ask(url, allow_private=False)

    assert not any(heard)


def test_no_proxy_of_the_environment_gets_to_see_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        proxy.settimeout(0.2)
        with model(says(begin(), end("end_turn"))) as (url, _):
            ask(url)

        with pytest.raises(TimeoutError):
            proxy.accept()


@pytest.mark.parametrize(
    ("head", "waits"),
    [
        (b"retry-after: 2", 2.0),
        (b"retry-after-ms: 1500", 1.5),
        (b"retry-after: -5", None),
        (b"retry-after: soon", None),
        (b"retry-after: Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        (b"x-y: z", None),
    ],
)
def test_the_wait_that_the_api_asks_for_is_read_in_each_form(head: bytes, waits: float | None) -> None:
    def busy(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n" + head + b"\r\n\r\n{}")

    with model(busy) as (url, _), pytest.raises(Transient) as failed:
        ask(url)

    assert failed.value.retry_after == waits


def test_a_spent_budget_is_no_passing_fault_though_its_status_says_so() -> None:
    details = {"error_code": "enforced_spend_limit_reached"}
    body = json.dumps({"error": {"type": "rate_limit_error", "message": "Spent", "details": details}}).encode()

    def spent(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 429 Too Many\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    with model(spent) as (url, _), pytest.raises(Final, match="Spent"):
        ask(url)


def test_the_words_of_a_failure_hold_neither_key_nor_control_characters() -> None:
    body = json.dumps({"error": {"type": "authentication_error", "message": f"no \x1b[31m{KEY}\nhere"}}).encode()

    def refuse(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 401 No\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    with model(refuse) as (url, _), pytest.raises(RequestFailed) as failed:
        ask(url)

    assert KEY not in failed.value.cause
    assert failed.value.cause.isprintable()
