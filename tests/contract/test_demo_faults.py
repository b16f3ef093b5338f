"""Each fault of the model API, as a client sees it that does not retry."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import Anthropic
from anthropic.tools import BetaLocalFilesystemMemoryTool

from agents.demo.faults import MODES, SAME_ID, Fault
from agents.demo.server import DemoServer
from tests.support.demo import TICKET, Tool, asked, blackhole, connected, final, refusing, run

ROWS = json.loads((Path(__file__).parents[1] / "data/security/api_faults.json").read_text(encoding="utf-8"))
FAULTS = {row["id"]: row for row in ROWS}


@pytest.fixture
def tool(tmp_path: Path) -> BetaLocalFilesystemMemoryTool:
    return BetaLocalFilesystemMemoryTool(str(tmp_path))


@contextlib.contextmanager
def meeting(*faults: Fault, timeout: float = 10) -> Iterator[Anthropic]:
    """Give a client of a server with these faults."""
    with DemoServer(pace=0, faults=faults) as server, connected(server.url, timeout) as client:
        yield client


def raw(client: Anthropic) -> Any:
    return client.beta.messages.with_streaming_response.create(**asked(), stream=True)


def test_every_row_of_the_fault_list_can_be_played() -> None:
    for row in FAULTS.values():
        if row.get("mode") in {"refuse", "blackhole"}:
            continue
        assert Fault.from_row(row).mode in MODES


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(ValueError, match="There is no fault 'flood'"):
        Fault("flood")


def test_a_status_comes_with_its_headers_and_only_as_often_as_it_should() -> None:
    with meeting(Fault.from_row(FAULTS["429-retry-after"])) as client:
        with pytest.raises(anthropic.RateLimitError) as limited:
            client.beta.messages.create(**asked())
        assert client.beta.messages.create(**asked()).stop_reason == "tool_use"

    assert limited.value.response.headers["retry-after"] == "2"


def test_faults_can_begin_later_and_follow_one_another() -> None:
    with meeting(Fault("status", after=1, status=500), Fault("status", after=2, times=-1, status=529)) as client:
        assert client.beta.messages.create(**asked()).stop_reason == "tool_use"
        with pytest.raises(anthropic.InternalServerError):
            client.beta.messages.create(**asked())
        for _ in range(3):
            with pytest.raises(anthropic.OverloadedError):
                client.beta.messages.create(**asked())


def test_a_stream_that_falls_silent_meets_the_timeout_after_the_given_events() -> None:
    seen = []
    silent = meeting(Fault("stream_then_silence", after_events=5), timeout=0.5)
    with silent as client, pytest.raises(httpx2.ReadTimeout), client.beta.messages.stream(**asked()) as stream:
        for event in stream:
            seen.append(event.type)

    # The ping is one of the five that the server sent, and the SDK keeps it to itself.
    assert [kind for kind in seen if kind != "text"] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
    ]


def test_a_connection_closed_inside_a_tool_input_breaks_the_stream() -> None:
    with meeting(Fault("close_in_tool_input")) as client, client.beta.messages.stream(**asked()) as stream:
        with pytest.raises(httpx2.RemoteProtocolError):
            list(stream)
        partial = stream.current_message_snapshot.content[-1]

    assert partial.type == "tool_use"
    assert partial.input != {"command": "view", "path": "/memories"}


def test_a_stream_may_end_in_good_order_before_message_stop() -> None:
    with meeting(Fault("close_before_message_stop")) as client, client.beta.messages.stream(**asked()) as stream:
        kinds = [event.type for event in stream]

    assert "message_stop" not in kinds
    assert kinds[-1] == "message_delta"


def test_an_error_event_in_a_stream_says_overloaded() -> None:
    with meeting(Fault("sse_error_overloaded")) as client, pytest.raises(anthropic.APIStatusError) as error:
        final(client, asked())

    assert (error.value.status_code, error.value.type) == (200, "overloaded_error")


def test_garbage_in_a_stream_is_no_json() -> None:
    with meeting(Fault("garbage_json")) as client, pytest.raises(ValueError, match="nterminated string"):
        final(client, asked())


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # the SDK's runner knows no such block
def test_a_block_of_an_unknown_type_comes_whole_and_is_taken_back(tool: Tool) -> None:
    with meeting(Fault("new_content_block_type", times=-1)) as client:
        message = final(client, asked())
        assert "Draft reply" in run(client, tool, TICKET)

    assert message.content[0].to_dict() == {"type": "hologram", "payload": {"of": "tomorrow", "depth": 3}}
    assert [block.type for block in message.content[1:]] == ["text", "tool_use"]


def test_one_id_in_two_turns_is_taken_back(tool: Tool) -> None:
    faults = [Fault("same_id_in_two_turns", times=2)]
    with DemoServer(pace=0, remember=100, faults=faults) as server, connected(server.url) as client:
        run(client, tool, TICKET)
        history = server.received[-1].body["messages"]

    ids = [b["id"] for m in history if m["role"] == "assistant" for b in m["content"] if b["type"] == "tool_use"]
    assert ids.count(SAME_ID) == 2


def test_two_calls_in_one_turn_come_in_order_and_the_work_goes_on(tool: Tool) -> None:
    faults = [Fault("parallel_tool_use")]
    with DemoServer(pace=0, remember=100, faults=faults) as server, connected(server.url) as client:
        assert "Draft reply" in run(client, tool, TICKET)
        results = server.received[1].body["messages"][2]["content"]

    assert ["first.md" in results[0]["content"], "second.md" in results[1]["content"]] == [True, True]


def test_an_answer_may_end_at_max_tokens_inside_a_tool_input() -> None:
    with meeting(Fault("stop_reason_max_tokens")) as client:
        message = final(client, asked())

    assert message.stop_reason == "max_tokens"
    assert message.content[-1].type == "tool_use"
    assert message.content[-1].input != {"command": "view", "path": "/memories"}


def test_a_refusal_says_so() -> None:
    with meeting(Fault("stop_reason_refusal")) as client:
        message = final(client, asked())

    assert (message.stop_reason, message.stop_details.type) == ("refusal", "refusal")


def test_a_slow_drip_never_meets_the_read_timeout() -> None:
    received, began = 0, time.monotonic()
    with meeting(Fault("one_byte_per_second", seconds=0.05), timeout=0.5) as client, raw(client) as response:
        for part in response.iter_bytes():
            received += len(part)
            if time.monotonic() - began > 1.2:
                break

    assert 5 < received < 60


def test_a_huge_answer_has_fifty_million_characters() -> None:
    with meeting(Fault("50MB_text")) as client, raw(client) as response:
        received = sum(len(part) for part in response.iter_bytes(1 << 20))

    assert 50_000_000 < received < 51_000_000


def test_a_redirect_names_another_host() -> None:
    fault = Fault("302_to_other_host", location="http://127.0.0.1:9/v1/messages")
    with DemoServer(faults=[fault]) as redirecting, httpx2.Client(trust_env=False) as client:
        response = client.post(f"{redirecting.url}/v1/messages", json=asked())

    assert (response.status_code, response.headers["location"]) == (302, "http://127.0.0.1:9/v1/messages")


def test_nobody_answers_where_connections_are_refused_or_swallowed() -> None:
    with refusing() as url, connected(url) as client, pytest.raises(anthropic.APIConnectionError):
        client.beta.messages.create(**asked())
    with blackhole() as url, connected(url, timeout=0.3) as client, pytest.raises(anthropic.APITimeoutError):
        client.beta.messages.create(**asked())
