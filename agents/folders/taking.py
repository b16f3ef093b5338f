"""Changes of a folder on their way into the store, a batch in one transaction with what is remembered of the folder."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from uuid import uuid4

from django.db import transaction

from agents.folders.claims import Claim
from agents.folders.matching import Known
from agents.models import FolderFile, WatchedFolder
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Delete, ImportFile, Rename
from memories.models import Kind, MemoryEntry, MemoryVersion, State
from memories.paths import MemoryPath
from memories.refusals import Locked, Paused, Refused
from memories.transfer.source import Found

LABEL: Final = "folder"


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one file: it holds ``found`` now, or is gone; ``known`` is what the folder held before.

    With ``came_from`` it lay there before.
    """

    path: str
    known: Known | None
    found: Found | None = None
    sha256: str = ""
    inode: str = ""
    came_from: str = ""


class Taken(NamedTuple):
    """What came of a change: the number of the version that it made, if any, or why it could not be taken."""

    change: Change
    version: int | None = None
    note: str = ""
    refused: str = ""


class _There(NamedTuple):
    """A live file of the store."""

    id: int
    sha256: str
    version: int


def take(folder: WatchedFolder, claim: Claim, changes: Sequence[Change], *, reason: str = "") -> list[Taken]:
    """Take the changes, each as versions of its own, as one act of the folder; say what came of each.

    Raises ClaimLost, and Busy when others keep the store for too long; nothing is taken then.
    """
    store_id = folder.agent.store_id
    actor = Actor(ActorKind.FOLDER, LABEL, agent_id=folder.agent_id, change_set=f"folder:{uuid4()}", reason=reason)
    with memory.locked(store_id, before=claim.hold) as tx:
        batch = _Batch(tx, actor, store_id, changes)
        taken = [batch.take(change) for change in changes]
        _remember(folder, taken)
    return taken


class _Batch:
    """What the store has at the paths of a batch, and how one change after the other is made there."""

    def __init__(self, tx: memory.Transaction, actor: Actor, store_id: int, changes: Sequence[Change]) -> None:
        self._tx, self._actor, self._store_id = tx, actor, store_id
        paths = [MemoryPath(path) for change in changes for path in (change.path, change.came_from) if path]
        files = MemoryEntry.objects.filter(store_id=store_id, kind=Kind.FILE).at(*paths)
        rows = files.values_list("path", "pk", "blob__sha256", "version")
        self._there = {path: _There(pk, digest, version) for path, pk, digest, version in rows}
        unknown = [change.path for change in changes if change.known is None and not change.came_from]
        self._gone = _taken_away(store_id, [path for path in unknown if path not in self._there])

    def take(self, change: Change) -> Taken:
        """Make the change, whole or not at all, and return what came of it."""
        try:
            if change.found is None:
                return self._delete(change)
            if change.came_from in self._there:
                # Of several acts: refused at one, the file stays whole where it was.
                with transaction.atomic():
                    return self._rename(change, change.found)
            return self._write(change, change.found)
        except Refused as refusal:
            return Taken(change, refused=str(refusal).removeprefix("Error: "))

    def _delete(self, change: Change) -> Taken:
        there = self._there.get(change.path)
        if there is None:
            return Taken(change)
        actor, note = self._over(change, there)
        return self._made(change, Delete(MemoryPath(change.path)), actor, note)

    def _rename(self, change: Change, found: Found) -> Taken:
        old = MemoryPath(change.came_from)
        try:
            renamed = self._made(change, Rename(old, found.path), self._actor)
        except (Locked, Paused):
            raise
        except Refused:
            # Something of the store's own stands in the way: the file goes here and comes there.
            self._made(change, Delete(old), self._actor)
            return self._write(replace(change, known=None), found)
        if change.known and change.known.sha256 == change.sha256:
            return renamed
        return self._made(change, ImportFile(found.path, found.data), replace(self._actor, authored_at=found.modified))

    def _write(self, change: Change, found: Found) -> Taken:
        there = self._there.get(change.path)
        if change.known is None and (kept := self._left_alone(change, there)):
            return Taken(change, note=kept)
        actor, note = self._over(change, there) if there else (self._actor, "")
        if there is None and change.known:
            note = "it had been taken away here"
        actor = replace(actor, authored_at=found.modified)
        return self._made(change, ImportFile(found.path, found.data), actor, note)

    def _made(self, change: Change, command: Delete | Rename | ImportFile, actor: Actor, note: str = "") -> Taken:
        versions = self._tx.apply(command, actor=actor).versions
        return Taken(change, versions[-1].number, note) if versions else Taken(change)

    def _over(self, change: Change, there: _There) -> tuple[Actor, str]:
        """Return who acts, and a note when the store's file is not the one that the folder knew.

        Such a change is an act of its own, so that it says what it went over and can be taken back alone.
        """
        if there.sha256 == change.sha256 or (change.known and there.sha256 == change.known.sha256):
            return self._actor, ""
        label = MemoryVersion.objects.filter(entry=there.id, number=there.version).values_list("actor_label", flat=True)
        over = f"over version {there.version:,} by {label.get()}"
        reason = f"The folder's change, {over}, which the folder did not know."
        return replace(self._actor, change_set="", reason=reason), over

    def _left_alone(self, change: Change, there: _There | None) -> str:
        """Return why a file that is met for the first time is not taken: the store had it, and somebody went on."""
        if there is None:
            digests, words = self._gone.get(change.path, (frozenset(), ""))
            return words if change.sha256 in digests else ""
        if there.sha256 == change.sha256:
            return ""
        versions = MemoryVersion.objects.filter(entry=there.id).order_by("-number")
        had = versions.filter(sha256=change.sha256).values_list("number", flat=True).first()
        ours = versions.filter(actor_kind=ActorKind.FOLDER).values_list("number", flat=True).first()
        if had is None or had < (ours or 0):
            return ""
        return f"the store had this as version {had:,} and has changed it since"


def _taken_away(store_id: int, paths: Sequence[str]) -> Mapping[str, tuple[frozenset[str], str]]:
    """Return for paths from which somebody else took a file away what it had held there, and what became of it."""
    if not paths:
        return {}
    away: dict[str, tuple[frozenset[str], str]] = {}
    moved = MemoryVersion.objects.filter(store_id=store_id, moved_from__in=paths).exclude(actor_kind=ActorKind.FOLDER)
    for path, digest, to in moved.order_by("seq").values_list("moved_from", "sha256", "path"):
        away[path] = (frozenset([digest]), f"it was renamed here to {to}")
    trash = MemoryEntry.objects.filter(store_id=store_id, state=State.TRASH, path__in=paths).order_by("changed_seq")
    deleted = dict(trash.values_list("path", "pk"))
    versions = MemoryVersion.objects.filter(entry__in=deleted.values()).order_by("number")
    held: dict[int, set[str]] = {pk: set() for pk in deleted.values()}
    kinds: dict[int, str] = {}
    for pk, digest, kind in versions.values_list("entry_id", "sha256", "actor_kind"):
        held[pk].add(digest)
        kinds[pk] = kind
    for path, pk in deleted.items():
        if kinds.get(pk) != ActorKind.FOLDER:
            away[path] = (frozenset(held[pk] - {""}), "it was deleted here")
    return away


def _remember(folder: WatchedFolder, taken: Iterable[Taken]) -> None:
    """Keep what the folder holds now of what was taken, or was found to need no taking."""
    left, held = [], []
    for each in taken:
        change = each.change
        if each.refused:
            continue
        if change.came_from:
            left.append(change.came_from)
        if change.found is None:
            left.append(change.path)
        else:
            held.append(FolderFile(folder=folder, path=change.path, sha256=change.sha256, inode=change.inode))
    if left:
        folder.files.filter(path__in=left).delete()
    if held:
        FolderFile.objects.bulk_create(
            held,
            update_conflicts=True,
            unique_fields=["folder", "path"],
            update_fields=["sha256", "inode", "missing_since"],
        )
