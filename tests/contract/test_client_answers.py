"""What the model reads of the client for programs elsewhere, also when something goes wrong."""

from typing import Any

import pytest

from memdash import client
from memdash.client import MemdashMemoryTool
from tests.support import demo
from tests.support.memory_server import (
    STORE,
    TOKEN,
    VIEW,
    answering,
    drip,
    fall_silent,
    hang_up,
    options,
    problem,
    raw,
    refusal,
    says,
    status,
    timed,
)

pytestmark = pytest.mark.usefixtures("no_pauses")


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
