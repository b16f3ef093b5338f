"""What can be done to many files at once: a table to which a verb is one row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memories.actors import Actor
from memories.bulk.moving import moved
from memories.bulk.plans import Ask, Chosen, Row, Verdict
from memories.commands import Command, DeleteFiles, MarkFiles, MoveFiles
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.store import Outcome, Transaction

Judge = Callable[[MemoryStore, Sequence[Chosen], Ask], list[Row]]
"""Says what would become of each file; raises AskMissing when something has to be said first."""

Act = Callable[[Transaction, Sequence[Row], Ask, Actor], Outcome]
"""Does it to the files whose rows say that they change, in one change set."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that can be done to files; ``done`` says that it was, of "12 files".

    ``doing`` is the button of the page that shows what would happen. ``fields`` are what the person has to say beside
    the files, and ``form`` the template that asks for it. Without an ``act`` nothing changes: files are only handed
    out, which whoever may read them may do.
    """

    key: str
    label: str
    icon: str
    doing: str
    done: str
    judge: Judge
    act: Act | None = None
    fields: tuple[str, ...] = ()
    form: str = ""

    @property
    def changes(self) -> bool:
        """Say whether it changes the store, which not everybody may."""
        return self.act is not None


def _mark(name: str, on: bool) -> tuple[Judge, Act]:
    so = name if on else f"not {name}"

    def judge(_memory: MemoryStore, chosen: Sequence[Chosen], _ask: Ask) -> list[Row]:
        return [
            Row(file, Verdict.SO, f"{so} already") if getattr(file, name) is on else Row(file, Verdict.CHANGES)
            for file in chosen
        ]

    return judge, _by(lambda rows: MarkFiles(tuple(row.file.meant for row in rows), name, on))


def _deleted(_memory: MemoryStore, chosen: Sequence[Chosen], _ask: Ask) -> list[Row]:
    return [Row(file, Verdict.REFUSED, "locked") if file.locked else Row(file, Verdict.CHANGES) for file in chosen]


def _exported(_memory: MemoryStore, chosen: Sequence[Chosen], _ask: Ask) -> list[Row]:
    return [Row(file, Verdict.CHANGES) for file in chosen]


def _by(command: Callable[[Sequence[Row]], Command]) -> Act:
    return lambda tx, rows, _ask, actor: tx.apply(command(rows), actor=actor)


_PIN, _UNPIN = _mark("pinned", True), _mark("pinned", False)
_LOCK, _UNLOCK = _mark("locked", True), _mark("locked", False)
_MOVE = _by(lambda rows: MoveFiles(tuple((row.file.meant, MemoryPath(row.to)) for row in rows)))
_DELETE = _by(lambda rows: DeleteFiles(tuple(row.file.meant for row in rows)))

VERBS: Final = MappingProxyType(
    {
        verb.key: verb
        for verb in (
            Verb("move", "Move", "right", "Move {files}", "Moved {files}.", moved, _MOVE, ("to", "keep"),
                 "memories/bulk_move.html"),
            Verb("pin", "Pin", "pin", "Pin {files}", "Pinned {files}.", *_PIN),
            Verb("unpin", "Unpin", "pin", "Unpin {files}", "Unpinned {files}.", *_UNPIN),
            Verb("lock", "Lock", "lock", "Lock {files}", "Locked {files}. Agents may read and not change.", *_LOCK),
            Verb("unlock", "Unlock", "lock", "Unlock {files}", "Unlocked {files}.", *_UNLOCK),
            Verb("delete", "Delete", "trash", "Delete {files}", "Deleted {files}.", _deleted, _DELETE),
            Verb("export", "Export", "download", "Download {files}", "", _exported),
        )
    }
)  # fmt: skip
"""By their keys, in the order of their buttons."""
