"""What an act did to each file, and what happened to the file since: all that a plan to take it back has to know."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.db.models import QuerySet

from memories.diffs import Hunk, attributed
from memories.diffs.authorship import Step
from memories.models import Blob, ChangeSet, MemoryEntry, MemoryVersion, Operation, State
from memories.models.entries import Media
from memories.store import blobs

TEXTS: Final = 16
"""Texts kept at hand while one file is planned; each may have 1 MiB."""

Content = Callable[[MemoryVersion], bytes]


@dataclass(frozen=True, slots=True)
class Trail:
    """One file that the act changed: ``made`` are the act's versions, ``later`` those of others after its first.

    ``before`` is the version the act found; None where it made the file. All are in order.
    """

    entry: MemoryEntry
    before: MemoryVersion | None
    made: tuple[MemoryVersion, ...]
    later: tuple[MemoryVersion, ...]

    @property
    def is_live(self) -> bool:
        """Say whether the file is there now."""
        return self.entry.state == State.LIVE

    @property
    def was_live(self) -> bool:
        """Say whether the file was there when the act found it."""
        return self.before is not None and self.before.operation != Operation.DELETED

    @property
    def versions(self) -> tuple[MemoryVersion, ...]:
        """Return all versions from the act's first on, in order."""
        return tuple(sorted((*self.made, *self.later), key=lambda version: version.number))

    def remaining(self) -> bool:
        """Say whether a line that the act wrote, or brought back, is still in the file; one query."""
        mine = {version.number for version in self.made}
        rows = MemoryVersion.objects.filter(entry=self.entry).order_by("number")
        steps = [
            # A line that the act brought back counts as its own here, whoever wrote it once.
            Step(number, tuple(Hunk(*(span[:4] if number in mine else span)) for span in spans), origin)
            for number, spans, origin in rows.values_list("number", "spans", "origin")
        ]
        return not mine.isdisjoint(attributed(steps))


def trails_of(change_set: ChangeSet) -> list[Trail]:
    """Return what the act did, file by file in the order of their paths; three queries."""
    made: dict[int, list[MemoryVersion]] = defaultdict(list)
    for version in _versions_of(change_set):
        made[version.entry_id].append(version)
    entries = MemoryEntry.objects.in_bulk(made)
    around = _around(made)
    trails = [_trail(entries[entry_id], versions, around[entry_id]) for entry_id, versions in made.items()]
    return sorted(trails, key=lambda trail: trail.entry.path)


def _versions_of(change_set: ChangeSet) -> QuerySet[MemoryVersion]:
    versions = MemoryVersion.objects.filter(store=change_set.store_id, change_set=change_set).order_by("seq")
    # Change sets have no index of their own: every version would pay for it. A run's versions have one.
    if change_set.run_id:
        return versions.filter(run_id=change_set.run_id)
    return versions.filter(seq__gte=change_set.first_seq or 0)


def contents_of(store_id: int) -> Content:
    """Return a function that gives the bytes of a version of this store; nothing for a deletion."""

    @lru_cache(maxsize=TEXTS)
    def read(blob_id: int) -> bytes:
        blob = Blob.objects.get(pk=blob_id, store=store_id)
        return blobs.unpack(blob.encoding, blob.data)

    return lambda version: read(version.blob_id) if version.blob_id else b""


def is_text(*versions: MemoryVersion | None) -> bool:
    """Say whether all of these hold text that can be merged; a deletion and an image hold none."""
    return all(version and version.blob_id and not version.redacted_at for version in versions)


def segments(trail: Trail) -> list[tuple[MemoryVersion, MemoryVersion]]:
    """Return the act's unbroken rows of versions, newest first: the version each row found, and its last one."""
    rows: list[tuple[MemoryVersion, MemoryVersion]] = []
    mine = {version.number for version in trail.made}
    found = trail.before
    for version in trail.versions:
        if version.number in mine and found:
            if rows and rows[-1][1].number == version.number - 1:
                rows[-1] = (rows[-1][0], version)
            else:
                rows.append((found, version))
        found = version
    return rows[::-1]


def _around(made: dict[int, list[MemoryVersion]]) -> dict[int, list[MemoryVersion]]:
    """Return for each file its versions from the one before the act's first."""
    around: dict[int, list[MemoryVersion]] = defaultdict(list)
    first = {entry_id: versions[0].number for entry_id, versions in made.items()}
    for version in MemoryVersion.objects.filter(entry__in=list(made)).order_by("number"):
        if version.number >= first[version.entry_id] - 1:
            around[version.entry_id].append(version)
    return around


def _trail(entry: MemoryEntry, made: Sequence[MemoryVersion], around: Sequence[MemoryVersion]) -> Trail:
    numbers = {version.number for version in made}
    before = next((version for version in around if version.number == made[0].number - 1), None)
    later = tuple(version for version in around if version.number > made[0].number and version.number not in numbers)
    return Trail(entry, before, tuple(made), later)


def is_image(trail: Trail) -> bool:
    """Say whether the file holds an image now, whose versions cannot be merged."""
    return trail.entry.media != Media.TEXT
