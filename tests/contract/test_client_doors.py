"""The other doors of the client for programs elsewhere: asynchronous, by command, as a plain function."""

import asyncio
import inspect
import json
from typing import Any

import pytest
from anthropic.tools import ToolError
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand, BetaToolUseBlock

from memdash import client
from memdash.client import AsyncMemdashMemoryTool, MemdashMemoryTool, call_memory
from tests.support.memory_server import (
    VIEW,
    answering,
    options,
    problem,
    says,
)

pytestmark = pytest.mark.usefixtures("no_pauses")

BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": VIEW}


def test_the_asynchronous_tool_does_the_same() -> None:
    async def conversation(memory: AsyncMemdashMemoryTool) -> list[Any]:
        answers = await asyncio.gather(*(memory.call(VIEW) for _ in range(4)))
        with pytest.raises(ToolError) as error:
            await memory.call(VIEW)
        return [*answers, error.value.content]

    with answering(*[says("yes")] * 4, says("no", is_error=True)) as server:
        assert asyncio.run(conversation(AsyncMemdashMemoryTool(**options(server)))) == [*["yes"] * 4, "no"]

    assert len({body["session"] for body in server.bodies}) == 1


def test_the_sdks_commands_by_name_send_what_the_model_sent() -> None:
    command = BetaMemoryTool20250818ViewCommand(command="view", path="/memories/\ud83d", view_range=[1, -1])
    with answering(says("")) as server:
        MemdashMemoryTool(**options(server)).view(command)
        asyncio.run(AsyncMemdashMemoryTool(**options(server)).view(command))

    for body in server.bodies:
        assert {name: body[name] for name in ("command", "path", "view_range")} == command.to_dict(mode="python")


@pytest.mark.parametrize("block", [BLOCK, BetaToolUseBlock.model_validate(BLOCK)], ids=["dict", "object"])
def test_the_plain_function_gives_the_result_to_send_back(block: Any) -> None:
    with answering(says("seen"), says("no", is_error=True), problem(401)) as server:
        results = [call_memory(block, session="s-1", turn=2, **options(server)) for _ in range(3)]

    begin = {"type": "tool_result", "tool_use_id": "toolu_1"}
    assert results == [
        begin | {"content": "seen"},
        begin | {"content": "no", "is_error": True},
        begin | {"content": client.REFUSED[401], "is_error": True},
    ]
    assert server.bodies[0] == VIEW | {"session": "s-1", "tool_use_id": "toolu_1", "turn": 2}


def test_the_plain_function_tells_wrong_options() -> None:
    with pytest.raises(ValueError, match="MEMDASH_URL"):
        call_memory(BLOCK, session="s-1")


def test_every_text_for_the_model_is_a_short_error_that_says_what_to_do() -> None:
    texts = {value for name, value in inspect.getmembers(client) if name.isupper() and isinstance(value, str)}
    texts = {text for text in texts if text.startswith("Error:")} | set(client.REFUSED.values())

    assert len(texts) >= 10
    assert all(len(text) < 200 and text.endswith(".") for text in texts)
    assert json.dumps(sorted(texts)).isascii()
