"""Levels of a store's tree: what lies in one directory, a stretch of rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Substr

from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.marks import Eyes, Listed, Mark

RELATIVE: Final = Substr("path", len(MemoryPath.ROOT.text) + 2)
"""What follows the root in an entry's path: what a filter by a few letters looks at."""


@dataclass(frozen=True, slots=True)
class Row:
    """One path in the tree. An open directory has what lies in it ``inside``."""

    path: str
    name: str
    url: str
    is_folder: bool
    size: int
    file_count: int
    updated_at: datetime
    uuid: UUID
    marks: tuple[Mark, ...] = ()
    labels: tuple[str, ...] = ()
    unlisted: bool = False
    """Agents' listings leave it out."""
    selected: bool = False
    inside: "Level | None" = None


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of one directory, directories first.

    ``url`` is the address of more of them: with ``before`` of those ahead, with ``after`` of those behind; where there
    are none, that is None.
    """

    number: int
    rows: tuple[Row, ...]
    url: str = ""
    before: "Cursor | None" = None
    after: "Cursor | None" = None

    def holding(self, insides: dict[str, "Level"]) -> "Level":
        """Return the level with the directories open that ``insides`` has levels for."""
        rows = tuple(
            replace(row, inside=insides[row.path].holding(insides)) if row.path in insides else row for row in self.rows
        )
        return replace(self, rows=rows)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a level. As text it is a path, that of a directory ending in a slash."""

    kind: Kind
    path: str

    @classmethod
    def read(cls, text: str) -> "Cursor | None":
        """Return the place that an address names, or None for the beginning."""
        if not text:
            return None
        return cls(Kind.DIRECTORY if text.endswith("/") else Kind.FILE, text.rstrip("/"))

    @classmethod
    def at(cls, row: Row) -> "Cursor":
        """Return the place of a row."""
        return cls(Kind.DIRECTORY if row.is_folder else Kind.FILE, row.path)

    def __str__(self) -> str:
        return self.path + "/" * (self.kind == Kind.DIRECTORY)

    @property
    def later(self) -> Q:
        return Q(kind=self.kind, path__gt=self.path) | Q(kind__gt=self.kind)

    @property
    def earlier(self) -> Q:
        return Q(kind=self.kind, path__lt=self.path) | Q(kind__lt=self.kind)


@dataclass(frozen=True, slots=True)
class Levels:
    """Reads levels of a store for a person; ``selected`` is the path on the page."""

    store: MemoryStore
    eyes: Eyes
    selected: MemoryPath | None = None

    def after(self, folder: MemoryPath, cursor: Cursor | None, limit: int) -> Level:
        """Return the next ``limit`` rows behind ``cursor``; one query."""
        entries = self._inside(folder)
        found = self.eyes.listed((entries.filter(cursor.later) if cursor else entries)[: limit + 1])
        return self._level(folder, found[:limit], after=len(found) > limit)

    def before(self, folder: MemoryPath, cursor: Cursor, limit: int) -> Level:
        """Return the last ``limit`` rows ahead of ``cursor``; one query."""
        found = self.eyes.listed(self._inside(folder).filter(cursor.earlier).order_by("-kind", "-path")[: limit + 1])
        return self._level(folder, found[:limit][::-1], before=len(found) > limit)

    def around(self, folder: MemoryPath, child: MemoryPath | None, limit: int) -> Level:
        """Return the first ``limit`` rows or, where ``child`` is not among them, those around it."""
        first = self.after(folder, None, limit)
        if child is None or not first.after or any(row.path == child.text for row in first.rows):
            return first
        entries = self.eyes.listed(self._inside(folder).filter(path=child.text))
        if not entries:
            return first
        (row,) = self.of(entries, folder.depth + 1).rows
        ahead = self.before(folder, Cursor.at(row), limit // 2)
        behind = self.after(folder, Cursor.at(row), limit - limit // 2 - 1)
        rows = (*ahead.rows, row, *behind.rows)
        return replace(ahead, rows=rows, after=behind.after)

    def of(self, entries: Sequence[Listed], number: int) -> Level:
        """Return rows of these entries as a level that is whole."""
        urls = addresses.below(self.store.slug, (entry.path for entry in entries))
        return Level(number, tuple(map(self._row, entries, urls)))

    def _inside(self, folder: MemoryPath) -> QuerySet[MemoryEntry]:
        return self.eyes.over(
            MemoryEntry.objects.filter(
                store=self.store,
                state=State.LIVE,
                depth=folder.depth + 1,
                path__gt=f"{folder}/",
                path__lt=f"{folder}0",
            )
        ).order_by("kind", "path")

    def _level(
        self, folder: MemoryPath, entries: Sequence[Listed], *, before: bool = False, after: bool = False
    ) -> Level:
        level = self.of(entries, folder.depth + 1)
        return replace(
            level,
            url=addresses.tree(self.store.slug, folder.text),
            before=Cursor.at(level.rows[0]) if before else None,
            after=Cursor.at(level.rows[-1]) if after else None,
        )

    def _row(self, entry: Listed, url: str) -> Row:
        return Row(
            path=entry.path,
            name=entry.path.rpartition("/")[2],
            url=url,
            is_folder=entry.kind == Kind.DIRECTORY,
            size=entry.size,
            file_count=entry.file_count,
            updated_at=entry.updated_at,
            uuid=entry.uuid,
            marks=self.eyes.marks_of(entry),
            labels=tuple(entry.labels.split("\n")) if entry.labels else (),
            unlisted=unlisted(entry.path),
            selected=self.selected is not None and entry.path == self.selected.text,
        )


def unlisted(path: str) -> bool:
    """Say whether agents' listings leave the path out: a name in it begins with a dot, or is node_modules."""
    return "/." in path or "/node_modules/" in f"{path}/"
