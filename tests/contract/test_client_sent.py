"""What the client for programs elsewhere sends, and over which connection."""

import threading
import time
from typing import Any

import pytest

from memdash.client import MemdashMemoryTool
from tests.support.memory_server import (
    STORE,
    TOKEN,
    VIEW,
    answering,
    hang_up,
    options,
    says,
    says_and_hangs_up,
)

pytestmark = pytest.mark.usefixtures("no_pauses")


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
