"""Who read a line since it was written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from django.http import HttpRequest

from memories.actors import ActorKind
from memories.models import MemoryEntry, ReadEvent
from memories.text import lines_of
from memories.views.authors import Authors
from memories.views.blame import Picked, picked_of
from memories.views.causes import Cause, Causes
from memories.views.numbers import number_in
from memories.views.sources import Sources, versions_of
from memories.views.texts import Line, labelled

SCANNED: Final = 10_000
"""How many reads of a file are looked through, the newest first."""

PAGE_READERS: Final = 20
LOOKS: Final = 4
"""How many looks of one reader a page lists."""

FIELDS: Final = (
    *("actor_kind", "actor_label", "agent_id", "token_id", "run_id", "turn"),
    *("version", "first_line", "last_line", "read_at"),
)


class Read(Protocol):
    """A read event as it is looked through."""

    actor_kind: str
    actor_label: str
    agent_id: int | None
    token_id: int | None
    run_id: UUID | None
    turn: int | None
    version: int
    first_line: int | None
    last_line: int | None
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the line: in which turn, when, and at which version of the file."""

    cause: Cause
    turn: int | None
    version: int
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Reader:
    """A run, or who looked outside of one: the newest looks, and how many there were."""

    looks: tuple[Look, ...]
    count: int

    @property
    def cause(self) -> Cause:
        return self.looks[0].cause

    @property
    def more(self) -> int:
        return self.count - len(self.looks)


@dataclass(frozen=True, slots=True)
class Readers:
    """Who was shown a line since it was written, newest first, a page of them.

    ``whole`` says whether every read of the file was looked through. ``line`` is None when the file has no such line.
    """

    number: int
    total: int
    line: Line | None
    wrote: Picked | None
    listed: tuple[Reader, ...]
    count: int
    whole: bool
    page: int

    @property
    def newer(self) -> int | None:
        return self.page - 1 if self.page > 1 else None

    @property
    def older(self) -> int | None:
        return self.page + 1 if self.page * PAGE_READERS < self.count else None


def readers_of(request: HttpRequest, entry: MemoryEntry, text: str, authors: Authors) -> Readers:
    """Return who read the line that ``?line=`` names since it was written; ``?page=`` names a page of them.

    A look counts when what was shown held the line: the whole file, or a range with the line in it. Three queries, and
    those of whoever knows the runs.
    """
    lines, number, page = lines_of(text), number_in(request, "line") or 0, max(1, number_in(request, "page") or 1)
    if not 0 < number <= len(lines):
        return Readers(number, len(lines), None, None, (), 0, whole=True, page=1)
    places = authors.places(number)
    reads: Any = ReadEvent.objects.filter(
        entry=entry, actor_kind__in=(ActorKind.AGENT, ActorKind.TOKEN), version__gte=min(places, default=0)
    )
    scanned = list(reads.order_by("-read_at", "-id").values_list(*FIELDS, named=True)[: SCANNED + 1])
    grouped = _by_reader(scanned[:SCANNED], places)
    shown = list(grouped.values())[(page - 1) * PAGE_READERS : page * PAGE_READERS]
    versions = versions_of(entry, [authors.of(number)])
    causes = Causes(request, [*versions, *(read for found in shown for read in found[:LOOKS])])
    source = Sources(authors, versions, causes).get(authors.of(number))
    return Readers(
        number,
        len(lines),
        labelled(number, lines[number - 1]),
        picked_of(request, entry, authors, source, number),
        tuple(
            Reader(
                tuple(Look(causes.of(read), read.turn, read.version, read.read_at) for read in found[:LOOKS]),
                len(found),
            )
            for found in shown
        ),
        len(grouped),
        whole=len(scanned) <= SCANNED,
        page=page,
    )


def _by_reader(reads: Iterable[Read], places: Mapping[int, int]) -> dict[object, list[Read]]:
    """Return the reads that showed the line, by run or, outside of runs, by who looked; in the order given."""
    grouped: dict[object, list[Read]] = {}
    for read in reads:
        place = places.get(read.version)
        if place is None or not (read.first_line is None or read.first_line <= place <= (read.last_line or 0)):
            continue
        reader = read.run_id or (read.actor_kind, read.token_id, read.agent_id, read.actor_label)
        grouped.setdefault(reader, []).append(read)
    return grouped
