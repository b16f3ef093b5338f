"""What stands beside a file: its length, who read it, where its lines came from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count
from django.http import HttpRequest
from django.utils import timezone

from memdash.web import formats
from memories.actors import ActorKind
from memories.diffs import Hunk, carried
from memories.models import MemoryEntry, MemoryVersion, ReadEvent
from memories.text import VIEW
from memories.views.causes import Cause, Causes
from memories.views.figures import about_tokens

READS: Final = 5
READ_DAYS: Final = 30
SOURCES: Final = 6

TRACED_VERSIONS: Final = 300
TRACED_LINES: Final = 5_000
"""Up to here each line is followed to the version it came from; beyond, the last change stands for all."""

VERBS: Final = {ActorKind.PERSON.value: "Edited by ", ActorKind.IMPORT.value: "Imported by "}
AGES: Final = 4
"""Shades in which sources are told apart, newest first."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long a text is for the agents that read it."""

    characters: int
    tokens: int
    share: str
    """Of what one view shows."""

    @classmethod
    def of(cls, text: str, size: int) -> "Length":
        """Return the length of a text of ``size`` bytes."""
        return cls(len(text), about_tokens(size), formats.share(len(text), VIEW))

    @property
    def fits(self) -> bool:
        """Say whether one view shows it whole."""
        return self.characters <= VIEW


@dataclass(frozen=True, slots=True)
class Look:
    """One read of the file by an agent."""

    cause: Cause
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Reads:
    """The latest reads, and how many reads and runs there were in the last 30 days."""

    latest: tuple[Look, ...]
    count: int
    runs: int


@dataclass(frozen=True, slots=True)
class Source:
    """A version that wrote lines of the file as it is now; ``age`` is its shade, 1 the newest."""

    version: MemoryVersion
    cause: Cause
    lines: int
    age: int

    @property
    def title(self) -> str:
        """What the change was about: the run's title, or who made it and how."""
        if self.cause.title:
            return self.cause.title
        return f"{VERBS.get(self.version.actor_kind, '')}{self.cause.label}"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the lines of a file came from, newest first. When not ``traced`` it is the last change alone."""

    listed: tuple[Source, ...]
    traced: bool
    more: int = 0


@dataclass(frozen=True, slots=True)
class About:
    """The facts of a file's about pane."""

    length: Length | None
    reads: Reads
    sources: Sources
    changed: Cause


def about(request: HttpRequest, entry: MemoryEntry, text: str | None) -> About:
    """Return the facts about a file; ``text`` is None for an image.

    Three queries, and those of whoever knows the runs.
    """
    looks = ReadEvent.objects.filter(entry=entry, actor_kind__in=(ActorKind.AGENT, ActorKind.TOKEN))
    latest = list(looks.order_by("-read_at")[:READS])
    counts = looks.filter(read_at__gt=timezone.now() - timedelta(days=READ_DAYS)).aggregate(
        reads=Count("id"), runs=Count("run_id", distinct=True)
    )
    versions = _versions(entry)
    causes = Causes(request, [*latest, *versions])
    return About(
        length=Length.of(text, entry.size) if text is not None else None,
        reads=Reads(tuple(Look(causes.of(read), read.read_at) for read in latest), counts["reads"], counts["runs"]),
        sources=_sources(versions, causes, traced=text is not None and _traceable(entry)),
        changed=causes.of(versions[0]),
    )


def _traceable(entry: MemoryEntry) -> bool:
    return entry.version <= TRACED_VERSIONS and entry.lines <= TRACED_LINES


def _versions(entry: MemoryEntry) -> list[MemoryVersion]:
    """Return the file's versions, newest first; the newest alone where there are too many to follow lines through."""
    versions = MemoryVersion.objects.filter(entry=entry).order_by("-number")
    return list(versions if _traceable(entry) else versions.filter(number=entry.version))


def _sources(versions: Sequence[MemoryVersion], causes: Causes, *, traced: bool) -> Sources:
    lines = _lines_by_version(versions) if traced else {}
    found = [version for version in versions if version.number in lines] or versions[:1]
    listed = tuple(
        Source(version, causes.of(version), lines.get(version.number, 0), min(place, AGES))
        for place, version in enumerate(found[:SOURCES], 1)
    )
    return Sources(listed, traced=bool(lines), more=len(found) - len(listed))


def _lines_by_version(versions: Sequence[MemoryVersion]) -> Counter[int]:
    """Return how many of the newest version's lines each version wrote, by its number."""
    origins: list[int] = []
    for version in reversed(versions):

        def wrote(_: int, number: int = version.number) -> int:
            return number

        origins = carried(origins, [Hunk(*span) for span in version.spans], wrote)
    return Counter(origins)
