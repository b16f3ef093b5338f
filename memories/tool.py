"""The memory tool: what answers a model's call, to the letter of its specification.

Nothing a model can send raises. What does leave is a database that cannot be reached and a task that has to stop, since
an answer would turn either into something the model did.
"""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from billiard.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, transaction

from memories import moments, replies, store
from memories.actors import Actor
from memories.commands import Answer, View
from memories.inputs import command_of
from memories.models import MemoryStore
from memories.refusals import Refused
from memories.store import Outcome, Read, Transaction, Written

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a tool call, the versions it made and what it showed."""

    content: Answer
    is_error: bool = False
    versions: tuple[Written, ...] = ()
    reads: tuple[Read, ...] = ()


def execute(memory: MemoryStore, raw_input: object, actor: Actor) -> Result:
    """Answer one call of the memory tool, in a transaction of its own where it may change something.

    Given again under the same ``actor.dedupe_key``, a call is answered as the first time and changes nothing.
    """

    def act() -> Outcome:
        command = command_of(raw_input)
        if isinstance(command, View) and actor.run_id is None and actor.dedupe_key is None:
            return store.look(memory.pk, command, actor=actor)
        return store.apply(memory.pk, command, actor=actor)

    return _answered(act)


def execute_within(tx: Transaction, raw_input: object, actor: Actor) -> Result:
    """Answer one call inside an open ``store.locked``, so that its effect and the caller's own rows are one.

    After an unexpected error nothing of the call is left in the transaction, which goes on.
    """

    def act() -> Outcome | Refused:
        command = command_of(raw_input)
        with transaction.atomic():
            return tx.attempt(command, actor=actor)

    return _answered(act)


def look(memory: MemoryStore, path: str, view_range: list[int] | None = None, *, at: int | None = None) -> Result:
    """Return exactly what ``view`` would answer now, or would have answered at the moment ``at``.

    Looking leaves no trace and is no access.
    """
    raw_input = {"command": "view", "path": path, "view_range": view_range}

    def act() -> Outcome:
        command = command_of(raw_input)
        if at is None or not isinstance(command, View):
            return store.look(memory.pk, command, actor=None)
        return Outcome(command.run(moments.seen_at(memory, at, command.path)).answer)

    return _answered(act)


def _answered(act: Callable[[], Outcome | Refused]) -> Result:
    try:
        outcome = act()
    except Refused as refusal:
        outcome = refusal
    except (OperationalError, InterfaceError, SoftTimeLimitExceeded):
        raise
    except Exception:
        reference = secrets.token_hex(2)
        log.exception("tool call failed, ref %s", reference)
        return Result(replies.internal_error(reference), is_error=True)
    if isinstance(outcome, Refused):
        return Result(str(outcome), is_error=True)
    return Result(outcome.answer, versions=outcome.versions, reads=outcome.reads)
