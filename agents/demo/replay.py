"""Finds the next turn of a scripted conversation from its messages alone.

A script is played again from its start on each request, with the answers that stand in the messages. Nothing is kept
between two requests, so the conversation goes on after a restart and in any other process.
"""

import re
from collections import deque
from collections.abc import Callable
from typing import Any

from agents.demo.asks import Ask
from agents.demo.turns import Answer, Script, Turn
from agents.demo.words import cleaned

NOTHING_DUE = Turn("Everything you asked for is done. There is nothing left to do.")
_GO_ON = re.compile(r"^\W*(?:please )?(?:continue|go on|carry on|resume)\b.{0,60}$", re.IGNORECASE)
_ATTACHED = re.compile(r"^Attached: [^\n]*\n\n")


def next_turn(scenario: Callable[[Ask], Script], messages: list[dict[str, Any]]) -> Turn:
    """Return what the scenario says after ``messages``, the last of which is a person's or holds tool results.

    A turn of which the messages show only a part, because it was cut off, is said to its end first. Turns of another
    model in the history are passed over.
    """
    replay = _Replay(scenario)
    for message in messages:
        if message["role"] == "assistant":
            replay.said(message["content"])
        else:
            replay.heard(message["content"])
    return replay.due


class _Replay:
    def __init__(self, scenario: Callable[[Ask], Script]) -> None:
        self._scenario = scenario
        self._waiting: deque[Ask] = deque()
        self._earlier: list[str] = []
        self._script: Script | None = None
        self._begin(Turn(""))

    def _begin(self, turn: Turn) -> None:
        self._calls = turn.calls
        self._unsaid = turn.text
        self._made: dict[str, int] = {}
        self._answers: dict[int, Answer] = {}
        self._is_one_by_one = False

    @property
    def due(self) -> Turn:
        made = set(self._made.values())
        calls = tuple(call for number, call in enumerate(self._calls) if number not in made)
        if self._is_one_by_one:
            calls = calls[:1]
        return Turn(self._unsaid, calls) if self._unsaid or calls else NOTHING_DUE

    def said(self, blocks: list[dict[str, Any]]) -> None:
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        uses = [block for block in blocks if block["type"] == "tool_use"]
        if self._unsaid.startswith(text):
            self._unsaid = self._unsaid[len(text) :].lstrip()
        elif not uses:  # another model has answered what was asked
            self._script = None
            self._waiting.clear()
            self._begin(Turn(""))
        for use in uses:
            self._match(use)

    def _match(self, use: dict[str, Any]) -> None:
        """Take note under which id a call of this turn was made; a call whose input was cut off was not made."""
        for number, call in enumerate(self._calls):
            if number not in self._made.values() and call.input == use["input"]:
                self._made[use["id"]] = number
                return

    def heard(self, blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            if block["type"] == "tool_result":
                self._take(block["tool_use_id"], _answer(block))
        is_cut = bool(self._unsaid) or (self._script is not None and len(self._answers) < len(self._calls))
        for text, *attachments in _asked([cleaned(block["text"]) for block in blocks if block["type"] == "text"]):
            if not (is_cut and _GO_ON.match(text)):
                self._waiting.append(Ask(text, tuple(attachments), tuple(self._earlier)))
                self._earlier.append(text)
        if self._script is None or not is_cut:
            self._begin(self._advance())

    def _take(self, use_id: str, answer: Answer) -> None:
        if answer.is_error and "not executed" in answer.text:
            # max_tokens cut the turn off, so its calls are made again, one a turn, as more may not fit.
            self._made.pop(use_id, None)
            self._is_one_by_one = True
        elif use_id in self._made:
            self._answers[self._made[use_id]] = answer

    def _advance(self) -> Turn:
        """Send the answers to the script; when it has ended, go on with what a person has asked for meanwhile."""
        answers = [self._answers[number] for number in range(len(self._calls))] if self._script else None
        texts = [self._unsaid]
        while True:
            if self._script is None:
                if not self._waiting:
                    return Turn(_joined(texts))
                self._script, answers = self._scenario(self._waiting.popleft()), None
            try:
                turn = next(self._script) if answers is None else self._script.send(answers)
            except StopIteration as end:
                texts.append(end.value)
                self._script = None
            else:
                return Turn(_joined([*texts, turn.text]), turn.calls)


def _asked(texts: list[str]) -> list[list[str]]:
    """Return each message among ``texts`` with the texts attached to it."""
    asked: list[list[str]] = []
    for text in texts:
        if asked and _ATTACHED.match(text):
            asked[-1].append(_ATTACHED.sub("", text, count=1))
        else:
            asked.append([text])
    return asked


def _joined(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _answer(block: dict[str, Any]) -> Answer:
    content: str | list[dict[str, Any]] = block.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(part["text"] for part in content if part.get("type") == "text")
    return Answer(content, bool(block.get("is_error")))
