"""How much of a conversation counts: token estimates, prompt caching, cleared tool results and compaction."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from agents.demo.requests import Block, Message, Request

CHARACTERS_PER_TOKEN = 4
SMALLEST_CACHED_PROMPT = 1_024
CLEARED_PLACEHOLDER = 10


@dataclass(frozen=True, slots=True)
class Context:
    """What the model works from: the messages to replay, the edits applied, and what the input costs."""

    messages: list[Message]
    input_usage: dict[str, Any]
    applied_edits: list[dict[str, Any]]
    compaction: Block | None = None


def tokens(value: object) -> int:
    """Return an estimate of how many tokens ``value`` is, from its length as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def managed(request: Request) -> Context:
    """Return the context after the edits that ``request`` asks for and that are due.

    Clearing changes what is counted and told. The scripts still replay the whole conversation, since its first results
    decide how it goes on.
    """
    counted = _since_compaction(request.messages)
    total = tokens(request.prompt) + tokens(counted)
    applied: list[dict[str, Any]] = []
    compaction: Block | None = None
    for edit in request.edits or []:
        if edit["type"] == "clear_tool_uses_20250919" and (cleared := _cleared(edit, counted, total)):
            applied.append(cleared)
            total -= cleared["cleared_input_tokens"]
        elif edit["type"] == "compact_20260112" and total >= _value(edit.get("trigger"), 150_000):
            compaction = _compacted(unfolded(request.messages))
    usage = _input_usage(request, counted, total)
    if compaction:
        summary = tokens(request.prompt) + tokens(compaction["content"])
        usage = _usage(summary, 0, 0) | {
            "iterations": [{"type": "compaction", "output_tokens": summary, **_usage(total, 0, 0)}]
        }
    return Context(unfolded(request.messages), usage, applied, compaction)


def _value(limit: dict[str, Any] | None, default: int) -> int:
    return int(limit["value"]) if limit else default


def _cleared(edit: dict[str, Any], messages: list[Message], total: int) -> dict[str, Any] | None:
    """Return what the edit clears, or None while its trigger is not reached or too little would go."""
    spared = edit.get("exclude_tools") or ()
    blocks = [block for message in messages for block in message["content"]]
    uses = [block for block in blocks if block["type"] == "tool_use" and block["name"] not in spared]
    trigger = edit.get("trigger")
    reached = len(uses) if trigger and trigger.get("type") == "tool_uses" else total
    keep = _value(edit.get("keep"), 3)
    doomed = {use["id"] for use in uses[: max(len(uses) - keep, 0)]}
    results = (tokens(block.get("content") or "") for block in blocks if block.get("tool_use_id") in doomed)
    gained = sum(max(size - CLEARED_PLACEHOLDER, 0) for size in results)
    if edit.get("clear_tool_inputs") is True:
        gained += sum(tokens(use["input"]) for use in uses if use["id"] in doomed)
    if not doomed or reached < _value(trigger, 100_000) or gained < _value(edit.get("clear_at_least"), 1):
        return None
    return {"type": edit["type"], "cleared_tool_uses": len(doomed), "cleared_input_tokens": gained}


def _compacted(messages: list[Message]) -> Block:
    """Return the block that takes the place of ``messages``; its opaque part carries the unfinished exchange."""
    asked = [n for n, m in enumerate(messages) if m["role"] == "user" and m["content"][0]["type"] == "text"]
    exchange = messages[asked[-1] :] if asked else messages
    calls = sum(block["type"] == "tool_use" for message in messages for block in message["content"])
    summary = f"Summary by the scripted demo model of {len(messages)} messages with {calls} tool calls. Last asked: "
    question = next((block["text"] for block in exchange[0]["content"] if block["type"] == "text"), "")
    packed = base64.b64encode(json.dumps(exchange).encode()).decode()
    return {"type": "compaction", "content": summary + question[:500], "encrypted_content": packed}


def _last_compaction(messages: list[Message]) -> tuple[int, int] | None:
    places = [
        (index, place)
        for index, message in enumerate(messages)
        for place, block in enumerate(message["content"])
        if block["type"] == "compaction"
    ]
    return places[-1] if places else None


def _since_compaction(messages: list[Message]) -> list[Message]:
    found = _last_compaction(messages)
    if found is None:
        return messages
    index, place = found
    block, *after = messages[index]["content"][place:]
    summary = {"type": "text", "text": block.get("content") or ""}
    return [{"role": "user", "content": [summary]}, {"role": "assistant", "content": after}, *messages[index + 1 :]]


def unfolded(messages: list[Message]) -> list[Message]:
    """Return the messages with the last compaction block replaced by the exchange that it carries."""
    found = _last_compaction(messages)
    if found is None:
        return messages
    index, place = found
    block, *after = messages[index]["content"][place:]
    rest = [{"role": "assistant", "content": after}] if after else []
    return [*_unpacked(block), *rest, *messages[index + 1 :]]


def _unpacked(block: Block) -> list[Message]:
    try:
        exchange = json.loads(base64.b64decode(block.get("encrypted_content") or "", validate=True))
    except (binascii.Error, TypeError, ValueError):
        return []
    return exchange if isinstance(exchange, list) else []


def _input_usage(request: Request, counted: list[Message], total: int) -> dict[str, Any]:
    """Return the input tokens; with cache marks, what the request before this one sent is read from the cache."""
    if not request.is_cached or total < SMALLEST_CACHED_PROMPT:
        return _usage(total, 0, 0)
    before = tokens(request.prompt) + tokens(counted[:-2]) if len(counted) > 2 else 0
    read = min(before, total) if before >= SMALLEST_CACHED_PROMPT else 0
    return _usage(0, read, total - read)


def _usage(fresh: int, read: int, written: int) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
    }
