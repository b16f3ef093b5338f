"""The conversation as the API takes it, from the stored messages."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agents.models import Message
from agents.runs.texts import plain
from memories.refusals import Refused

Block = dict[str, Any]

USER, ASSISTANT = "user", "assistant"
GOES_ON = ("pause_turn", "compaction")
"""Stop reasons of answers that are sent back as they are, without a message of ours."""

TRUSTED, EXTERNAL = "trusted", "external"
CUT_OFF = "Error: not executed: the answer was cut off before its end."
CANCELLED = "Error: not executed: a person cancelled the run."


class NothingSaid(Refused):
    """A message has no words."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that comes with a message: a page, a mail, a ticket; ``trusted`` is what the person who adds it says."""

    name: str
    text: str
    trusted: bool = False


def content_of(text: str, attachments: Iterable[Attachment]) -> tuple[list[Block], list[dict[str, str]]]:
    """Return a person's message as content blocks, and for each block the name and trust of what it holds.

    Raises NothingSaid when there are no words; empty attachments are left out.
    """
    if not text.strip():
        raise NothingSaid("Write a message first.")
    blocks = [_text(text)]
    marks = [{"name": "", "trust": TRUSTED}]
    for each in attachments:
        if each.text.strip():
            name = plain(each.name.strip() or "attachment", 200)
            blocks.append(_text(f"Attached: {name}\n\n{each.text}"))
            marks.append({"name": name, "trust": TRUSTED if each.trusted else EXTERNAL})
    return blocks, marks


def title_of(text: str) -> str:
    """Return the first line of a message that has words, in at most 200 characters."""
    return plain(next(line.strip() for line in text.splitlines() if line.strip()), 200)


def sendable(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the messages of a request: from the last summary on, if the API made one, roles taking turns.

    A message that a person sent while the agent worked follows the tool results in one message. Texts without words,
    which the API says but does not take back, are left out.
    """
    sent: list[dict[str, Any]] = []
    for message in messages:
        content = [block for block in message.content if block["type"] != "text" or block["text"].strip()]
        summary = next(
            (n for n, block in enumerate(content) if block["type"] == "compaction" and block["content"]), None
        )
        if summary is not None:
            sent, content = [], content[summary:]
        if not content:
            continue
        if sent and sent[-1]["role"] == message.role:
            sent[-1]["content"] += content
        else:
            sent.append({"role": message.role, "content": content})
    return sent


def tool_uses(answer: Message) -> list[tuple[int, Block]]:
    """Return the tool calls of an answer with their places among its blocks, each id once."""
    found: dict[str, tuple[int, Block]] = {}
    for position, block in enumerate(answer.content):
        if block["type"] == "tool_use":
            found.setdefault(block["id"], (position, block))
    return list(found.values())


def awaits_person(last: Message) -> bool:
    """Return whether, after the last message, only a person's words let the conversation go on."""
    if last.role != ASSISTANT or last.stop_reason in GOES_ON:
        return False
    return last.stop_reason != "tool_use" or not tool_uses(last)


def result(tool_use_id: str, content: Any, *, is_error: bool) -> Block:
    """Return the block that answers a tool call."""
    block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    return block | {"is_error": True} if is_error else block


def _text(text: str) -> Block:
    return {"type": "text", "text": plain(text, len(text))}
