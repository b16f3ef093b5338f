"""What the search page shows of a file that matches: where it is, who changed it last, and the lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F
from django.utils.safestring import SafeString

from memdash.web import hidden_text
from memdash.web.html import joined
from memories.models import MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath
from memories.search.documents import text_of
from memories.search.engines import Hit
from memories.search.filters import Filters
from memories.search.finding import is_match
from memories.search.lines import Line, Lines, lines_with
from memories.search.queries import Query
from memories.search.scanning import held
from memories.views import addresses

LINES: Final = 3
LINE_HTML: Final = 2_000
PAGE_HTML: Final = 48_000
"""What the lines of a page may take together; the page around them needs the rest of the 100 KB."""

PAGE_CHARACTERS: Final = 2 * 1024 * 1024
"""Of how much text a page looks for lines."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line with its marks and the address that shows it in its file."""

    number: int
    html: SafeString
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A file, or what it held once, in the list of what was found."""

    store: MemoryStore
    path: SafeString
    url: str
    at: datetime
    who: str
    lines: tuple[ShownLine, ...]
    more: int
    is_long: bool
    """Whether only its beginning was looked through for lines."""
    state: str = State.LIVE
    pinned: bool = False
    number: int = 0
    """Of a version that is no longer the newest."""


class Room:
    """How much of a page is left for lines, and how much text may still be looked through for them."""

    def __init__(self) -> None:
        self.bytes, self.characters = PAGE_HTML, PAGE_CHARACTERS

    def lines(self, query: Query, text: str) -> Lines:
        """Return the lines of a text, none where there is no room."""
        if self.bytes <= 0 or self.characters <= 0:
            return Lines((), 0, not text)
        self.characters -= len(text)
        return lines_with(query, text, LINES)

    def shown(self, line: Line) -> SafeString:
        """Return a line with its marks, as much of it as there is room for."""
        text = hidden_text.beginning(line.text, LINE_HTML)
        html = joined(
            [
                "" if line.is_start else "…",
                hidden_text.marked(text, line.spans, starts=line.number == 1 and line.is_start),
                "" if line.is_end and text == line.text else "…",
            ]
        )
        self.bytes -= len(html.encode())
        return html


def shown_files(
    query: Query, filters: Filters, hits: Sequence[Hit], stores: Sequence[MemoryStore], room: Room
) -> list[Shown]:
    """Return the files of a page as they are now, in its order; one query.

    What no longer matches, since it was changed meanwhile, is left out.
    """
    known = {store.pk: store for store in stores}
    newest = MemoryVersion.objects.filter(entry__in=[hit.entry_id for hit in hits], seq=F("entry__changed_seq"))
    read = newest.select_related("entry__blob").defer("spans", "note")
    versions = {version.entry_id: version for version in read}
    found = [version for hit in hits if (version := versions.get(hit.entry_id))]
    return [
        _file(query, version, known[version.store_id], room) for version in found if is_match(query, filters, version)
    ]


def shown_versions(
    query: Query, versions: Sequence[MemoryVersion], stores: Sequence[MemoryStore], room: Room
) -> list[Shown]:
    """Return what files held once; the versions were read with their blobs."""
    known = {store.pk: store for store in stores}
    return [_version(query, version, known[version.store_id], room) for version in versions]


def _file(query: Query, version: MemoryVersion, store: MemoryStore, room: Room) -> Shown:
    entry = version.entry
    lines = room.lines(query, text_of(version))
    is_live = entry.state == State.LIVE
    url = addresses.files(store.slug, entry.path) if is_live else _history(store, version)
    return Shown(
        store,
        _path(query, entry.path),
        url,
        entry.updated_at,
        version.actor_label,
        tuple(
            ShownLine(
                line.number,
                room.shown(line),
                addresses.files(store.slug, entry.path, line=line.number) if is_live else url,
            )
            for line in lines.shown
        ),
        lines.more,
        not lines.is_whole,
        entry.state,
        entry.pinned,
    )


def _version(query: Query, version: MemoryVersion, store: MemoryStore, room: Room) -> Shown:
    lines = room.lines(query, held(version))
    url = _history(store, version, v=version.number)
    return Shown(
        store,
        _path(query, version.path),
        url,
        version.authored_at,
        version.actor_label,
        tuple(ShownLine(line.number, room.shown(line), url) for line in lines.shown),
        lines.more,
        not lines.is_whole,
        version.entry.state,
        number=version.number,
    )


def _history(store: MemoryStore, version: MemoryVersion, **query: object) -> str:
    return addresses.history(store.slug, version.entry.path, file=version.entry.uuid, **query)


def _path(query: Query, path: str) -> SafeString:
    relative = MemoryPath(path).relative
    return hidden_text.marked(relative, query.spans(relative))
