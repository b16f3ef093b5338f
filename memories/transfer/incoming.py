"""Import: each file of a directory is taken, already there, or skipped with the reason."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from memories import store as memory
from memories.actors import Actor
from memories.commands import ImportFile
from memories.models import Kind, MemoryEntry, MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.transfer.rehearsal import Rehearsal
from memories.transfer.source import Found, Source

BATCH_FILES = 100
BATCH_BYTES = 4 * 1024 * 1024


class Fate(StrEnum):
    TAKEN = "taken"
    THERE = "already there"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one file: its name as it was found, and as which version it was taken or why it was not."""

    name: str
    fate: Fate
    note: str = ""


def bring_in(store: MemoryStore, source: Source, *, actor: Actor, dry_run: bool = False) -> Iterator[Report]:
    """Take the files of ``source`` into the store as one change set, each with its own time, and report on every one.

    A file that the store holds as it is, or held before it was changed here, is left alone, so importing again changes
    nothing. With ``dry_run`` nothing is written and the reports are the same; the store need not be saved then. The
    store is held for a batch of files at a time: an import that is cut off goes on where it was when it is begun again.
    """
    judge, rehearsal = _Judge(store), Rehearsal(store)
    for batch in _batches(source.files(store.max_file_bytes)):
        judged = [(found, judge.left_alone(found)) for found in batch]
        due = any(report is None for _, report in judged)
        with memory.locked(store.pk) if due and not dry_run else nullcontext(rehearsal) as tx:
            reports = [report or _take(tx, found, actor) for found, report in judged]
        yield from reports


def _take(tx: memory.Transaction | Rehearsal, found: Found, actor: Actor) -> Report:
    try:
        outcome = tx.apply(ImportFile(found.path, found.data), actor=replace(actor, authored_at=found.modified))
    except Refused as refusal:
        return Report(found.name, Fate.SKIPPED, str(refusal).removeprefix("Error: "))
    spelling = "" if found.path.relative == found.name else f"as {found.path}"
    return Report(found.name, Fate.TAKEN if outcome.versions else Fate.THERE, spelling)


class _Judge:
    """Says which files need not even be tried."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        files = MemoryEntry.objects.filter(store_id=store.pk, state=State.LIVE, kind=Kind.FILE)
        self._held = {path: (pk, digest) for pk, path, digest in files.values_list("pk", "path", "blob__sha256")}
        self._met: dict[MemoryPath, str] = {}

    def left_alone(self, found: Found) -> Report | None:
        """Return the report on a file that is not to be taken, or None."""
        if found.fault:
            return Report(found.name, Fate.SKIPPED, found.fault)
        if twin := self._met.get(found.path):
            return Report(found.name, Fate.SKIPPED, f"its path is that of {twin}, once letters are composed")
        self._met[found.path] = found.name
        if found.path.text not in self._held:
            return None
        entry_id, held = self._held[found.path.text]
        digest = sha256(found.data).hexdigest()
        if digest == held:
            return Report(found.name, Fate.THERE)
        versions = MemoryVersion.objects.filter(entry_id=entry_id, sha256=digest)
        if (number := versions.values_list("number", flat=True).order_by("-number").first()) is None:
            return None
        return Report(found.name, Fate.SKIPPED, f"the store had this as version {number} and has changed it since")


def _batches(files: Iterable[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    for found in files:
        batch.append(found)
        if len(batch) == BATCH_FILES or sum(len(each.data) for each in batch) > BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch
