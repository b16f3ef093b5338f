"""The pages of a find and replace: files with the lines in which it occurs, as many as a page has room for."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from memdash.web import hidden_text
from memdash.web.requests import UserRequest
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.replacing import FileHits, HitRow, Plan
from memories.views.all_files import address_of
from memories.views.store_list import agents_of

PAGE: Final = 40_000
"""Bytes that the files and lines of one page may take."""

FILE: Final = 1_100
PATH: Final = 3
LINE: Final = 420
MARKED: Final = 11
"""Bytes of markup of a file, of each byte of its path, of a line before and after, and of a marked piece."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A file with those of its lines that stand on this page; ``goes_on`` says that others stand on the next."""

    file: FileHits
    rows: list[HitRow]
    url: str
    taken: bool
    begun: bool = False
    goes_on: bool = False

    @property
    def relative(self) -> str:
        return MemoryPath(self.file.meant.path).relative


@dataclass(frozen=True, slots=True)
class Group:
    """The files of one store on this page, and the agents that point at it."""

    memory: MemoryStore
    agents: list[str]
    files: list[Shown] = field(default_factory=list)


def page_of(request: UserRequest, plan: Plan, number: int, skipped: Collection[UUID]) -> tuple[list[Group], int, int]:
    """Return what stands on a page, the page's number, which is the last for one beyond, and how many there are."""
    pages = list(_pages(plan))
    number = max(1, min(number, len(pages)))
    files = pages[number - 1] if pages else []
    agents = agents_of(request, list({file.memory.pk: file.memory for file, *_ in files}.values()))
    groups: list[Group] = []
    for file, rows, begun, goes_on in files:
        if not groups or groups[-1].memory.pk != file.memory.pk:
            groups.append(Group(file.memory, [link.label for link in agents[file.memory.pk] or ()]))
        url = address_of(file.memory.slug, file.meant.path, file.uuid)
        groups[-1].files.append(Shown(file, rows, url, file.uuid not in skipped, begun, goes_on))
    return groups, number, len(pages)


_Part = tuple[FileHits, list[HitRow], bool, bool]


def _pages(plan: Plan) -> Iterator[list[_Part]]:
    page: list[_Part] = []
    room = PAGE
    for file in plan.files:
        room -= FILE + PATH * len(file.meant.path.encode())
        rows: list[HitRow] = []
        begun = False
        for row in file.rows(plan.wanted):
            room -= _weight(row)
            if room < 0 and (page or rows):
                yield [*page, (file, rows, begun, True)] if rows else page
                begun = begun or bool(rows)
                page, rows = [], []
                room = PAGE - FILE - PATH * len(file.meant.path.encode()) - _weight(row)
            rows.append(row)
        page.append((file, rows, begun, False))
    if page:
        yield page


def _weight(row: HitRow) -> int:
    cells = row.old.segments + row.new.segments
    return LINE + sum(hidden_text.most_bytes(each.text) + MARKED * each.marked for each in cells)
