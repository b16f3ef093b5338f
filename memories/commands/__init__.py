"""What can be asked of a store, as pure functions: a snapshot goes in, effects come out.

``covers()`` says what a command has to see and ``run(snapshot)`` what shall happen; it raises Refused when nothing may.
"""

from typing import Protocol

from memories.commands.contents import JPEG, PNG
from memories.commands.edits import Create, ImportFile, Insert, Overwrite, StrReplace
from memories.commands.effects import Answer, Bring, Change, Effects, Look, Mark, Move, Put, Remove, Wipe
from memories.commands.many import DeleteFiles, MarkFiles, Meant, MoveFiles, Rewrite, RewriteFiles
from memories.commands.marks import Lock, Pause, Pin
from memories.commands.moves import Delete, Rename
from memories.commands.purges import Purge
from memories.commands.restores import Exactly, Restore, Undelete
from memories.commands.snapshot import TEXT, Covers, Entry, Listing, Looks, Several, Snapshot, Totals, Words
from memories.commands.view import View
from memories.commands.words import LABELS, Label, Note


class Command(Protocol):
    """One thing that can be asked; equal commands have equal ``repr``, which is how a repeated one is known."""

    def covers(self) -> Covers | Looks | Several:
        """Return what it has to see."""
        ...

    def run(self, seen: Snapshot) -> Effects:
        """Return its answer and what shall happen; raise Refused when nothing may."""
        ...


__all__ = [
    "JPEG",
    "LABELS",
    "PNG",
    "TEXT",
    "Answer",
    "Bring",
    "Change",
    "Command",
    "Covers",
    "Create",
    "Delete",
    "DeleteFiles",
    "Effects",
    "Entry",
    "Exactly",
    "ImportFile",
    "Insert",
    "Label",
    "Listing",
    "Lock",
    "Look",
    "Looks",
    "Mark",
    "MarkFiles",
    "Meant",
    "Move",
    "MoveFiles",
    "Note",
    "Overwrite",
    "Pause",
    "Pin",
    "Purge",
    "Put",
    "Remove",
    "Rename",
    "Restore",
    "Rewrite",
    "RewriteFiles",
    "Several",
    "Snapshot",
    "StrReplace",
    "Totals",
    "Undelete",
    "View",
    "Wipe",
    "Words",
]
