"""What the demo model refuses, in the API's words, and how it counts tokens."""

from typing import Any

import pytest

from agents.demo import SUPPORT_DESK
from agents.demo.context import managed
from agents.demo.requests import EDITS_BETA, ApiError, checked

USE = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {"command": "view", "path": "/memories"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x" * 400}


def body(*messages: object, **more: object) -> dict[str, Any]:
    return {"model": SUPPORT_DESK, "max_tokens": 100, "messages": list(messages)} | more


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: object) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


REFUSED = {
    "no object": ([], "The body must be a JSON object."),
    "no model": ({"max_tokens": 1, "messages": [user("x")]}, "model: Field required"),
    "no max_tokens": ({"model": SUPPORT_DESK, "messages": [user("x")]}, "max_tokens: Field required"),
    "max_tokens zero": (body(user("x"), max_tokens=0), "max_tokens: Input should be greater than or equal to 1"),
    "max_tokens true": (body(user("x"), max_tokens=True), "max_tokens: Input should be a valid int"),
    "no messages": (body(), "messages: at least one message is required"),
    "system role": (body({"role": "system", "content": "x"}), "messages.0.role: Input should be 'user' or 'assistant'"),
    "empty content": (body(user([])), "messages.0: all messages must have non-empty content"),
    "blank text": (body(user("  ")), "messages.0.content.0: text content blocks must be non-empty"),
    "block without type": (body(user([{"text": "x"}])), "messages.0.content.0.type: Field required"),
    "assistant first": (body(assistant("x")), 'messages: first message must use the "user" role'),
    "two in a row": (body(user("a"), user("b")), 'but found multiple "user" roles in a row'),
    "prefill": (body(user("a"), assistant("b")), "does not support assistant message prefill"),
    "no result": (
        body(user("a"), assistant([USE]), user("b")),
        "without `tool_result` blocks immediately after: toolu_1",
    ),
    "no use": (body(user([RESULT])), "unexpected `tool_use_id` found"),
    "result twice": (
        body(user("a"), assistant([USE]), user([RESULT, RESULT])),
        "each tool_use must have a single result",
    ),
    "text first": (
        body(user("a"), assistant([USE]), user([{"type": "text", "text": "b"}, RESULT])),
        "`tool_result` blocks must come before other content",
    ),
    "one id twice": (
        body(user("a"), assistant([USE]), user([RESULT]), assistant([USE]), user([RESULT])),
        "`tool_use` ids must be unique",
    ),
    "input no object": (
        body(user("a"), assistant([USE | {"input": "x"}]), user([RESULT])),
        "tool_use.input: Input should be a valid dictionary",
    ),
    "tools no list": (body(user("a"), tools=["memory"]), "tools: Input should be a valid list of tools"),
    "edits without beta": (
        body(user("a"), context_management={"edits": [{"type": "clear_tool_uses_20250919"}]}),
        "context_management: Extra inputs are not permitted",
    ),
    "result no text": (
        body(user("a"), assistant([USE]), user([RESULT | {"content": 5}])),
        "tool_result.content: Input should be a string or a list of content blocks",
    ),
    "unknown edit": (body(user("a"), context_management={"edits": [{"type": "x"}]}), "list of known edits"),
    "threads": (body(user("a"), thread={"type": "create"}), "keeps no threads"),
    "compaction request": (
        body(user("a"), compaction={"type": "summarize"}),
        "compacts only through context_management",
    ),
}


@pytest.mark.parametrize(("request_body", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_a_request_the_api_would_refuse_is_refused(request_body: object, sentence: str) -> None:
    with pytest.raises(ApiError) as refusal:
        checked(request_body)

    assert refusal.value.status == 400
    assert refusal.value.error["type"] == "invalid_request_error"
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("limit", [5, {"type": "input_tokens"}, {"value": "5"}, {"value": True}])
def test_an_edit_with_a_limit_that_is_none_is_refused(limit: object) -> None:
    edit = {"type": "clear_tool_uses_20250919", "trigger": limit}

    with pytest.raises(ApiError, match="a limit has a type and a whole number"):
        checked(body(user("a"), context_management={"edits": [edit]}), [EDITS_BETA])


def test_an_unknown_model_is_not_found() -> None:
    with pytest.raises(ApiError) as refusal:
        checked(body(user("x"), model="claude-opus-5-5"))

    assert (refusal.value.status, refusal.value.error["type"]) == (404, "not_found_error")


def test_unknown_blocks_and_one_id_in_two_turns_are_taken_where_a_test_asks_for_it() -> None:
    hologram = {"type": "hologram", "payload": 1}
    request = body(user("a"), assistant([hologram, USE]), user([RESULT]), assistant([USE]), user([RESULT]))

    assert len(checked(request, ids_are_unique=False).messages) == 5


def conversation(turns: int, size: int) -> list[dict[str, Any]]:
    messages = [user("Reply to ticket 1.")]
    for turn in range(turns):
        use_id = f"toolu_{turn}"
        messages.append(assistant([USE | {"id": use_id}]))
        messages.append(user([RESULT | {"tool_use_id": use_id, "content": "x" * size}]))
    return messages


def clearing(**more: object) -> dict[str, Any]:
    edit = {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 1_000}} | more
    return {"context_management": {"edits": [edit]}}


def test_tool_results_over_the_trigger_are_cleared_but_for_those_to_keep() -> None:
    messages = conversation(turns=6, size=4_000)

    plain = managed(checked(body(*messages)))
    edited = managed(checked(body(*messages, **clearing(keep={"type": "tool_uses", "value": 2})), [EDITS_BETA]))

    [edit] = edited.applied_edits
    assert edit["cleared_tool_uses"] == 4
    assert 3_900 <= edit["cleared_input_tokens"] <= 4_000
    assert edited.input_usage["input_tokens"] == plain.input_usage["input_tokens"] - edit["cleared_input_tokens"]


@pytest.mark.parametrize(
    "edit",
    [
        clearing(exclude_tools=["memory"]),
        clearing(trigger={"type": "input_tokens", "value": 100_000}),
        clearing(trigger={"type": "tool_uses", "value": 7}),
        clearing(keep={"type": "tool_uses", "value": 6}),
        clearing(clear_at_least={"type": "input_tokens", "value": 50_000}),
    ],
    ids=["excluded", "under the trigger", "too few uses", "all kept", "too little gained"],
)
def test_nothing_is_cleared_while_the_edit_is_not_due(edit: dict[str, Any]) -> None:
    request = checked(body(*conversation(turns=6, size=4_000), **edit), [EDITS_BETA])

    assert managed(request).applied_edits == []


def test_with_cache_marks_the_conversation_so_far_is_read_and_the_rest_is_written() -> None:
    first = checked(body(*conversation(turns=1, size=8_000), cache_control={"type": "ephemeral"}))
    second = checked(body(*conversation(turns=2, size=8_000), cache_control={"type": "ephemeral"}))

    before, after = managed(first).input_usage, managed(second).input_usage

    written = before["cache_creation_input_tokens"] + before["cache_read_input_tokens"]
    assert after["cache_read_input_tokens"] == written > 2_000
    assert after["cache_creation_input_tokens"] > 2_000
    assert after["input_tokens"] == 0


def test_without_cache_marks_and_for_small_prompts_nothing_is_cached() -> None:
    large = managed(checked(body(*conversation(turns=2, size=8_000)))).input_usage
    small = managed(checked(body(user("x"), cache_control={"type": "ephemeral"}))).input_usage

    assert large["cache_read_input_tokens"] == large["cache_creation_input_tokens"] == 0
    assert small["cache_creation_input_tokens"] == 0
    assert small["input_tokens"] > 0
