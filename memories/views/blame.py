"""Who wrote what: a file's lines beside the versions they came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django.http import HttpRequest

from memdash.web import slots
from memories.actors import ActorKind
from memories.models import MemoryEntry
from memories.models.versions import ReviewState
from memories.views import addresses
from memories.views.authors import AGES, Authors
from memories.views.causes import Causes
from memories.views.numbers import number_in
from memories.views.places import Told
from memories.views.sources import Source, Sources, versions_of
from memories.views.texts import Line, Numbered, page_with

GROUP_HTML: Final = 520
"""What the markup of a source beside its lines takes at most."""

LISTED: Final = 12
"""How many sources are listed where none is picked."""

RANGES: Final = 8
REVIEWED: Final = {
    ReviewState.UNREVIEWED: "Not reviewed",
    ReviewState.REVIEWED: "Reviewed",
    ReviewState.REJECTED: "Rejected",
}
BY_PROGRAMS: Final = (ActorKind.AGENT, ActorKind.TOKEN, ActorKind.FOLDER)


@dataclass(frozen=True, slots=True)
class Group:
    """Lines of a page that stand together and came from one version; no ``source`` when that is not kept any more."""

    source: Source | None
    lines: tuple[Line, ...]
    picked: bool

    @property
    def age(self) -> int:
        return self.source.age if self.source else AGES


@dataclass(frozen=True, slots=True)
class Picked:
    """The source of which the third pane tells; ``line`` is the one that was asked for."""

    source: Source
    lines: str
    told: Told | None
    diff: str
    line: int | None = None

    @property
    def review(self) -> str:
        """What a person has said of it; nothing is said of what people did themselves."""
        by_program = self.source.version.actor_kind in BY_PROGRAMS
        return REVIEWED[ReviewState(self.source.version.review_state)] if by_program else ""


@dataclass(frozen=True, slots=True)
class Blame:
    """A page of a file's lines by source. ``count`` is how many sources the whole file has, some of them ``listed``."""

    page: Numbered
    groups: tuple[Group, ...]
    count: int
    picked: Picked | None
    listed: tuple[Source, ...]
    line: int | None

    @property
    def more(self) -> int:
        return self.count - len(self.listed)


def blame_of(request: HttpRequest, entry: MemoryEntry, text: str, authors: Authors) -> Blame:
    """Return the lines that an address asks for, each with its source.

    ``?from=`` names the first line, ``?line=`` one that shall be shown and whose source is picked, ``?version=`` picks
    a source itself.
    """
    line = number_in(request, "line")
    wanted = number_in(request, "version") or (authors.of(line) if line else None)
    first_line = next((each.first for each in authors.stretches() if each.version == wanted), None)
    page = page_with(
        text,
        number_in(request, "from"),
        line or first_line,
        beside=lambda number: 0 if authors.of(number) == authors.of(number - 1) else GROUP_HTML,
    )
    newest = sorted(authors.counts, reverse=True)[:LISTED]
    numbers = {*newest, *(authors.of(shown.number) for shown in page.lines), wanted or 0}
    versions = versions_of(entry, numbers)
    sources = Sources(authors, versions, Causes(request, versions))
    groups = (
        Group(sources.get(number), tuple(lines), number == wanted)
        for number, lines in groupby(page.lines, key=lambda shown: authors.of(shown.number))
    )
    return Blame(
        page,
        tuple(groups),
        len(authors.counts),
        picked_of(request, entry, authors, sources.get(wanted or 0), line),
        tuple(source for source in sources if source.number in newest),
        line,
    )


def picked_of(
    request: HttpRequest, entry: MemoryEntry, authors: Authors, source: Source | None, line: int | None
) -> Picked | None:
    """Return what the third pane tells of a source, None without one; queries only of whoever knows its run."""
    if source is None:
        return None
    stretches = [(each.first, each.last) for each in authors.stretches() if each.version == source.number]
    told = next(iter(slots.fill("change-told", request, version=source.version)), None)
    return Picked(
        source, lines_in_words(stretches), told, addresses.history(entry.store.slug, entry.path, v=source.number), line
    )


def lines_in_words(stretches: Sequence[tuple[int, int]]) -> str:
    """Return "Line 5", "Lines 9 and 15", "Lines 1 to 4, 6 and 8 to 12"; many are cut short with how many more."""
    if len(stretches) == 1 and stretches[0][0] == stretches[0][1]:
        return f"Line {stretches[0][0]:,}"
    parts = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in stretches[:RANGES]]
    left = sum(last - first + 1 for first, last in stretches[RANGES:])
    if left:
        parts.append(f"{left:,} more")
    return f"Lines {' and '.join([', '.join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)}"
