"""Runs that are led elsewhere: the calls that come with a token, grouped by the session they name.

Each call is one transaction: the session's run, the change or the look, the ``ToolCall`` row and the answer.
"""

import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from django.utils import timezone

from agents.models import Agent, ApiToken, Run, RunState, ToolCall
from agents.runs.history import title_of
from agents.runs.recording import record
from agents.runs.texts import plain
from agents.tokens.use import count_call
from memories import replies, store, tool
from memories.actors import Actor, ActorKind
from memories.refusals import Busy
from memories.text import storable
from memories.tool import Result

ID: Final = 255
"""Characters of a session or a call's id that a row holds; longer ones, and what no row holds, are known by a hash."""

CAUSE: Final = 2_000
"""Characters of a cause that are kept."""

SOURCES: Final = 50
SOURCE: Final = 500
"""How much is kept of what an agent says it has read from outside: so many things, so many characters of each."""

ID_REUSED: Final = (
    "Error: this tool_use_id came before in this session, with another input; nothing was changed. Send a new id."
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the memory tool as a program elsewhere sends it; all but the input may be left out.

    Turns count from 1; 0 says the same as none.
    """

    input: dict[str, Any]
    session: str | None = None
    turn: int | None = None
    tool_use_id: str | None = None
    cause: str = ""
    agent: str = ""
    external: tuple[str, ...] = ()


def answer(token: ApiToken, call: Call, *, address: str = "") -> Result:
    """Execute ``call`` with the right of ``token``, in the run of its session if it names one, and return the answer.

    Sent again under the same ``tool_use_id`` it is answered as the first time and changes nothing; with another input
    that is refused.
    """
    runs: list[Run] = []

    def hold_run() -> None:
        if call.session is not None:
            runs.append(_held(token, call, call.session))

    try:
        with store.locked(token.store_id, before=hold_run) as tx:
            count_call(token, address)
            if not runs:
                return tool.execute_within(tx, call.input, _actor(token, call))
            return _answer_in(runs[0], tx, token, call)
    except Busy:
        return Result(replies.BUSY, is_error=True)


def _answer_in(run: Run, tx: store.Transaction, token: ApiToken, call: Call) -> Result:
    given = known_as(call.tool_use_id) if call.tool_use_id else ""
    if given and (earlier := _earlier(run, given)):
        same = _spelled(earlier.input) == _spelled(call.input)
        return Result(earlier.content, earlier.is_error) if same else Result(ID_REUSED, is_error=True)
    call_id = given or f"call-{uuid4()}"
    position = run.last_seq + 1
    began = time.perf_counter()
    came = tool.execute_within(tx, call.input, _actor(token, call, run, call_id))
    record(
        run,
        call_id,
        "memory",
        call.input,
        turn=call.turn or 0,
        position=position,
        content=came.content,
        is_error=came.is_error,
        versions=came.versions,
        milliseconds=(time.perf_counter() - began) * 1000,
        cause=plain(call.cause, CAUSE),
        external=[plain(source, SOURCE) for source in call.external[:SOURCES]],
    )
    # The calls are all there is to tell of, so that the place of one is its event's number too.
    Run.objects.filter(pk=run.pk).update(
        title=_title(call, run),
        turns=max(run.turns, call.turn or 0),
        last_seq=position,
        last_event=position,
        updated_at=timezone.now(),
    )
    return came


def _earlier(run: Run, call_id: str) -> ToolCall | None:
    try:
        return ToolCall.objects.get(run=run, tool_use_id=call_id)
    except ToolCall.DoesNotExist:
        return None


def known_as(name: str) -> str:
    """Return a session's or a call's name as a row holds it: itself, or its hash where a row cannot hold it."""
    if len(name) <= ID and storable(name):
        return name
    return f"sha256:{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()}"


def _held(token: ApiToken, call: Call, session: str) -> Run:
    """Return the run of the session, made if this is its first call, and hold its row."""
    of_session = Run.objects.select_for_update().filter(agent=token.agent_id, session=known_as(session))
    if run := of_session.first():
        return run
    # Two first calls at once: the agent's row lets one through, and the other finds the run it made.
    agent = Agent.objects.select_for_update().get(pk=token.agent_id)
    if run := of_session.first():
        return run
    agent.last_run_number += 1
    agent.save(update_fields=["last_run_number"])
    now = timezone.now()
    return Run.objects.create(
        agent=agent,
        number=agent.last_run_number,
        title=_first_title(call.cause, session),
        started_by=plain(token.name, ID),
        session=known_as(session),
        settings={},
        state=RunState.OUTSIDE,
        created_at=now,
        started_at=now,
        updated_at=now,
    )


def _actor(token: ApiToken, call: Call, run: Run | None = None, call_id: str = "") -> Actor:
    tool_use_id = call_id or (known_as(call.tool_use_id) if call.tool_use_id else "")
    return Actor(
        ActorKind.TOKEN,
        plain(call.agent, ID).strip() or token.agent.name,
        agent_id=token.agent_id,
        token_id=token.pk,
        run_id=run.uuid if run else None,
        turn=call.turn or None,
        tool_use_id=tool_use_id,
        # In a run the row of the call itself says what was answered.
        dedupe_key=f"token:{token.uuid}:{tool_use_id}" if tool_use_id and not run else None,
        change_set=f"run:{run.uuid}" if run else "",
    )


def _first_title(cause: str, session: str) -> str:
    return title_of(cause) if cause.strip() else plain(session, 200).strip() or "Session without a name"


def _title(call: Call, run: Run) -> str:
    """Return the run's title: what its first cause says, as soon as one comes."""
    untold = _first_title("", call.session or "")
    return title_of(call.cause) if run.title == untold and call.cause.strip() else run.title


def _spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True)
