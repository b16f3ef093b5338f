"""What an act did, in words: for lists of acts, and for the page that takes one back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest

from memories import settings
from memories.models import ChangeSet, Marked, MemoryEntry, MemoryVersion, Operation
from memories.paths import MemoryPath
from memories.settings import Said
from memories.views.causes import Cause, Causes

VERBS: Final = {
    Operation.CREATED: "Created",
    Operation.MODIFIED: "Edited",
    Operation.RENAMED: "Renamed",
    Operation.DELETED: "Deleted",
    Operation.RESTORED: "Restored",
    Operation.PURGED: "Purged",
}
MARKS: Final = {
    ("pinned", True): "Pinned",
    ("pinned", False): "Unpinned",
    ("locked", True): "Locked",
    ("locked", False): "Unlocked",
    ("paused", True): "Paused changes by agents",
    ("paused", False): "Let agents write again",
}


@dataclass(slots=True)
class _Acted:
    actor_kind: str
    actor_label: str
    run_id: UUID | None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """An act: ``verb`` and ``path`` of its first change, whether there were more, and who did it.

    ``words`` are the labels or the note that it put on the file. Nothing brings back what is ``final``.
    An act on settings has no path; ``said`` is what it did. ``added`` and ``removed`` count lines, where it made one
    version alone.
    """

    change_set: ChangeSet
    verb: str
    path: str
    has_more: bool
    cause: Cause
    words: str = ""
    said: Said | None = None
    added: int = 0
    removed: int = 0

    @property
    def is_final(self) -> bool:
        return self.verb == VERBS[Operation.PURGED]

    @property
    def at(self) -> datetime:
        return self.change_set.authored_at or self.change_set.recorded_at

    @property
    def title(self) -> str:
        """What it is called in a heading: "run 128", or what was done in one line."""
        if self.cause.in_run:
            return self.cause.label[:1].lower() + self.cause.label[1:]
        if self.said:
            return f"“{' '.join(filter(None, (self.verb, self.said.name, self.said.rest)))}”"
        name = f" {MemoryPath(self.path).name}" if self.path else ""
        return f"“{self.verb}{name}{' and more' if self.has_more else ''}”"


def acts_of(request: HttpRequest, change_sets: Iterable[ChangeSet]) -> list[Act]:
    """Return the acts in the same order; at most three queries, however many there are."""
    change_sets = list(change_sets)
    first = _first_versions(change_sets)
    marked = MemoryEntry.objects.in_bulk(
        {pk for change_set in change_sets for pk, *_ in change_set.marks[:1] if pk is not None}
    )
    acted = {each.pk: _Acted(each.actor_kind, each.actor_label, each.run_id) for each in change_sets}
    causes = Causes(request, acted.values())
    acts = []
    for change_set in change_sets:
        versions = first.get(change_set.pk, ())
        verb, path, has_more, words = _words(change_set, versions, marked)
        spans = versions[0].spans if len(versions) == 1 else ()
        told = None
        if changes := settings.changes_of(change_set):
            told = settings.said(change_set.store, changes)
            verb, path, has_more = told.verb[:1].upper() + told.verb[1:], "", False
        cause, added, removed = causes.of(acted[change_set.pk]), sum(s[3] for s in spans), sum(s[1] for s in spans)
        acts.append(Act(change_set, verb, path, has_more, cause, words, told, added, removed))
    return acts


def _first_versions(change_sets: Sequence[ChangeSet]) -> dict[int, list[MemoryVersion]]:
    """Return the first two versions of each act where they follow one another, which tells whether there is more."""
    wanted = Q()
    for change_set in change_sets:
        if change_set.first_seq:
            seqs = (change_set.first_seq, change_set.first_seq + 1)
            wanted |= Q(store=change_set.store_id, seq__in=seqs)
    found: dict[int, list[MemoryVersion]] = {}
    for version in MemoryVersion.objects.filter(wanted).order_by("seq") if wanted else ():
        found.setdefault(version.change_set_id, []).append(version)
    return found


def _words(
    change_set: ChangeSet, versions: Sequence[MemoryVersion], marked: dict[int, MemoryEntry]
) -> tuple[str, str, bool, str]:
    if versions:
        first, *more = versions
        return VERBS[Operation(first.operation)], first.path, bool(more), ""
    for mark in change_set.marked[:1]:
        path = marked[mark.entry_id].path if mark.entry_id in marked else ""
        verb, words = _mark_words(mark)
        return verb, path, len(change_set.marks) > 1, words
    return "Changed files", "", False, ""


def _mark_words(mark: Marked) -> tuple[str, str]:
    """Return what a mark did, and the words it has; those of a file that was purged are gone with it."""
    if mark.name == "note":
        verb = "Changed the note on" if mark.before else "Put a note on"
        return ("Took the note off" if mark.before and not mark.after else verb), mark.after or ""
    if mark.name == "labels":
        before, after = set(mark.before or ()), set(mark.after or ())
        if before and after and not (before <= after or after <= before):
            return "Changed the labels of", ", ".join(sorted(after))
        if len(after) < len(before):
            return "Took labels off", ", ".join(sorted(before - after))
        return "Labelled", ", ".join(sorted(after - before))
    return MARKS[mark.name, mark.after], ""
