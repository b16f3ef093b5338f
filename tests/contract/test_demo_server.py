"""The demo server as the SDK sees it: whole and streamed answers and errors over real HTTP."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anthropic
import pytest
from anthropic import Anthropic
from anthropic.tools import BetaLocalFilesystemMemoryTool

from agents.demo import MODELS, SUPPORT_DESK
from agents.demo.requests import COMPACTION_BETA, EDITS_BETA
from agents.demo.server import BODY_AT_MOST, DemoServer, ensure_server
from tests.support.demo import Tool, asked, connected, final, run


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with DemoServer(pace=0, remember=1000) as running:
        yield running


@pytest.fixture
def client(server: DemoServer) -> Iterator[Anthropic]:
    with connected(server.url) as client:
        yield client


@pytest.fixture
def tool(tmp_path: Path) -> BetaLocalFilesystemMemoryTool:
    return BetaLocalFilesystemMemoryTool(str(tmp_path))


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_streamed_answer_is_the_same_as_a_whole_one(client: Anthropic, model: str) -> None:
    whole = client.beta.messages.create(**asked(model=model))
    with client.beta.messages.stream(**asked(model=model)) as stream:
        text = "".join(stream.text_stream)
        streamed = stream.get_final_message()

    assert [b.to_dict() for b in streamed.content] == [b.to_dict() for b in whole.content]
    assert (streamed.stop_reason, streamed.id, streamed.model) == ("tool_use", whole.id, model)
    assert streamed.usage.to_dict() == whole.usage.to_dict()
    assert whole.usage.input_tokens > 0 < whole.usage.output_tokens
    assert text == whole.content[0].text


def test_a_stream_has_the_events_of_the_api_in_their_order(client: Anthropic) -> None:
    with client.beta.messages.stream(**asked()) as stream:
        kinds = [event.type for event in stream]
        assert stream.request_id

    known = [kind for kind in kinds if kind not in {"text", "input_json"}]
    assert known[0] == "message_start"
    assert known[-2:] == ["message_delta", "message_stop"]
    assert known.count("content_block_start") == known.count("content_block_stop") == 2
    assert known.count("content_block_delta") > 4


def test_each_answer_has_a_request_id_of_its_own(client: Anthropic) -> None:
    first, second = (client.beta.messages.create(**asked())._request_id for _ in range(2))

    assert first and second and first != second


def test_a_value_changed_on_disk_between_two_runs_changes_the_answer(
    client: Anthropic, tool: Tool, tmp_path: Path
) -> None:
    run(client, tool, "Remember that Acme Corp has 240 seats.")
    first = run(client, tool, "How many seats does Acme Corp have?")
    file = tmp_path / "memories" / "customers" / "acme-corp.md"
    file.write_text(file.read_text().replace("240", "315"))
    second = run(client, tool, "How many seats does Acme Corp have?")

    assert ("240" in first, "315" in first) == (True, False)
    assert ("240" in second, "315" in second) == (False, True)


def test_a_runner_that_streams_gets_to_the_end_as_well(client: Anthropic, tool: Tool) -> None:
    runner = client.beta.messages.tool_runner(**asked(tools=[tool]), stream=True, thread=False)

    last = [stream.get_final_message() for stream in runner][-1]

    assert last.stop_reason == "end_turn"
    assert "Draft reply for ticket 4821" in last.content[-1].text


def test_a_runner_that_wants_a_thread_falls_back_to_the_whole_conversation(
    client: Anthropic, tool: Tool, server: DemoServer
) -> None:
    runner = client.beta.messages.tool_runner(**asked(tools=[tool]))

    assert "Draft reply for ticket 4821" in runner.until_done().content[-1].text
    assert "thread" not in server.received[-1].body


def test_a_conversation_goes_on_in_another_server(tool: Tool, server: DemoServer) -> None:
    with DemoServer(pace=0) as other, connected(server.url) as one, connected(other.url) as two:
        first = one.beta.messages.create(**asked())
        use = first.content[-1]
        result = {"type": "tool_result", "tool_use_id": use.id, "content": tool.call(use.input)}
        messages = [
            *asked()["messages"],
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": [result]},
        ]

        there = two.beta.messages.create(**asked(messages=messages))
        here = one.beta.messages.create(**asked(messages=messages))

    assert [b.to_dict() for b in there.content] == [b.to_dict() for b in here.content]


@pytest.mark.parametrize("streams", [True, False])
def test_applied_edits_are_told(client: Anthropic, streams: bool) -> None:
    edit = {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 1},
        "keep": {"type": "tool_uses", "value": 0},
    }
    use = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {"command": "view", "path": "/memories"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x" * 4000}
    messages = [*asked()["messages"], {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    request = asked(messages=messages, context_management={"edits": [edit]}, betas=[EDITS_BETA])

    message = final(client, request) if streams else client.beta.messages.create(**request)

    [applied] = message.context_management.applied_edits
    assert (applied.type, applied.cleared_tool_uses) == ("clear_tool_uses_20250919", 1)
    assert applied.cleared_input_tokens > 900


def test_a_compaction_block_comes_through_the_stream_and_is_taken_back(client: Anthropic) -> None:
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1}, "pause_after_compaction": True}
    request = asked(context_management={"edits": [edit]}, betas=[COMPACTION_BETA])

    paused = final(client, request)
    history = [{"role": "assistant", "content": [block.to_dict() for block in paused.content]}]
    after = client.beta.messages.create(**asked(messages=history))

    assert paused.stop_reason == "compaction"
    assert paused.content[0].content.startswith("Summary by the scripted demo model")
    assert after.content[0].text == "I will look at my memory first."


def test_a_model_it_does_not_know_is_not_found(client: Anthropic) -> None:
    with pytest.raises(anthropic.NotFoundError, match="model: claude-opus-5-5") as refusal:
        client.beta.messages.create(**asked(model="claude-opus-5-5"))

    assert refusal.value.type == "not_found_error"
    assert refusal.value.request_id


def test_a_server_can_answer_under_a_name_of_the_tests() -> None:
    with DemoServer(pace=0, also={"claude-opus-5-5": SUPPORT_DESK}) as server, connected(server.url) as client:
        assert client.beta.messages.create(**asked(model="claude-opus-5-5")).model == "claude-opus-5-5"
        with pytest.raises(anthropic.NotFoundError):
            client.beta.messages.create(**asked(model="claude-sonnet-5-5"))


def test_a_tool_use_without_a_result_is_a_bad_request(client: Anthropic) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {}}
    messages = [*asked()["messages"], {"role": "assistant", "content": [use]}, {"role": "user", "content": "go on"}]

    with pytest.raises(anthropic.BadRequestError, match="without `tool_result` blocks"):
        client.beta.messages.create(**asked(messages=messages))


@pytest.mark.parametrize(
    ("path", "headers", "body", "status"),
    [
        ("/v1/messages", {}, b"{", 400),
        ("/v1/messages", {}, b"[" * 100_000, 400),
        ("/v1/messages", {"content-length": str(BODY_AT_MOST + 1)}, b"", 413),
        ("/v1/messages", {"content-length": "many"}, b"", 411),
        ("/v1/models", {}, b"{}", 404),
    ],
    ids=["no JSON", "nested too deep", "too large", "no length", "no such path"],
)
def test_what_is_no_request_gets_an_error_in_the_form_of_the_api(
    server: DemoServer, path: str, headers: dict[str, str], body: bytes, status: int
) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    with contextlib.closing(connection):
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())

    assert response.status == status
    assert answer["type"] == "error"


def test_a_stream_keeps_the_pace_it_is_given() -> None:
    with DemoServer(pace=0.02) as server, connected(server.url) as client:
        began = time.monotonic()
        with client.beta.messages.stream(**asked()) as stream:
            count = sum(1 for event in stream if event.type not in {"text", "input_json"})

    assert time.monotonic() - began > count * 0.02


def test_a_client_that_goes_away_harms_nobody_else(client: Anthropic, server: DemoServer) -> None:
    for _ in range(3):
        with client.beta.messages.stream(**asked()) as stream:
            next(iter(stream))

    assert client.beta.messages.create(**asked()).stop_reason == "tool_use"


def test_a_process_has_one_server_of_its_own() -> None:
    url = ensure_server(pace=0)

    assert ensure_server() == url
    with connected(url) as client:
        assert client.beta.messages.create(**asked()).stop_reason == "tool_use"


def interruptible() -> None:
    """Let the process be interrupted, also where the tests run in the background of a shell, which forbids it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_the_module_prints_its_address_and_serves_until_stopped() -> None:
    options = ["--pace", "0", "--fault", "status", "--status", "529", "--after", "1", "--also", "claude-x"]
    command = [sys.executable, "-W", "error", "-m", "agents.demo", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=interruptible) as process:  # noqa: PLW1509  (it takes no lock)
        try:
            assert process.stdout
            with connected(process.stdout.readline().strip()) as client:
                assert client.beta.messages.create(**asked(model="claude-x")).model == "claude-x"
                with pytest.raises(anthropic.OverloadedError):
                    client.beta.messages.create(**asked())
                assert client.beta.messages.create(**asked()).stop_reason == "tool_use"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()


def test_the_module_says_why_it_cannot_listen(server: DemoServer) -> None:
    port = server.url.rpartition(":")[2]

    ran = subprocess.run(
        [sys.executable, "-m", "agents.demo", "--port", port], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {port}: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_server_needs_neither_django_nor_the_sdk() -> None:
    code = "import sys, agents.demo.server; print(sorted({'django', 'anthropic', 'httpx2'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
