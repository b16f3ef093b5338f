"""The one way memory changes.

Whoever changes a store, be it the memory tool, a page, an import or a sweep, does it through :func:`apply`, or through
:func:`locked` when rows of its own belong into the same transaction.
"""

from memories.actors import Actor
from memories.commands import Command
from memories.refusals import Refused
from memories.store import reads
from memories.store.loading import StoreMissing, load
from memories.store.locking import locked, locked_together
from memories.store.records import Outcome, Read, Written
from memories.store.sql import Sql
from memories.store.stores import create_store, reads_go_unseen
from memories.store.transaction import Transaction


def apply(store_id: int, command: Command, *, actor: Actor) -> Outcome:
    """Run ``command`` on what is stored now and say what came of it; raise Refused if it may not happen.

    Applying again under the same ``actor.dedupe_key`` returns the outcome of the first time.
    """
    with locked(store_id) as tx:
        outcome = tx.attempt(command, actor=actor)
    if isinstance(outcome, Refused):
        raise outcome
    return outcome


def look(store_id: int, command: Command, *, actor: Actor | None) -> Outcome:
    """Run a command that changes nothing, without a lock; raise Refused if it has nothing to show.

    The look is recorded within seconds; without an ``actor`` it leaves no trace and is no access.
    """
    seen = load(Sql(), store_id, command.covers())
    effects = command.run(seen)
    if effects.changes:
        raise TypeError(f"{type(command).__name__} is not a command that only looks.")
    shown = reads.shown(effects.look, seen, store_id, actor) if actor and effects.look else ()
    reads.buffer.add(shown)
    return Outcome(effects.answer, reads=shown)


__all__ = [
    "Outcome",
    "Read",
    "StoreMissing",
    "Transaction",
    "Written",
    "apply",
    "create_store",
    "locked",
    "locked_together",
    "look",
    "reads",
    "reads_go_unseen",
]
