"""What a store would answer, without a lock and without writing."""

from uuid import UUID

from memories import policies
from memories.actors import Actor
from memories.commands import ImportFile, Put, Snapshot, Totals
from memories.models import MemoryStore
from memories.store.loading import load
from memories.store.records import Outcome, Written
from memories.store.sql import Sql


class Rehearsal:
    """Stands in for a transaction in a dry run; what it let pass counts against the store's limits from then on."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._files = 0
        self._bytes = 0

    def apply(self, command: ImportFile, *, actor: Actor) -> Outcome:
        """Return what the store would answer, with the version it would make; raise Refused if it would refuse."""
        seen = self._seen(command)
        effects = command.run(seen)
        policies.check(effects, seen, actor)
        versions = []
        for put in effects.changes:
            assert isinstance(put, Put)
            self._files += put.entry is None
            self._bytes += len(put.data) - (put.entry.size if put.entry else 0)
            number = put.entry.version + 1 if put.entry else 1
            versions.append(Written(UUID(int=0), 0, number, 0, put.operation, put.path.text, size=len(put.data)))
        return Outcome(effects.answer, tuple(versions))

    def _seen(self, command: ImportFile) -> Snapshot:
        if self._store._state.adding:
            limits = (self._store.max_file_bytes, self._store.max_files, self._store.max_bytes)
            return Snapshot(Totals(0, self._files, self._bytes, *limits, create_overwrites=False, recorded_at=None), {})
        seen = load(Sql(), self._store.pk, command.covers())
        grown = seen.totals._replace(files=seen.totals.files + self._files, bytes=seen.totals.bytes + self._bytes)
        return seen._replace(totals=grown)
