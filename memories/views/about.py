"""What stands beside a file: its length, who read it, where its lines came from."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count
from django.http import HttpRequest
from django.utils import timezone

from memdash.web import formats
from memories.actors import ActorKind
from memories.models import MemoryEntry, ReadEvent
from memories.text import VIEW
from memories.views.authors import Authors
from memories.views.causes import Cause, Causes
from memories.views.figures import about_tokens
from memories.views.sources import Source, Sources, versions_of

READS: Final = 5
READ_DAYS: Final = 30
SOURCES: Final = 6


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
class Origins:
    """Where the lines of a file came from: ``count`` versions, the newest of them listed."""

    listed: tuple[Source, ...]
    count: int

    @property
    def more(self) -> int:
        """How many are not listed."""
        return self.count - len(self.listed)


@dataclass(frozen=True, slots=True)
class About:
    """The facts of a file's about pane. ``origins`` are unknown for an image and where there are too many versions."""

    length: Length | None
    reads: Reads
    origins: Origins | None
    changed: Cause


def about(request: HttpRequest, entry: MemoryEntry, text: str | None, authors: Authors | None) -> About:
    """Return the facts about a file; ``text`` is None for an image.

    Three queries, and those of whoever knows the runs.
    """
    looks = ReadEvent.objects.filter(entry=entry, actor_kind__in=(ActorKind.AGENT, ActorKind.TOKEN))
    latest = list(looks.order_by("-read_at")[:READS])
    counts = looks.filter(read_at__gt=timezone.now() - timedelta(days=READ_DAYS)).aggregate(
        reads=Count("id"), runs=Count("run_id", distinct=True)
    )
    wrote = sorted(authors.counts, reverse=True) if authors else []
    versions = versions_of(entry, {entry.version, *wrote[:SOURCES]})
    causes = Causes(request, [*latest, *versions])
    return About(
        length=Length.of(text, entry.size) if text is not None else None,
        reads=Reads(tuple(Look(causes.of(read), read.read_at) for read in latest), counts["reads"], counts["runs"]),
        origins=Origins(tuple(Sources(authors, versions, causes)), len(wrote)) if authors else None,
        changed=next(causes.of(version) for version in versions if version.number == entry.version),
    )
