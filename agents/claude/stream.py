"""One request to the model, streamed."""

import json
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from anthropic import Anthropic

from agents.claude.answers import Answer, Chunk, Interrupted, Limits, Question, Transient
from agents.claude.connection import open_client, timeouts
from agents.claude.endpoints import Endpoint
from agents.claude.failures import MALFORMED_TRIES, failure_of
from agents.claude.interrupts import Interrupt

MEMORY_TOOL = {"type": "memory_20250818", "name": "memory"}
CLEAR_TOOL_USES = "clear_tool_uses_20250919"
COMPACT = "compact_20260112"
BETAS = {CLEAR_TOOL_USES: "context-management-2025-06-27", COMPACT: "compact-2026-01-12"}

_TOO_LONG = "too long"
_SURROGATES = re.compile("[\ud800-\udfff]")


def stream_turn(
    endpoint: Endpoint, question: Question, *, interrupt: Interrupt, limits: Limits
) -> Iterator[Chunk | Answer]:
    """Ask once and yield the answer's chunks as they come; the last item is the whole Answer.

    Raises Interrupted when ``interrupt`` was fired, Transient or Final when no whole answer came: never anything of the
    SDK's own. It asks once; asking again is the caller's.
    """
    timer = threading.Timer(limits.total_seconds, interrupt.fire, [_TOO_LONG])
    timer.daemon = True
    timer.start()
    try:
        yield from _ask(endpoint, question, interrupt, limits)
    except Exception as error:
        if interrupt.reason == _TOO_LONG:
            raise Transient(f"The answer took longer than {limits.total_seconds:g} seconds.") from None
        if interrupt.reason:
            raise Interrupted(interrupt.reason) from None
        if isinstance(error, Transient):
            raise
        raise failure_of(error, api_key=endpoint.api_key) from None
    finally:
        timer.cancel()
        interrupt.detach()


def _ask(endpoint: Endpoint, question: Question, interrupt: Interrupt, limits: Limits) -> Iterator[Chunk | Answer]:
    edits = question.context_edits
    options: dict[str, Any] = {"system": question.system} if question.system else {}
    if edits:
        options["context_management"] = {"edits": edits}
        options["betas"] = sorted({BETAS[edit["type"]] for edit in edits})
    with open_client(endpoint, interrupt, limits) as http_client:
        client = Anthropic(
            api_key=endpoint.api_key,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=timeouts(limits),
            http_client=http_client,
        )
        with client.beta.messages.stream(
            model=question.model,
            max_tokens=question.max_tokens,
            messages=question.messages,  # type: ignore[arg-type]  # stored blocks are the API's own
            tools=[MEMORY_TOOL],  # type: ignore[list-item]  # as above
            cache_control={"type": "ephemeral"},
            **options,
        ) as stream:
            inputs: dict[int, list[str]] = defaultdict(list)
            complete = False
            for event in stream:
                if interrupt.reason:
                    raise Interrupted(interrupt.reason)
                chunk = _chunk(event)
                if chunk is not None:
                    if chunk.kind == "tool":
                        inputs[chunk.block].append(chunk.text)
                    yield chunk
                complete = complete or event.type == "message_stop"
            message = stream.current_message_snapshot if complete else None
            if message is None or not message.stop_reason:
                raise Transient("The answer was cut off before its end.")
            yield _answer(message, stream.request_id or "", inputs)


def _chunk(event: Any) -> Chunk | None:
    if event.type == "content_block_start" and event.content_block.type == "tool_use":
        return Chunk(event.index, "tool", name=clean(event.content_block.name))
    if event.type != "content_block_delta":
        return None
    match event.delta.type:
        case "text_delta":
            return Chunk(event.index, "text", clean(event.delta.text))
        case "thinking_delta":
            return Chunk(event.index, "thinking", clean(event.delta.thinking))
        case "input_json_delta":
            return Chunk(event.index, "tool", clean(event.delta.partial_json))
    return None


def _answer(message: Any, request_id: str, inputs: dict[int, list[str]]) -> Answer:
    """Return the message as plain data; raise what :func:`failure_of` takes for a malformed answer."""
    # Serializing a block of a type the SDK does not know warns about that type and nothing else.
    content = [clean(block.to_dict(mode="json", warnings=False)) for block in message.content]
    if message.stop_reason == "tool_use":
        for parts in inputs.values():
            # The SDK takes half an object for a whole one; a tool must not run on half of what was meant.
            json.loads("".join(parts) or "{}")
        if not all(
            _is_name(block["id"]) and _is_name(block["name"]) for block in content if block["type"] == "tool_use"
        ):
            raise Transient("The answer held a tool call without a proper id and name.", tries=MALFORMED_TRIES)
    management = message.context_management.to_dict(mode="json") if message.context_management else {}
    return Answer(
        content=content,
        stop_reason=str(message.stop_reason),
        model=str(message.model),
        request_id=clean(request_id),
        usage=message.usage.to_dict(mode="json"),
        applied_edits=management.get("applied_edits", []),
    )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200


def clean(value: Any) -> Any:
    """Return ``value`` with U+FFFD for lone surrogates, which neither a database nor a request can hold."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, dict):
        return {clean(key): clean(each) for key, each in value.items()}
    return value
