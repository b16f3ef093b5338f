"""What lies in a directory, as its page lists it."""

from dataclasses import dataclass
from typing import Final

from django.db.models import F, Q
from django.http import HttpRequest

from memories.models import MemoryEntry, MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.levels import Cursor, Level, Levels
from memories.views.marks import Eyes

PAGE_ROWS: Final = 100
LATEST: Final = 5


@dataclass(frozen=True, slots=True)
class Change:
    """A recent change in the store, with the address of its diff."""

    version: MemoryVersion
    cause: Cause
    url: str

    @property
    def name(self) -> str:
        return MemoryPath(self.version.path).relative


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory's page: one page of its rows, its sums and, for the root, what changed last in the store."""

    path: MemoryPath
    level: Level
    size: int
    file_count: int
    latest: tuple[Change, ...]
    previous: str
    following: str


def folder_page(
    request: HttpRequest, store: MemoryStore, entry: MemoryEntry | None, levels: Levels, path: MemoryPath
) -> Folder:
    """Return the page of a directory that ``?after=`` or ``?before=`` asks for; ``entry`` is None for the root."""
    before = Cursor.read(request.GET.get("before", ""))
    after = Cursor.read(request.GET.get("after", ""))
    level = levels.before(path, before, PAGE_ROWS) if before else levels.after(path, after, PAGE_ROWS)
    ahead = level.before or (Cursor.at(level.rows[0]) if after and level.rows else None)
    behind = level.after or (Cursor.at(level.rows[-1]) if before and level.rows else None)
    return Folder(
        path=path,
        level=level,
        size=entry.size if entry else store.byte_count,
        file_count=entry.file_count if entry else store.file_count,
        latest=_latest(request, store) if path.is_root else (),
        previous=addresses.files(store.slug, path.text, before=ahead) if ahead else "",
        following=addresses.files(store.slug, path.text, after=behind) if behind else "",
    )


def new_files(store: MemoryStore, eyes: Eyes) -> int:
    """Return how many files of the store have versions that the person has not seen."""
    entries = eyes.over(MemoryEntry.objects.filter(store=store, state=State.LIVE, changed_seq__gt=eyes.seen_seq))
    return entries.filter(Q(seen_version=None) | Q(seen_version__lt=F("version"))).count()


def trashed_in(store: MemoryStore) -> int:
    """Return how many files lie in the store's trash."""
    return MemoryEntry.objects.filter(store=store, state=State.TRASH).count()


def _latest(request: HttpRequest, store: MemoryStore) -> tuple[Change, ...]:
    versions = list(MemoryVersion.objects.filter(store=store).order_by("-seq")[:LATEST])
    causes = Causes(request, versions)
    return tuple(
        Change(version, causes.of(version), addresses.history(store.slug, version.path, v=version.number))
        for version in versions
    )
