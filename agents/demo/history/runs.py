"""A past run: the demo model answers as it would today, from the tool's real answers; only the clock is made up."""

import time
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from agents.demo import messages, requests
from agents.demo.history.acts import Asked
from agents.models import Agent, Attempt, Message, Run, RunState, ToolCall
from agents.runs import budgets
from agents.runs.history import ASSISTANT, USER, Attachment, content_of, result, sendable, title_of, tool_uses
from agents.runs.reasons import Reason
from agents.runs.terms import Terms
from memories import tool
from memories.actors import Actor, ActorKind
from memories.store import Transaction

TOOLS: Final = [{"type": "memory_20250818", "name": "memory"}]
BETAS: Final = (requests.EDITS_BETA, requests.COMPACTION_BETA)
TRIES: Final = 5
OVERLOADED: Final = "The model API answered with error 529: Overloaded."
GIVEN_UP: Final = f"{OVERLOADED} It was tried {TRIES} times. Everything before is kept; retry when the cause is gone."

FIRST_TOKEN: Final = timedelta(seconds=1.4)
TOKENS_A_SECOND: Final = 55
CALL: Final = timedelta(milliseconds=60)
READING: Final = timedelta(minutes=4)
"""How long a person takes to read an answer and to say more."""


def play(tx: Transaction, agent: Agent, asked: Asked, began: datetime) -> None:
    """Write the run with its messages, its tool calls and what they did to memory; the caller saves ``agent``."""
    agent.last_run_number += 1
    terms = replace(Terms.of_agent(agent), max_turns=asked.max_turns or agent.max_turns)
    run = Run.objects.create(
        agent=agent,
        number=agent.last_run_number,
        title=title_of(asked.text),
        started_by=asked.by,
        settings=terms.as_json(),
        created_at=began,
        started_at=began,
        updated_at=began,
    )
    player = _Player(tx, run, terms, began)
    player.hear(asked.by, asked.text, [Attachment(each.name, each.text) for each in asked.attached])
    player.go_on(asked.overloaded_at)
    for text in asked.follow_ups:
        player.clock += READING
        player.hear(asked.by, text)
        player.go_on()
    player.save()


class _Player:
    def __init__(self, tx: Transaction, run: Run, terms: Terms, clock: datetime) -> None:
        self.clock = clock
        self._tx, self._run, self._terms = tx, run, terms
        self._messages: list[Message] = []
        self._calls: list[ToolCall] = []

    def hear(self, author: str, text: str, attachments: list[Attachment] | None = None) -> None:
        """Add a person's message."""
        content, marks = content_of(text, attachments or ())
        self._add(USER, content, marks=marks, author=author)

    def go_on(self, overloaded_at: int | None = None) -> None:
        """Take turns until the run is done, has used up its budget, or gets no answer."""
        began, run = self.clock, self._run
        run.state = RunState.RUNNING
        while run.state == RunState.RUNNING:
            if run.turns + 1 == overloaded_at:
                self._get_no_answer()
            elif stop := budgets.reached(run, self._terms):
                run.state, (run.reason, run.detail) = RunState.STOPPED, stop
            else:
                self._take_turn()
        run.active_seconds += (self.clock - began).total_seconds()

    def save(self) -> None:
        """Write the rows that were gathered, and how the run ended."""
        Message.objects.bulk_create(self._messages)
        ToolCall.objects.bulk_create(self._calls)
        self._run.last_seq = len(self._messages)
        self._run.ended_at = self._run.updated_at = self.clock
        self._run.save()

    def _take_turn(self) -> None:
        body: dict[str, Any] = {
            "model": self._terms.model,
            "max_tokens": budgets.output_tokens_left(self._terms, self._run.output_tokens),
            "messages": sendable(self._messages),
            "system": self._terms.system_prompt,
            "tools": TOOLS,
            "cache_control": {"type": "ephemeral"},
            "context_management": {"edits": self._terms.context_edits},
        }
        said = messages.whole(messages.answer(requests.checked(body, BETAS)))
        usage = said["usage"]
        self.clock += FIRST_TOKEN + timedelta(seconds=usage["output_tokens"] / TOKENS_A_SECOND)
        self._run.turns += 1
        self._run.input_tokens += usage["input_tokens"]
        self._run.output_tokens += usage["output_tokens"]
        self._run.cache_read_tokens += usage["cache_read_input_tokens"]
        self._run.cache_write_tokens += usage["cache_creation_input_tokens"]
        answer = self._add(
            ASSISTANT,
            said["content"],
            turn=self._run.turns,
            stop_reason=said["stop_reason"],
            model=said["model"],
            request_id=said["id"].replace("msg_", "req_", 1),
            usage=usage,
            applied_edits=said["context_management"]["applied_edits"],
        )
        results = [self._execute(position, block) for position, block in tool_uses(answer)]
        if results:
            self._add(USER, results, turn=self._run.turns)
        else:
            self._run.state = RunState.DONE

    def _execute(self, position: int, block: dict[str, Any]) -> dict[str, Any]:
        self.clock += CALL
        run, raw_input = self._run, block["input"]
        actor = Actor(
            ActorKind.AGENT,
            run.agent.name,
            agent_id=run.agent_id,
            run_id=run.uuid,
            turn=run.turns,
            tool_use_id=block["id"],
            dedupe_key=f"{run.uuid}:{block['id']}",
            change_set=f"run:{run.uuid}",
            authored_at=self.clock,
        )
        began = time.perf_counter()
        came = tool.execute_within(self._tx, raw_input, actor)
        seqs = [version.seq for version in came.versions]
        call = ToolCall(
            run=run,
            tool_use_id=block["id"],
            turn=run.turns,
            position=position,
            name=block["name"],
            input=raw_input,
            content=came.content,
            is_error=came.is_error,
            path=raw_input.get("path") or raw_input["old_path"],
            first_seq=min(seqs, default=None),
            last_seq=max(seqs, default=None),
            milliseconds=(time.perf_counter() - began) * 1000,
            created_at=self.clock,
        )
        self._calls.append(call)
        return result(block["id"], came.content, is_error=came.is_error)

    def _get_no_answer(self) -> None:
        for tried in range(TRIES):
            self.clock += FIRST_TOKEN
            wait = timedelta(seconds=2 * 2**tried)
            retry_at = self.clock + wait if tried + 1 < TRIES else None
            Attempt.objects.create(
                run=self._run,
                turn=self._run.turns + 1,
                cause=OVERLOADED,
                status=529,
                retry_at=retry_at,
                created_at=self.clock,
            )
            self.clock = retry_at or self.clock
        self._run.state, self._run.reason, self._run.detail = RunState.FAILED, Reason.GAVE_UP, GIVEN_UP

    def _add(self, role: str, content: list[dict[str, Any]], **more: Any) -> Message:
        message = Message(
            run=self._run, seq=len(self._messages) + 1, role=role, content=content, created_at=self.clock, **more
        )
        self._messages.append(message)
        return message
