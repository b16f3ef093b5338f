"""The next turn comes from the messages alone: through cuts, notes in between, other models and compaction."""

import copy
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool

from agents.demo import SUPPORT_DESK
from agents.demo.messages import answer
from agents.demo.requests import COMPACTION_BETA, checked
from tests.support.demo import MEMORY_TOOL, TICKET, Conversation


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation(SUPPORT_DESK, BetaLocalFilesystemMemoryTool(str(tmp_path)))


def told(conversation: Conversation) -> str:
    return "".join(b["text"] for came in conversation.answers for b in came["content"] if b["type"] == "text")


def body(messages: list[Any], **more: object) -> dict[str, Any]:
    return {"model": SUPPORT_DESK, "max_tokens": 4096, "messages": messages, "tools": [MEMORY_TOOL]} | more


def test_the_same_request_gets_the_same_answer(conversation: Conversation) -> None:
    conversation.say(TICKET)

    for end in range(1, len(conversation.messages), 2):
        request = body(conversation.messages[:end])
        assert answer(checked(copy.deepcopy(request))) == answer(checked(request))


def test_no_two_calls_of_a_conversation_share_an_id(conversation: Conversation) -> None:
    conversation.say(TICKET)
    conversation.say(TICKET)
    conversation.say(TICKET)

    ids = [b["id"] for came in conversation.answers for b in came["content"] if b["type"] == "tool_use"]
    assert len(ids) == len(set(ids)) > 30


@pytest.mark.parametrize("max_tokens", [90, 110])
def test_a_conversation_that_is_cut_again_and_again_does_the_same_work(
    conversation: Conversation, tmp_path: Path, max_tokens: int
) -> None:
    whole = Conversation(SUPPORT_DESK, BetaLocalFilesystemMemoryTool(str(tmp_path / "whole")))
    whole.say(TICKET)
    conversation.max_tokens = max_tokens
    conversation.messages.append({"role": "user", "content": TICKET})

    while (reason := conversation.step()) != "end_turn":
        if reason == "max_tokens":
            cut = [b["id"] for b in conversation.answers[-1]["content"] if b["type"] == "tool_use"]
            error = {"is_error": True, "content": "Error: not executed: the answer was cut off before its end."}
            results = [{"type": "tool_result", "tool_use_id": use_id} | error for use_id in cut]
            conversation.messages.append({"role": "user", "content": results or "Continue."})

    assert [use.input for use in conversation.uses] == [use.input for use in whole.uses]
    assert "".join(told(conversation).split()) == "".join(told(whole).split())
    assert "max_tokens" in {came["stop_reason"] for came in conversation.answers}


def test_a_note_that_comes_with_tool_results_is_answered_after_the_work_at_hand(conversation: Conversation) -> None:
    conversation.messages.append({"role": "user", "content": TICKET})
    conversation.step()
    conversation.messages[-1]["content"].append({"type": "text", "text": "What is the refund window?"})

    while conversation.step() == "tool_use":
        pass

    last, before = [c["content"] for c in conversation.answers[-1:]], told(conversation)
    assert 'window_days="30"' in last[0][0]["text"]
    assert before.index("Draft reply for ticket 4821") < before.index("My memory says")


def test_two_messages_in_one_are_both_answered(conversation: Conversation) -> None:
    first = {"type": "text", "text": "Remember that Acme Corp has 240 seats."}
    second = {"type": "text", "text": "How many seats does Acme Corp have?"}
    conversation.messages.append({"role": "user", "content": [first, second]})

    while conversation.step() == "tool_use":
        pass

    assert "Noted about Acme Corp" in told(conversation)
    assert "Has 240 seats (customers/acme-corp.md" in told(conversation)


def test_what_another_model_has_answered_is_passed_over(conversation: Conversation) -> None:
    conversation.messages = [
        {"role": "user", "content": TICKET},
        {"role": "assistant", "content": "The reply is written and sent."},
    ]

    assert "My memory is empty" in conversation.say("hello")
    assert "Draft reply" not in told(conversation)


def test_a_turn_of_another_model_in_between_does_not_stop_the_work(conversation: Conversation) -> None:
    use = {
        "type": "tool_use",
        "id": "toolu_other",
        "name": "memory",
        "input": {"command": "view", "path": "/memories/x"},
    }
    conversation.messages = [
        {"role": "user", "content": TICKET},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_other", "content": "nothing"}]},
    ]

    while conversation.step() == "tool_use":
        pass

    assert "Draft reply for ticket 4821" in told(conversation)


def test_results_without_any_question_are_answered_plainly(conversation: Conversation) -> None:
    conversation.messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hello. Done."},
        {"role": "user", "content": [{"type": "image", "source": {}}]},
    ]

    conversation.step()

    assert told(conversation) == "Everything you asked for is done. There is nothing left to do."


def test_without_a_memory_tool_it_says_so_and_calls_nothing() -> None:
    came = answer(checked(body([{"role": "user", "content": TICKET}], tools=[])))

    assert came["stop_reason"] == "end_turn"
    assert "offers no memory tool" in came["content"][0]["text"]


@pytest.mark.parametrize("pauses", [True, False])
def test_a_compacted_conversation_goes_on_where_it_was(conversation: Conversation, pauses: bool) -> None:
    edit = {
        "type": "compact_20260112",
        "trigger": {"type": "input_tokens", "value": 1},
        "pause_after_compaction": pauses,
    }
    conversation.messages.append({"role": "user", "content": TICKET})
    conversation.step()
    conversation.step()

    request = body(conversation.messages, context_management={"edits": [edit]})
    came = answer(checked(request, [COMPACTION_BETA]))
    assert came["content"][0]["type"] == "compaction"
    assert (came["stop_reason"] == "compaction") == pauses
    assert came["usage"]["iterations"][0]["type"] == "compaction"

    undisturbed = answer(checked(body(conversation.messages)))
    shortened = [{"role": "assistant", "content": came["content"]}]
    if pauses:
        came = answer(checked(body(shortened)))
    assert [b.get("input") for b in came["content"] if b["type"] == "tool_use"] == [
        b["input"] for b in undisturbed["content"] if b["type"] == "tool_use"
    ]


def test_after_compaction_the_rest_of_the_run_is_the_same(conversation: Conversation) -> None:
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1}}
    conversation.messages.append({"role": "user", "content": TICKET})
    conversation.step()
    came = answer(checked(body(conversation.messages, context_management={"edits": [edit]}), [COMPACTION_BETA]))
    uses = [block for block in came["content"] if block["type"] == "tool_use"]
    results = [conversation._result(use) for use in uses]
    conversation.messages = [{"role": "assistant", "content": came["content"]}, {"role": "user", "content": results}]

    while conversation.step() == "tool_use":
        pass

    assert "Draft reply for ticket 4821, Acme Corp" in told(conversation)
