"""The transaction in which a store changes, and the one function that changes it."""

from hashlib import sha256

from django.utils import timezone

from memories import policies, replies
from memories.actors import Actor
from memories.commands import Command
from memories.refusals import KeyReused, Refused
from memories.store import reads
from memories.store.loading import load
from memories.store.records import Outcome, Receipt
from memories.store.sql import Sql
from memories.store.writing import Writing

KEY = 255
"""Characters of a dedupe key that a receipt holds; a longer one is known by its hash."""


class Transaction:
    """An open transaction that holds the store; ``store.locked`` is the only way to one."""

    def __init__(self, store_id: int, sql: Sql) -> None:
        self.store_id = store_id
        self._sql = sql

    @classmethod
    def begin(cls, store_id: int, patience: float) -> "Transaction":
        """Lock the store's row, waiting ``patience`` seconds at most, and return the transaction over it."""
        sql = Sql()
        sql.lock_store(store_id, patience)
        return cls(store_id, sql)

    def apply(self, command: Command, *, actor: Actor) -> Outcome:
        """Run ``command`` on what is stored now and say what came of it; raise Refused if it may not happen.

        A refusal leaves the transaction fit for use: nothing of the command was written. Under ``actor.dedupe_key``
        the first outcome, a refusal too, is kept and given again; the same key with another command is refused.
        """
        outcome = self.attempt(command, actor=actor)
        if isinstance(outcome, Refused):
            raise outcome
        return outcome

    def attempt(self, command: Command, *, actor: Actor) -> Outcome | Refused:
        """Do as :meth:`apply` does, but return a refusal: raised, it would roll back the receipt that remembers it."""
        try:
            if actor.dedupe_key is None:
                return self._apply(command, actor)
            return self._once(actor.dedupe_key, command, actor)
        except Refused as refusal:
            return refusal

    def _once(self, key: str, command: Command, actor: Actor) -> Outcome:
        fingerprint = sha256(repr(command).encode()).hexdigest()
        if len(key) > KEY:
            key = sha256(key.encode()).hexdigest()
        if receipt := self._sql.receipt(self.store_id, key):
            return self._again(receipt, fingerprint)
        try:
            outcome = self._apply(command, actor)
        except Refused as refusal:
            self._keep(key, Receipt(fingerprint, str(refusal), True, None, None))
            raise
        seqs = [version.seq for version in outcome.versions]
        self._keep(key, Receipt(fingerprint, outcome.answer, False, min(seqs, default=None), max(seqs, default=None)))
        return outcome

    def _again(self, receipt: Receipt, fingerprint: str) -> Outcome:
        if receipt.fingerprint != fingerprint:
            raise KeyReused(replies.KEY_REUSED)
        if receipt.is_error:
            raise Refused(receipt.answer)
        if receipt.first_seq is None or receipt.last_seq is None:
            return Outcome(receipt.answer)
        return Outcome(receipt.answer, self._sql.versions_between(self.store_id, receipt.first_seq, receipt.last_seq))

    def _keep(self, key: str, receipt: Receipt) -> None:
        self._sql.add_receipt(self.store_id, key, receipt, self._sql.moment(timezone.now()))

    def _apply(self, command: Command, actor: Actor) -> Outcome:
        seen = load(self._sql, self.store_id, command.covers())
        effects = command.run(seen)
        policies.check(effects, seen, actor)
        if effects.changes:
            writing = Writing(self._sql, self.store_id, seen, actor)
            versions = writing.write(effects.changes)
            return Outcome(effects.answer, versions, change_set=writing.change_set)
        if effects.look is None:
            return Outcome(effects.answer)
        shown = reads.shown(effects.look, seen, self.store_id, actor)
        reads.record(self._sql, shown)
        return Outcome(effects.answer, reads=shown)
