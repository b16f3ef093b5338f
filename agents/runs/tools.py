"""Tool calls of an answer: each changes memory, and is recorded, in one transaction of its own."""

import time
from typing import Any

from django.utils import timezone

from agents.models import Message, Run, ToolCall
from agents.runs import events
from agents.runs.history import CANCELLED, CUT_OFF, USER, Block, result, tool_uses
from agents.runs.lease import Ended, Lease
from agents.runs.recording import record
from memories import store, tool
from memories.actors import Actor, ActorKind

MEMORY = "memory"


def answer_calls(lease: Lease, run: Run, answer: Message) -> None:
    """Execute the tool calls of ``answer`` that have no row yet, in order, and store all results in one message.

    After a cancel, the calls that are left are answered as not executed. A worker that is told to stop leaves them to
    the next one.
    """
    uses = tool_uses(answer)
    done = set(_calls(run, uses).values_list("tool_use_id", flat=True))
    for position, block in uses:
        if lease.ended is Ended.CANCELLED:
            break
        if lease.ended:
            return
        if block["id"] in done:
            continue
        if block["name"] == MEMORY:
            _execute(lease, run, answer.turn, position, block)
        else:
            _refuse(lease, run, answer.turn, position, block)
    calls = {
        call.tool_use_id: result(call.tool_use_id, call.content, is_error=call.is_error) for call in _calls(run, uses)
    }
    results = [calls.get(block["id"]) or result(block["id"], CANCELLED, is_error=True) for _, block in uses]
    _add_results(lease, run, answer.turn, results)


def answer_cut_off(lease: Lease, run: Run, answer: Message) -> None:
    """Say of each tool call in an answer that was cut off that it was not executed, so that the run can go on."""
    _add_results(
        lease, run, answer.turn, [result(block["id"], CUT_OFF, is_error=True) for _, block in tool_uses(answer)]
    )


def _add_results(lease: Lease, run: Run, turn: int, results: list[Block]) -> None:
    with lease.fenced(last_seq=run.last_seq + 1):
        Message.objects.create(
            run=run, seq=run.last_seq + 1, role=USER, content=results, turn=turn, created_at=timezone.now()
        )
        events.add(run.pk, events.Kind.MESSAGE, {"seq": run.last_seq + 1, "role": USER})


def _calls(run: Run, uses: list[tuple[int, Block]]) -> Any:
    return ToolCall.objects.filter(run=run, tool_use_id__in=[block["id"] for _, block in uses])


def _execute(lease: Lease, run: Run, turn: int, position: int, block: Block) -> None:
    actor = Actor(
        ActorKind.AGENT,
        run.agent.name,
        agent_id=run.agent_id,
        run_id=run.uuid,
        turn=turn,
        tool_use_id=block["id"],
        dedupe_key=f"{run.uuid}:{block['id']}",
        change_set=f"run:{run.uuid}",
    )
    began = time.perf_counter()
    # A new result is progress: tries are counted anew from here.
    with store.locked(run.agent.store_id, before=lambda: lease.write(attempts=1)) as tx:
        came = tool.execute_within(tx, block["input"], actor)
        milliseconds = (time.perf_counter() - began) * 1000
        _record(
            run,
            turn,
            position,
            block,
            content=came.content,
            is_error=came.is_error,
            versions=came.versions,
            milliseconds=milliseconds,
        )


def _refuse(lease: Lease, run: Run, turn: int, position: int, block: Block) -> None:
    content = f"Error: there is no tool named {block['name']}. The only tool is memory."
    with lease.fenced(attempts=1):
        _record(run, turn, position, block, content=content, is_error=True)


def _record(run: Run, turn: int, position: int, block: Block, **came: Any) -> None:
    call_id = block["id"]
    record(run, call_id, block["name"], block["input"], turn=turn, position=position, **came)
    events.add(run.pk, events.Kind.CALL, {"tool_use_id": call_id, "turn": turn, "position": position})
