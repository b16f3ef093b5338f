"""Conversations with the scripted demo model for tests, and addresses where no model answers."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from anthropic import Anthropic
from anthropic.tools import ToolError

from agents.demo import SUPPORT_DESK
from agents.demo.messages import answer, whole
from agents.demo.requests import checked

TICKET = "Reply to ticket 4821 from Acme Corp. The export job fails."
MEMORY_TOOL = {"type": "memory_20250818", "name": "memory"}


class Tool(Protocol):
    """A memory tool of the kind the SDK's runner takes."""

    def call(self, input: object) -> Any: ...


@dataclass(frozen=True)
class Use:
    """One tool call and what came of it."""

    input: dict[str, Any]
    result: Any
    is_error: bool

    @property
    def command(self) -> str:
        return str(self.input["command"])


@dataclass
class Conversation:
    """A conversation with one scenario over one memory, driven without HTTP as a run drives it."""

    model: str
    tool: Tool
    max_tokens: int = 8192
    messages: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    def say(self, text: str, *attachments: str) -> str:
        """Send a message, make the tool calls that come back until none comes, and return the last words."""
        blocks = [text, *(f"Attached: file {n}\n\n{attached}" for n, attached in enumerate(attachments, 1))]
        self.messages.append({"role": "user", "content": [{"type": "text", "text": block} for block in blocks]})
        while self.step() == "tool_use":
            pass
        return "".join(block["text"] for block in self.answers[-1]["content"] if block["type"] == "text")

    def step(self) -> str:
        """Ask for one turn, make its tool calls, and return its stop reason."""
        body = {"model": self.model, "max_tokens": self.max_tokens, "messages": self.messages, "tools": [MEMORY_TOOL]}
        came = whole(answer(checked(body)))
        self.answers.append(came)
        self.messages.append({"role": "assistant", "content": came["content"]})
        if came["stop_reason"] == "tool_use":
            uses = [block for block in came["content"] if block["type"] == "tool_use"]
            self.messages.append({"role": "user", "content": [self._result(use) for use in uses]})
        return str(came["stop_reason"])

    def _result(self, use: dict[str, Any]) -> dict[str, Any]:
        try:
            done = Use(use["input"], self.tool.call(use["input"]), is_error=False)
        except ToolError as error:
            done = Use(use["input"], error.content, is_error=True)
        self.uses.append(done)
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": done.result}
        return result | {"is_error": True} if done.is_error else result


def said(model: str, tool: Tool, text: str, *attachments: str) -> str:
    """Return the last words of a new conversation that ``text`` begins."""
    return Conversation(model, tool).say(text, *attachments)


def connected(url: str, timeout: float = 10) -> Anthropic:
    return Anthropic(api_key="any-key", base_url=url, max_retries=0, timeout=timeout)


def asked(text: str = TICKET, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    return {"model": SUPPORT_DESK, "max_tokens": 4096, "messages": messages, "tools": [MEMORY_TOOL]} | more


def run(client: Anthropic, tool: Any, text: str, model: str = SUPPORT_DESK, **more: Any) -> str:
    """Drive the SDK's own runner to its end and return the last words."""
    request: dict[str, Any] = asked(text, model=model, tools=[tool], thread=False) | more
    return str(client.beta.messages.tool_runner(**request).until_done().content[-1].text)


def final(client: Anthropic, request: dict[str, Any]) -> Any:
    with client.beta.messages.stream(**request) as stream:
        return stream.get_final_message()


def put(folder: Path, path: str, text: str) -> Path:
    """Write a file of a memory that is a directory, and return it."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def files(folder: Path) -> dict[str, str]:
    """Return the texts of such a memory by their paths."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def commands(conversation: Conversation) -> set[str]:
    """Return the commands of the tool that were used in the conversation."""
    return {use.command for use in conversation.uses}


@contextmanager
def refusing() -> Iterator[str]:
    """Give the address of a port on which every connection is refused."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def blackhole() -> Iterator[str]:
    """Give the address of a port on which no connection comes about: its queue is full and nobody empties it."""
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
