"""What an act did to each file, and what happened to the file since: all that a plan to take it back has to know."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from django.db.models import QuerySet, Sum

from memories.diffs import Hunk, attributed
from memories.diffs.authorship import Step
from memories.models import Blob, ChangeSet, MemoryEntry, MemoryVersion, Operation, State
from memories.models.entries import Media
from memories.refusals import Refused
from memories.store import blobs

T = TypeVar("T")

FILES: Final = 10_000
"""Files that one undo takes back at most."""

VERSIONS: Final = 100_000
"""Versions that those files may have had since the act began."""

TEXTS: Final = 8
"""Contents kept at hand; each may have 1 MiB."""

BATCH: Final = 200
"""Files or paths that one statement asks for."""

Content = Callable[[int | None], bytes]
"""Gives the bytes of a blob by its id; nothing where there is none, as in a deletion."""


class TooMuch(Refused):
    """The act reaches further than one undo does."""


@dataclass(frozen=True, slots=True)
class Trail:
    """One file that the act changed; ``made`` are the numbers of the act's versions, in order.

    ``before`` is the version the act found; None where it made the file. ``moved`` says whether the act gave it another
    path, and ``deleted`` whether the act's last version took it away.
    """

    entry: MemoryEntry
    before: MemoryVersion | None
    made: tuple[int, ...]
    moved: bool
    deleted: bool

    @property
    def is_live(self) -> bool:
        """Say whether the file is there now."""
        return self.entry.state == State.LIVE

    @property
    def is_purged(self) -> bool:
        """Say whether nothing of the file can ever come back."""
        return self.entry.state == State.PURGED

    @property
    def was_live(self) -> bool:
        """Say whether the file was there when the act found it."""
        return self.before is not None and self.before.operation != Operation.DELETED

    @property
    def is_image(self) -> bool:
        """Say whether the file holds an image now, in which no lines are left of anybody."""
        return self.entry.media != Media.TEXT

    @property
    def last_later(self) -> int:
        """Return the number of the newest version that others made after the act's first; 0 where there is none."""
        number = self.entry.version
        for own in reversed(self.made):
            if own != number:
                return number
            number -= 1
        return 0

    def segments(self) -> list[tuple[int, int]]:
        """Return the act's unbroken rows of versions, newest first: the version each row found, and its last one."""
        rows: list[tuple[int, int]] = []
        for number in self.made:
            if rows and rows[-1][1] == number - 1:
                rows[-1] = (rows[-1][0], number)
            else:
                rows.append((number - 1, number))
        return rows[::-1]

    def versions(self, numbers: Iterable[int]) -> Mapping[int, MemoryVersion]:
        """Return versions of the file by their numbers; one query."""
        found = MemoryVersion.objects.filter(entry=self.entry, number__in=list(numbers)).defer("spans")
        return {version.number: version for version in found}

    def moved_later(self) -> bool:
        """Say whether others gave the file another path since; one query."""
        return self._since().filter(moved_from__gt="").exclude(number__in=self.made).exists()

    def lines_since(self) -> int:
        """Return how many lines the versions since the act's first have together; one query."""
        lines: int | None = self._since().aggregate(lines=Sum("lines"))["lines"]
        return lines or 0

    def remaining(self) -> bool:
        """Say whether a line that the act wrote, or brought back, is still in the file; one query."""
        mine = set(self.made)
        found = Step(0, (Hunk(0, 0, 0, self.before.lines if self.before else 0),))
        rows = self._since().order_by("number").values_list("number", "spans", "origin")
        steps = [
            # A line that the act brought back counts as its own here, whoever wrote it once.
            Step(number, tuple(Hunk(*(span[:4] if number in mine else span)) for span in spans), origin)
            for number, spans, origin in rows
        ]
        return not mine.isdisjoint(attributed([found, *steps]))

    def _since(self) -> QuerySet[MemoryVersion]:
        return MemoryVersion.objects.filter(entry=self.entry, number__gte=self.made[0])


@dataclass(slots=True)
class _Made:
    """The act's versions of one file, as they are read."""

    numbers: list[int]
    moved: bool = False
    deleted: bool = False


def trails_of(change_set: ChangeSet) -> list[Trail]:
    """Return what the act did, file by file in the order of their paths.

    A query, one for each 200 files, and one for each 200 that had as many versions before.

    Raises TooMuch, which names the limit, when the files or their versions since are too many for one undo.
    """
    made = _made(change_set)
    entries: dict[int, MemoryEntry] = {}
    for some in batches(made):
        entries |= MemoryEntry.objects.in_bulk(some)
    since = sum(entries[pk].version - own.numbers[0] + 1 for pk, own in made.items())
    if since > VERSIONS:
        raise TooMuch(too_much(f"The files that this changed have had {since:,} versions since", VERSIONS, "versions"))
    before = _before(made)
    trails = [
        Trail(entries[pk], before.get(pk), tuple(own.numbers), own.moved, own.deleted) for pk, own in made.items()
    ]
    return sorted(trails, key=lambda trail: trail.entry.path)


def versions_of(change_set: ChangeSet) -> QuerySet[MemoryVersion]:
    """Return the versions that the act made, in order."""
    versions = MemoryVersion.objects.filter(store=change_set.store_id, change_set=change_set).order_by("seq")
    # Change sets have no index of their own: every version would pay for it. A run's versions have one.
    if change_set.run_id:
        return versions.filter(run_id=change_set.run_id)
    return versions.filter(seq__gte=change_set.first_seq) if change_set.first_seq else versions.none()


def contents_of(store_id: int) -> Content:
    """Return a function that gives the bytes of blobs of this store."""

    @lru_cache(maxsize=TEXTS)
    def read(blob_id: int) -> bytes:
        blob = Blob.objects.get(pk=blob_id, store=store_id)
        return blobs.unpack(blob.encoding, blob.data)

    return lambda blob_id: read(blob_id) if blob_id else b""


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield the values, as many at a time as one statement takes."""
    rest = iter(values)
    while some := list(islice(rest, BATCH)):
        yield some


def _made(change_set: ChangeSet) -> dict[int, _Made]:
    made: dict[int, _Made] = {}
    rows = versions_of(change_set).values_list("entry_id", "number", "operation", "moved_from")
    for count, (pk, number, operation, moved_from) in enumerate(rows[: VERSIONS + 1].iterator(), 1):
        own = made.setdefault(pk, _Made([]))
        own.numbers.append(number)
        own.moved |= bool(moved_from)
        own.deleted = operation == Operation.DELETED
        if count > VERSIONS:
            raise TooMuch(too_much(f"This made more than {VERSIONS:,} versions", VERSIONS, "versions"))
    if len(made) > FILES:
        raise TooMuch(too_much(f"This changed {len(made):,} files", FILES, "files"))
    return made


def _before(made: Mapping[int, _Made]) -> dict[int, MemoryVersion]:
    """Return for each file the version that the act found."""
    by_number: dict[int, list[int]] = defaultdict(list)
    for pk, own in made.items():
        by_number[own.numbers[0] - 1].append(pk)
    by_number.pop(0, None)
    return {
        version.entry_id: version
        for number, files in by_number.items()
        for some in batches(files)
        for version in MemoryVersion.objects.filter(entry__in=some, number=number).defer("spans")
    }


def too_much(fact: str, limit: int, what: str) -> str:
    return (
        f"{fact}, and one undo takes {limit:,} {what} at most. Nothing was undone."
        " Bring back the files that matter one by one, from their histories."
    )
