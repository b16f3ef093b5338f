"""The client for programs elsewhere: what it sends, and what the model reads, also when something goes wrong."""

import asyncio
import inspect
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from anthropic.tools import ToolError
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand, BetaMessage, BetaToolUseBlock

from agents.demo.server import DemoServer
from memdash import client
from memdash.client import AsyncMemdashMemoryTool, MemdashMemoryTool, call_memory
from tests.support import demo
from tests.support.memory_server import (
    STORE,
    TOKEN,
    answering,
    drip,
    fall_silent,
    hang_up,
    options,
    problem,
    raw,
    says,
    says_and_hangs_up,
    status,
    timed,
)

VIEW = {"command": "view", "path": "/memories"}
BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": VIEW}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAUSES", (0.0, 0.0, 0.0))
    for name in ("URL", "STORE", "TOKEN"):
        monkeypatch.delenv(f"MEMDASH_{name}", raising=False)


def refusal(act: Callable[[], object]) -> Any:
    """Return what the model reads of a call that fails."""
    with pytest.raises(ToolError) as error:
        act()
    return error.value.content


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


# What is sent


def test_a_call_brings_the_input_and_what_is_known_of_it() -> None:
    with answering(says("Here you are.")) as server:
        memory = MemdashMemoryTool(
            **options(server, session="s-1", agent="desk", cause="Ticket 4821", turn=3, external=["mail 7"])
        )

        assert memory.call({"command": "view", "path": "/memories/ü"}) == "Here you are."

    (body,) = server.bodies
    assert body.pop("tool_use_id").startswith("call_")
    assert body == {
        "command": "view",
        "path": "/memories/ü",
        "session": "s-1",
        "agent": "desk",
        "cause": "Ticket 4821",
        "turn": 3,
        "external": ["mail 7"],
    }
    assert server.paths == [f"/api/v1/stores/{STORE}/memory"]
    assert server.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    assert server.headers[0]["Content-Type"] == "application/json"


def test_what_is_not_known_is_left_out() -> None:
    with answering(says("")) as server:
        MemdashMemoryTool(**options(server)).call(VIEW)

    assert server.bodies[0].keys() == {"command", "path", "session", "tool_use_id"}


def test_the_environment_says_where_when_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(says("")) as server:
        monkeypatch.setenv("MEMDASH_URL", f"{server.url}/behind/a%20proxy/")
        monkeypatch.setenv("MEMDASH_STORE", "größe")
        monkeypatch.setenv("MEMDASH_TOKEN", TOKEN)

        MemdashMemoryTool().call(VIEW)

    assert server.paths == ["/behind/a%20proxy/api/v1/stores/gr%C3%B6%C3%9Fe/memory"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"url": None}, "url is missing: pass url=… or set MEMDASH_URL."),
        ({"store": None}, "store is missing: pass store=… or set MEMDASH_STORE."),
        ({"token": ""}, "token is missing: pass token=… or set MEMDASH_TOKEN."),
        ({"token": "mdh_sec ret"}, "token is not valid: pass token=… or set MEMDASH_TOKEN."),
        ({"token": "mdh_sec\r\nret"}, "token is not valid: pass token=… or set MEMDASH_TOKEN."),
        ({"url": "ftp://host"}, "url is not valid: pass url=… or set MEMDASH_URL."),
        ({"url": "https://user:word@host"}, "url is not valid: pass url=… or set MEMDASH_URL."),
        ({"url": "https://host/?q"}, "url is not valid: pass url=… or set MEMDASH_URL."),
    ],
)
def test_a_wrong_or_missing_option_is_told_at_once_by_its_name(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as wrong:
        MemdashMemoryTool(**({"url": "https://host", "store": STORE, "token": TOKEN} | given))

    assert str(wrong.value) == words


def test_one_object_is_one_session_with_an_id_for_each_call() -> None:
    with answering(says("")) as server:
        first, second = MemdashMemoryTool(**options(server)), MemdashMemoryTool(**options(server))
        for memory in (first, first, second):
            memory.call(VIEW)

    sessions = [body["session"] for body in server.bodies]
    assert sessions[0] == sessions[1] != sessions[2]
    assert len({body["tool_use_id"] for body in server.bodies}) == 3


def test_a_cause_may_be_a_function_and_is_cut_to_what_the_server_takes() -> None:
    causes = iter(["first", "x" * 2001, None])
    with answering(says("")) as server:
        memory = MemdashMemoryTool(**options(server), cause=lambda: next(causes))
        for _ in range(3):
            memory.call(VIEW)
        memory.cause, memory.turn = "set anew", 7
        memory.call(VIEW)

    assert [body.get("cause") for body in server.bodies] == ["first", "x" * 2000, None, "set anew"]
    assert server.bodies[-1]["turn"] == 7


def test_a_model_cannot_speak_for_the_program() -> None:
    forged = VIEW | {"session": "other", "cause": "a person said so", "agent": "boss", "turn": 9, "external": []}
    with answering(says("")) as server:
        MemdashMemoryTool(**options(server, session="s-1")).call(forged | {"tool_use_id": "t"})

    body = server.bodies[0]
    assert body.pop("tool_use_id").startswith("call_")
    assert body == VIEW | {"session": "s-1"}


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


def test_half_a_character_reaches_the_server_as_it_is() -> None:
    with answering(says("")) as server:
        MemdashMemoryTool(**options(server)).call(VIEW | {"path": "/memories/\ud83d"})

    assert server.bodies[0]["path"] == "/memories/\ud83d"


def test_calls_share_a_connection_and_threads_do_not() -> None:
    with answering(says("")) as server:
        memory = MemdashMemoryTool(**options(server))
        for _ in range(5):
            memory.call(VIEW)
        alone = server.connections
        threads = [threading.Thread(target=lambda: [memory.call(VIEW) for _ in range(20)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

    assert alone == 1
    assert len(server.bodies) == 165


def test_a_connection_that_is_closed_as_it_is_used_again_is_made_anew() -> None:
    with answering(says("a"), hang_up, says("b")) as server:
        memory = MemdashMemoryTool(**options(server))

        assert [memory.call(VIEW), memory.call(VIEW)] == ["a", "b"]

    assert server.connections == 2


def test_a_connection_that_was_closed_meanwhile_is_not_used_again(caplog: pytest.LogCaptureFixture) -> None:
    with answering(says_and_hangs_up, says("b")) as server:
        memory = MemdashMemoryTool(**options(server))
        memory.call(VIEW)
        time.sleep(0.2)

        assert memory.call(VIEW) == "b"

    assert (server.connections, len(server.bodies)) == (2, 2)
    assert caplog.messages == []


# What the model reads


def test_an_error_of_the_tool_is_the_sdks_error_with_exactly_its_content() -> None:
    blocks = [{"type": "text", "text": "Error: no"}]
    with answering(
        says("Error: The path /memories/x does not exist", is_error=True), says(blocks, is_error=True)
    ) as server:
        memory = MemdashMemoryTool(**options(server))

        assert refusal(lambda: memory.call(VIEW)) == "Error: The path /memories/x does not exist"
        assert refusal(lambda: memory.call(VIEW)) == blocks


def test_content_blocks_are_passed_on_as_they_are() -> None:
    picture = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]
    with answering(says(picture)) as server:
        assert MemdashMemoryTool(**options(server)).call(VIEW) == picture


@pytest.mark.parametrize("value", [None, [1, 2], "view", 3])
def test_an_input_that_is_no_object_is_answered_here(value: object) -> None:
    with answering(says("")) as server:
        assert refusal(lambda: MemdashMemoryTool(**options(server)).call(value)) == client.NO_OBJECT

    assert server.bodies == []


@pytest.mark.parametrize(
    ("answer", "words", "tries"),
    [
        (problem(401), client.REFUSED[401], 1),
        (problem(403), client.REFUSED[403], 1),
        (problem(404), client.REFUSED[404], 1),
        (problem(413), client.REFUSED[413], 1),
        (problem(422), client.NOT_TAKEN, 1),
        (problem(400), client.NOT_TAKEN, 1),
        (problem(500), client.FAILED, 1),
        (problem(429), client.BUSY, 4),
        (problem(503), client.BUSY, 4),
        (problem(502), client.UNANSWERED, 4),
        (status(302, b"", Location="http://127.0.0.1:9/"), client.UNREADABLE, 1),
        (status(204, b""), client.UNREADABLE, 1),
        (status(200, b"<html>Welcome</html>"), client.UNREADABLE, 1),
        (status(200, b"\xff\xfe"), client.UNREADABLE, 1),
        (status(200, b"[" * 100_000), client.UNREADABLE, 1),
        (status(200, b"null"), client.UNREADABLE, 1),
        (status(200, b'{"content": 3, "is_error": false}'), client.UNREADABLE, 1),
        (status(200, b'{"content": ["text"], "is_error": true}'), client.UNREADABLE, 1),
        (status(200, b'{"content": "text"}'), client.UNREADABLE, 1),
        (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), client.UNREADABLE, 1),
        (raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n"), client.UNREADABLE, 1),
        (raw(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"content": "te'), client.UNANSWERED, 4),
        (hang_up, client.UNANSWERED, 4),
    ],
)
def test_each_failure_is_one_text_for_the_model_after_a_bounded_number_of_tries(
    answer: Any, words: str, tries: int, caplog: pytest.LogCaptureFixture
) -> None:
    with answering(answer) as server:
        assert refusal(lambda: MemdashMemoryTool(**options(server)).call(VIEW)) == words

    assert len(server.bodies) == tries
    assert len({body["tool_use_id"] for body in server.bodies}) == 1
    assert_tells_no_secret(words, server.url)
    assert_tells_no_secret(caplog.text, server.url)
    assert caplog.records
    assert "Traceback" not in caplog.text


def assert_tells_no_secret(text: str, url: str) -> None:
    for secret in (TOKEN, url.removeprefix("http://"), STORE, "told to the log alone" if "Error:" in text else TOKEN):
        assert secret not in text


def test_the_log_says_what_the_server_gives_as_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    with answering(problem(403, "This token may only read.")) as server:
        refusal(lambda: MemdashMemoryTool(**options(server)).call(VIEW))

    assert caplog.messages == ["memory answered 403: This token may only read."]


def test_a_server_that_is_down_is_told_apart_from_one_that_may_have_acted() -> None:
    with demo.refusing() as url:
        memory = MemdashMemoryTool(url=url, store=STORE, token=TOKEN)

        assert refusal(lambda: memory.call(VIEW)) == client.UNREACHED


@pytest.mark.parametrize("answer", [fall_silent, drip])
def test_a_server_that_does_not_come_to_an_end_costs_the_time_limit_and_no_more(answer: Any) -> None:
    with answering(answer) as server:
        memory = MemdashMemoryTool(**options(server, timeout=0.5))

        words, seconds = timed(lambda: refusal(lambda: memory.call(VIEW)))

    assert words == client.UNANSWERED
    assert 0.4 < seconds < 5
    assert len(server.bodies) == 1


def test_a_place_where_nobody_answers_costs_the_time_limit_and_no_more() -> None:
    with demo.blackhole() as url:
        memory = MemdashMemoryTool(url=url, store=STORE, token=TOKEN, timeout=0.5)

        words, seconds = timed(lambda: refusal(lambda: memory.call(VIEW)))

    assert words == client.UNREACHED
    assert 0.4 < seconds < 5


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    with answering(problem(429, Retry_After="1"), says("done")) as server:
        words, seconds = timed(lambda: MemdashMemoryTool(**options(server)).call(VIEW))

    assert words == "done"
    assert seconds >= 1
    assert len(server.bodies) == 2


@pytest.mark.parametrize("seconds", ["3600", "999999999"])
def test_a_wait_beyond_the_time_limit_is_not_begun(seconds: str) -> None:
    with answering(problem(503, Retry_After=seconds)) as server:
        words, waited = timed(lambda: refusal(lambda: MemdashMemoryTool(**options(server)).call(VIEW)))

    assert words == client.BUSY
    assert waited < 5
    assert len(server.bodies) == 1


@pytest.mark.parametrize("named", ["-1", "soon", "Wed, 02 Dec 2026 18:00:00 GMT", "1e9"])
def test_a_wait_that_is_no_number_of_seconds_is_none(named: str) -> None:
    with answering(problem(503, Retry_After=named), says("done")) as server:
        assert MemdashMemoryTool(**options(server)).call(VIEW) == "done"


def test_a_fault_of_the_program_itself_is_no_text_for_the_model(caplog: pytest.LogCaptureFixture) -> None:
    def cause() -> str:
        raise KeyError("hunter2")

    with answering(says("")) as server:
        assert refusal(lambda: MemdashMemoryTool(**options(server), cause=cause).call(VIEW)) == client.BROKEN

    assert "hunter2" in caplog.text


# The other doors


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
