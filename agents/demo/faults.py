"""Faults of the model API on demand, for tests and for operators' drills; the shipped server has none.

``refuse`` and ``blackhole`` are not here: they are what a client meets where no server answers.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Event
from types import MappingProxyType
from typing import Any, Self

from agents.demo.requests import Block, Message
from agents.demo.turns import create

HUGE = 50_000_000
SILENCE_SECONDS = 3_600
SAME_ID = "toolu_demo_the_same_in_every_turn"
_KINDS = {
    400: ("invalid_request_error", "messages: the request was refused on purpose"),
    401: ("authentication_error", "invalid x-api-key"),
    403: ("permission_error", "the key may not use this model"),
    404: ("not_found_error", "model: not found"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "Number of requests has exceeded your rate limit"),
    529: ("overloaded_error", "Overloaded"),
}


class Hangup(Exception):
    """The connection is to be closed here, in the middle of the answer."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault and the requests it meets: ``times`` of them (-1: all that come) after the first ``after``.

    ``mode`` is one of MODES. ``status`` and ``headers`` belong to mode ``status``, ``after_events`` to
    ``stream_then_silence``, ``seconds`` between two bytes to ``one_byte_per_second``, ``location`` to the redirect.
    """

    mode: str
    times: int = 1
    after: int = 0
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    after_events: int = 5
    seconds: float = 1.0
    location: str = "http://other.example/v1/messages"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"There is no fault {self.mode!r}; there are {', '.join(sorted(MODES))}.")

    @classmethod
    def from_row(cls, row: Mapping[str, Any], **changes: Any) -> Self:
        """Return the fault that a row of the fault list describes, with ``changes`` of its fields."""
        known = {key: row[key] for key in ("times", "status", "headers", "after_events") if key in row}
        return replace(cls(row.get("mode", "status"), **known), **changes)

    def meets(self, number: int) -> bool:
        """Return whether the request with this number, counted from 0, is met."""
        return self.after <= number and (self.times < 0 or number < self.after + self.times)

    def instead(self) -> tuple[int, Mapping[str, str], bytes] | None:
        """Return status, headers and body that stand in the place of any answer, or None."""
        if self.mode == "status":
            kind, sentence = _KINDS.get(self.status, ("api_error", "Internal server error"))
            return (
                self.status,
                self.headers,
                json.dumps({"type": "error", "error": {"type": kind, "message": sentence}}).encode(),
            )
        if self.mode == "302_to_other_host":
            return 302, {"location": self.location}, b""
        return None

    def altered(self, message: Message) -> Message:
        """Return the message that is sent in the place of the right one."""
        alter = _ALTERED.get(self.mode)
        return alter(message) if alter else message

    def disturbed(self, frames: Iterator[bytes], is_stopped: Event) -> Iterator[bytes]:
        """Return the frames of an answer as this fault lets them through; Hangup comes where it cuts them off."""
        match self.mode:
            case "stream_then_silence":
                frames = _silent(islice(frames, self.after_events), is_stopped)
            case "close_in_tool_input":
                frames = _closed_in_tool_input(frames)
            case "close_before_message_stop":
                # The body ends in good order: the hardest case, since the connection gives the client no error.
                frames = (frame for frame in frames if b'"message_stop"' not in frame)
            case "sse_error_overloaded":
                frames = _failed_in_stream(islice(frames, self.after_events))
            case "garbage_json":
                frames = _garbled(frames)
            case "one_byte_per_second":
                frames = _dripping(frames, self.seconds, is_stopped)
        return frames


def _with_unknown_block(message: Message) -> Message:
    return message | {"content": [{"type": "hologram", "payload": {"of": "tomorrow", "depth": 3}}, *message["content"]]}


def _with_same_id(message: Message) -> Message:
    uses = [block for block in message["content"] if block["type"] == "tool_use"]
    return message | {"content": [b | {"id": SAME_ID} if uses and b is uses[0] else b for b in message["content"]]}


def _with_two_creates(message: Message) -> Message:
    calls = [create(f"/memories/parallel/{name}.md", f"{name}\n") for name in ("first", "second")]
    uses: list[Block] = [
        {
            "type": "tool_use",
            "id": f"{message['id'].replace('msg', 'toolu')}_{n}",
            "name": "memory",
            "input": call.input,
        }
        for n, call in enumerate(calls, 1)
    ]
    return message | {"content": uses, "stop_reason": "tool_use"}


def _cut_at_max_tokens(message: Message) -> Message:
    kept: list[Block] = []
    for block in message["content"]:
        if block["type"] == "tool_use":
            text = json.dumps(block["input"])
            return message | {
                "content": [*kept, block | {"input": {}, "partial_json": text[: len(text) // 2]}],
                "stop_reason": "max_tokens",
            }
        kept.append(block)
    return message | {"stop_reason": "max_tokens"}


def _refused(message: Message) -> Message:
    details = {"type": "refusal", "category": None, "explanation": "Refused on purpose, for a drill."}
    return message | {"content": [], "stop_reason": "refusal", "stop_details": details}


def _huge(message: Message) -> Message:
    return message | {"content": [{"type": "text", "text": "0123456789" * (HUGE // 10)}], "stop_reason": "end_turn"}


def _closed_in_tool_input(frames: Iterator[bytes]) -> Iterator[bytes]:
    inputs = 0
    for frame in frames:
        inputs += b"input_json_delta" in frame
        yield frame
        if inputs == 2:  # the first delta is empty, as in the real stream
            raise Hangup


def _failed_in_stream(frames: Iterator[bytes]) -> Iterator[bytes]:
    yield from frames
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    yield b"event: error\ndata: %b\n\n" % json.dumps(error).encode()


def _garbled(frames: Iterator[bytes]) -> Iterator[bytes]:
    yield next(frames)
    yield b'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": {"ty\n\n'


def _silent(frames: Iterator[bytes], is_stopped: Event) -> Iterator[bytes]:
    yield from frames
    is_stopped.wait(SILENCE_SECONDS)
    raise Hangup


def _dripping(frames: Iterator[bytes], seconds: float, is_stopped: Event) -> Iterator[bytes]:
    for frame in frames:
        for byte in frame:
            if is_stopped.wait(seconds):
                raise Hangup
            yield bytes([byte])


_ALTERED: Mapping[str, Callable[[Message], Message]] = MappingProxyType(
    {
        "new_content_block_type": _with_unknown_block,
        "same_id_in_two_turns": _with_same_id,
        "parallel_tool_use": _with_two_creates,
        "stop_reason_max_tokens": _cut_at_max_tokens,
        "stop_reason_refusal": _refused,
        "50MB_text": _huge,
    }
)
_DISTURBED = frozenset(
    {
        "stream_then_silence",
        "close_in_tool_input",
        "close_before_message_stop",
        "sse_error_overloaded",
        "garbage_json",
        "one_byte_per_second",
    }
)
MODES = frozenset({"status", "302_to_other_host", *_ALTERED, *_DISTURBED})
