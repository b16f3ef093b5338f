"""What the demo model takes: a request is checked as the Messages API checks it, with its errors."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from agents.demo import MODELS

Block: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]

EDITS_BETA = "context-management-2025-06-27"
COMPACTION_BETA = "compact-2026-01-12"
_BETAS = {
    "clear_tool_uses_20250919": EDITS_BETA,
    "clear_thinking_20251015": EDITS_BETA,
    "compact_20260112": COMPACTION_BETA,
}

_LIMITS = {"clear_tool_uses_20250919": ("trigger", "keep", "clear_at_least"), "compact_20260112": ("trigger",)}


class ApiError(Exception):
    """An answer that is an error: its HTTP status, the API's name for it, and a sentence."""

    def __init__(self, status: int, kind: str, sentence: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.error = {"type": kind, "message": sentence} | ({"details": details} if details else {})

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the JSON body the API would send."""
        return {"type": "error", "error": self.error, "request_id": request_id}


@dataclass(frozen=True, slots=True)
class Request:
    """A checked request; the content of each message is a list of blocks, ``prompt`` what stands before them."""

    model: str
    max_tokens: int
    messages: list[Message]
    prompt: list[Any]
    offers_memory: bool = False
    is_streamed: bool = False
    is_cached: bool = False
    edits: list[dict[str, Any]] | None = None


def invalid(sentence: str, details: dict[str, Any] | None = None) -> ApiError:
    return ApiError(400, "invalid_request_error", sentence, details)


def checked(body: object, betas: Collection[str] = (), *, ids_are_unique: bool = True) -> Request:
    """Return the request that ``body`` is, or raise ApiError with what the API would say about it.

    ``betas`` are the names in the anthropic-beta header. ``ids_are_unique`` off lets a tool_use id stand in two turns.
    """
    if not isinstance(body, dict):
        raise invalid("The body must be a JSON object.")
    _check_fields(body)
    messages = [_message(index, message) for index, message in enumerate(body["messages"])]
    _check_order(messages)
    _check_tools_are_answered(messages)
    if ids_are_unique:
        _check_ids(messages)
    tools = body.get("tools") or []
    may_use_tools = (body.get("tool_choice") or {}).get("type") != "none"
    return Request(
        model=body["model"],
        max_tokens=body["max_tokens"],
        messages=messages,
        prompt=[body.get("system") or "", tools],
        offers_memory=may_use_tools and any(tool.get("name") == "memory" for tool in tools),
        is_streamed=body.get("stream") is True,
        is_cached="cache_control" in body or _marks_cache([body.get("system"), tools, messages]),
        edits=_edits(body.get("context_management"), betas),
    )


def _check_fields(body: dict[str, Any]) -> None:
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        if name not in body:
            raise invalid(f"{name}: Field required")
        if not isinstance(body[name], kind) or isinstance(body[name], bool):
            raise invalid(f"{name}: Input should be a valid {kind.__name__}")
    if body["max_tokens"] < 1:
        raise invalid("max_tokens: Input should be greater than or equal to 1")
    if body["model"] not in MODELS:
        raise ApiError(404, "not_found_error", f"model: {body['model']}")
    if not body["messages"]:
        raise invalid("messages: at least one message is required")
    if "thread" in body:
        # The SDK's runner answers this error by sending the whole conversation, as every request here needs it.
        code = {"error_code": "thread_unsupported_request", "unsupported": []}
        raise invalid("thread: the scripted demo model keeps no threads; send the full conversation", code)
    if "compaction" in body:
        raise invalid("compaction: the scripted demo model compacts only through context_management")
    tools, choice = body.get("tools") or [], body.get("tool_choice") or {}
    if not (isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools) and isinstance(choice, dict)):
        raise invalid("tools: Input should be a valid list of tools")


def _message(index: int, message: object) -> Message:
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        raise invalid(f"messages.{index}.role: Input should be 'user' or 'assistant'")
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise invalid(f"messages.{index}: all messages must have non-empty content")
    for place, block in enumerate(content):
        _check_block(f"messages.{index}.content.{place}", block)
    return {"role": message["role"], "content": content}


def _check_block(place: str, block: object) -> None:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise invalid(f"{place}.type: Field required")
    if block["type"] == "text" and not (isinstance(block.get("text"), str) and block["text"].strip()):
        raise invalid(f"{place}: text content blocks must be non-empty")
    needed = {"tool_use": ("id", "name"), "tool_result": ("tool_use_id",)}.get(block["type"], ())
    for name in needed:
        if not isinstance(block.get(name), str):
            raise invalid(f"{place}.{block['type']}.{name}: Field required")
    if block["type"] == "tool_result" and not _is_result(block.get("content")):
        raise invalid(f"{place}.tool_result.content: Input should be a string or a list of content blocks")
    if block["type"] == "tool_use" and not isinstance(block.get("input"), dict):
        raise invalid(f"{place}.tool_use.input: Input should be a valid dictionary")


def _is_result(content: object) -> bool:
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("text", ""), str) for part in content)
    return content is None or isinstance(content, str)


def _check_order(messages: list[Message]) -> None:
    if messages[0]["role"] != "user" and not _is_compacted(messages[0]):
        raise invalid('messages: first message must use the "user" role')
    for before, after in pairwise(messages):
        if before["role"] == after["role"] and not _is_compacted(before):
            raise invalid(
                'messages: roles must alternate between "user" and "assistant", '
                f'but found multiple "{after["role"]}" roles in a row'
            )
    if messages[-1]["role"] != "user" and not _is_compacted(messages[-1]):
        raise invalid(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _is_compacted(message: Message) -> bool:
    """Return whether an answer paused after its compaction block, or begins with one and so begins the history."""
    return bool(message["role"] == "assistant" and message["content"][0]["type"] == "compaction")


def _check_tools_are_answered(messages: list[Message]) -> None:
    contents = [[], *(message["content"] for message in messages), []]
    for index, (before, after) in enumerate(pairwise(contents), -1):
        uses = {block["id"] for block in before if block["type"] == "tool_use"}
        results = [block["tool_use_id"] for block in after if block["type"] == "tool_result"]
        if missing := sorted(uses.difference(results)):
            raise invalid(
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            )
        for identity in results:
            if identity not in uses:
                raise invalid(
                    f"messages.{index + 1}: unexpected `tool_use_id` found in `tool_result` blocks: {identity}. "
                    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
        if len(results) != len(set(results)):
            raise invalid(f"messages.{index + 1}: each tool_use must have a single result.")
        if any(block["type"] == "tool_result" for block in after[len(results) :]):
            raise invalid(f"messages.{index + 1}: `tool_result` blocks must come before other content.")


def _check_ids(messages: list[Message]) -> None:
    ids = [block["id"] for message in messages for block in message["content"] if block["type"] == "tool_use"]
    if len(ids) != len(set(ids)):
        raise invalid("messages: `tool_use` ids must be unique")


def _edits(management: object, betas: Collection[str]) -> list[dict[str, Any]] | None:
    if management is None:
        return None
    edits = management.get("edits") if isinstance(management, dict) else None
    if not isinstance(edits, list) or not all(isinstance(edit, dict) and edit.get("type") in _BETAS for edit in edits):
        raise invalid("context_management.edits: Input should be a list of known edits")
    if any(_BETAS[edit["type"]] not in betas for edit in edits):
        raise invalid("context_management: Extra inputs are not permitted")
    for limit in (edit.get(name) for edit in edits for name in _LIMITS.get(edit["type"], ())):
        if limit is not None and not (isinstance(limit, dict) and type(limit.get("value")) is int):
            raise invalid("context_management.edits: a limit has a type and a whole number as its value")
    return edits


def _marks_cache(value: object) -> bool:
    if isinstance(value, dict):
        return "cache_control" in value or any(_marks_cache(value[key]) for key in ("content",) if key in value)
    return isinstance(value, list) and any(_marks_cache(item) for item in value)
