"""What the client for programs elsewhere tells of a conversation whose answers it follows."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from anthropic.types.beta import BetaMessage

from agents.demo.server import DemoServer
from memdash.client import AsyncMemdashMemoryTool, MemdashMemoryTool
from tests.support import demo
from tests.support.memory_server import (
    VIEW,
    answering,
    options,
    says,
)

pytestmark = pytest.mark.usefixtures("no_pauses")


def message(*content: dict[str, Any]) -> BetaMessage:
    """Return an answer of the model."""
    around = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return BetaMessage.model_validate({**around, "content": content, "usage": usage})


def used(answer: BetaMessage, number: int) -> object:
    """Return the input of a tool use in an answer."""
    block = answer.content[number]
    assert block.type == "tool_use"
    return block.input


def test_following_the_answers_tells_turns_and_the_models_own_ids() -> None:
    first = message(
        {"type": "text", "text": "I look first."},
        {"type": "tool_use", "id": "toolu_a", "name": "memory", "input": VIEW},
        {"type": "tool_use", "id": "toolu_b", "name": "memory", "input": VIEW},
    )
    second = message({"type": "tool_use", "id": "toolu_c", "name": "memory", "input": VIEW})
    with answering(says("")) as server:
        memory = MemdashMemoryTool(**options(server))
        memory.follow(first)
        for number in (2, 1, 1):
            memory.call(used(first, number))
        memory.follow(second)
        memory.call(used(second, 0))

    told = [(body["turn"], body["tool_use_id"]) for body in server.bodies]
    assert told == [(1, "toolu_b"), (1, "toolu_a"), (1, "toolu_a"), (2, "toolu_c")]


EMPTY = "Here're the files and directories up to 2 levels deep in /memories:\n0B\t/memories"


def test_a_call_that_the_runner_makes_twice_is_one_call_for_the_server() -> None:
    with answering(says(EMPTY)) as server, DemoServer(pace=0) as model, demo.connected(model.url) as connected:
        memory = MemdashMemoryTool(**options(server))
        asked: Any = demo.asked(tools=[memory], thread=False, max_iterations=2)
        runner = connected.beta.messages.tool_runner(**asked)
        for answer in runner:
            memory.follow(answer)
            results = runner.generate_tool_call_response()
            # The SDK forgets the results here, and makes the calls again.
            runner.append_messages({"role": "assistant", "content": answer.content}, results)

    told = Counter((body["turn"], body["tool_use_id"]) for body in server.bodies)
    assert {turn for turn, _ in told} == {1, 2}
    assert len(told) > 3
    assert set(told.values()) == {2}


def test_streamed_answers_can_be_followed_in_both_runners() -> None:
    async def stream(url: str, memory: AsyncMemdashMemoryTool) -> None:
        asked: Any = demo.asked(tools=[memory], thread=False, max_iterations=2, stream=True)
        async with AsyncAnthropic(api_key="any-key", base_url=url) as connected:
            async for streamed in connected.beta.messages.tool_runner(**asked):
                memory.follow(await streamed.get_final_message())

    with answering(says(EMPTY)) as server, DemoServer(pace=0) as model, demo.connected(model.url) as connected:
        memory = MemdashMemoryTool(**options(server))
        asked: Any = demo.asked(tools=[memory], thread=False, max_iterations=2, stream=True)
        for streamed in connected.beta.messages.tool_runner(**asked):
            memory.follow(streamed.get_final_message())
        first = [(body["turn"], body["tool_use_id"]) for body in server.bodies]
        asyncio.run(stream(model.url, AsyncMemdashMemoryTool(**options(server))))

    assert len(first) > 3
    assert [(body["turn"], body["tool_use_id"]) for body in server.bodies] == first * 2
    assert all(tool_use_id.startswith("toolu_") for _, tool_use_id in first)
