"""What the demo model sends: the whole message for a request, and the same as events of a stream."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from agents.demo.context import CHARACTERS_PER_TOKEN, managed, tokens
from agents.demo.replay import next_turn
from agents.demo.requests import Block, Message, Request
from agents.demo.scripts.notes import no_memory
from agents.demo.scripts.scenarios import SCENARIOS
from agents.demo.turns import Turn

PIECE = 16
PIECES_AT_MOST = 400


def answer(request: Request) -> Message:
    """Return the message that answers ``request``; the same request always gets the same message.

    A tool_use block that max_tokens cuts off carries its unfinished input as text under ``partial_json``.
    """
    context = managed(request)
    digest = hashlib.sha256(json.dumps([request.model, request.messages], sort_keys=True).encode()).hexdigest()
    content: list[Block] = [context.compaction] if context.compaction else []
    pauses = any(edit.get("pause_after_compaction") for edit in request.edits or [])
    stop_reason = "compaction"
    if not (context.compaction and pauses):
        scenario = SCENARIOS[request.model] if request.offers_memory else no_memory
        turn = next_turn(scenario, context.messages)
        blocks = _blocks(turn, digest)
        said, is_cut = _cut(blocks, request.max_tokens)
        content += said
        stop_reason = "max_tokens" if is_cut else "tool_use" if turn.calls else "end_turn"
    return {
        "id": f"msg_demo_{digest[:24]}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": _usage(context.input_usage, content),
    } | ({"context_management": {"applied_edits": context.applied_edits}} if request.edits is not None else {})


def _blocks(turn: Turn, digest: str) -> list[Block]:
    """Return the blocks of a turn. The ids come from the whole conversation so far, so no two turns of it share one."""
    text: list[Block] = [{"type": "text", "text": turn.text}] if turn.text else []
    return text + [
        {"type": "tool_use", "id": f"toolu_demo_{digest[:20]}_{number}", "name": "memory", "input": call.input}
        for number, call in enumerate(turn.calls, 1)
    ]


def _cut(blocks: list[Block], max_tokens: int) -> tuple[list[Block], bool]:
    """Return the blocks that fit into ``max_tokens``, and whether anything had to be left out."""
    left = max_tokens * CHARACTERS_PER_TOKEN
    said: list[Block] = []
    for block in blocks:
        text = block["text"] if block["type"] == "text" else json.dumps(block["input"], ensure_ascii=False)
        if len(text) > left:
            if left and block["type"] == "text":
                said.append(block | {"text": text[:left].rstrip()})
            elif left:
                said.append(block | {"input": {}, "partial_json": text[:left]})
            return said, True
        said.append(block)
        left -= len(text)
    return said, False


def _usage(input_usage: dict[str, Any], content: list[Block]) -> dict[str, Any]:
    spoken = sum(tokens(block.get("text") or block.get("input") or "") for block in content)
    usage = input_usage | {"output_tokens": max(spoken, 1), "service_tier": "standard"}
    if iterations := input_usage.get("iterations"):
        last = {"type": "message"} | {
            key: value for key, value in usage.items() if key not in ("iterations", "service_tier")
        }
        usage["iterations"] = [*iterations, last]
    return usage


def whole(message: Message) -> Message:
    """Return the message as a request without a stream gets it."""
    return message | {
        "content": [{k: v for k, v in block.items() if k != "partial_json"} for block in message["content"]]
    }


def events(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the events in which a stream tells ``message``, text and tool inputs in small pieces."""
    usage = message["usage"]
    start = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 1}}
    start.pop("context_management", None)
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        opening, deltas = _told(block)
        yield {"type": "content_block_start", "index": index, "content_block": opening}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details") if key in message}
    told = {"context_management": message["context_management"]} if "context_management" in message else {}
    yield {"type": "message_delta", "delta": delta, "usage": usage, **told}
    yield {"type": "message_stop"}


def _told(block: Block) -> tuple[Block, Iterator[dict[str, Any]]]:
    """Return the block as a stream opens it, and the deltas that fill it."""
    match block["type"]:
        case "text":
            return block | {"text": ""}, ({"type": "text_delta", "text": piece} for piece in _pieces(block["text"]))
        case "tool_use":
            text = block.get("partial_json") or json.dumps(block["input"])
            opening = {key: block[key] for key in ("type", "id", "name")} | {"input": {}}
            return opening, ({"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(text)))
        case "compaction":
            filling = {"type": "compaction_delta"} | {key: block[key] for key in ("content", "encrypted_content")}
            return {"type": "compaction", "content": None}, iter([filling])
        case _:
            return block, iter(())


def _pieces(text: str) -> Iterator[str]:
    size = max(PIECE, len(text) // PIECES_AT_MOST)
    return (text[start : start + size] for start in range(0, len(text), size))
