"""Which files a form or an address has chosen: some by their boxes, or all that a filter matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict

from memories.bulk import Chosen
from memories.models import Kind, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.views.listing import Asked
from memories.views.marks import Eyes

PICKS: Final = 200
"""Boxes that one form sends at most; more than a page of any list has."""

FIELDS: Final = ("id", "uuid", "path", "size", "version", "pinned", "locked")


@dataclass(frozen=True, slots=True)
class Selection:
    """Files and directories that were ticked or, where ``asked`` is given, all files it matches."""

    picks: tuple[UUID, ...] = ()
    asked: Asked | None = None

    @classmethod
    def read(cls, given: QueryDict) -> "Selection":
        """Return what was chosen; what is no id of anything counts as not ticked."""
        if given.get("all"):
            return cls(asked=Asked.read(given))
        return cls(tuple(dict.fromkeys(uuids(given.getlist("pick")[:PICKS]))))

    def __bool__(self) -> bool:
        return bool(self.picks or self.asked)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the fields by which the next form, or an address, chooses the same."""
        if self.asked is None:
            return [("pick", str(pick)) for pick in self.picks]
        return [("all", "1"), *self.asked.given.items()]

    @property
    def query(self) -> str:
        return urlencode(self.fields)

    def chosen(self, memory: MemoryStore, eyes: Eyes) -> list[Chosen]:
        """Return the files as they are now, in the order of their paths; two queries at most."""
        if self.asked is not None:
            rows = self.asked.over(memory, eyes).order_by("path").values_list(*FIELDS)
            return [Chosen._make((*row, _parent(row[2]))) for row in rows]
        live = MemoryEntry.objects.live().filter(store=memory)
        picked = live.filter(uuid__in=self.picks)
        folders = sorted(path for path, kind in picked.values_list("path", "kind") if kind == Kind.DIRECTORY)
        wanted = Q(uuid__in=self.picks)
        for folder in folders:
            wanted |= Q(path__gt=f"{folder}/", path__lt=f"{folder}0")
        rows = live.files().filter(wanted).order_by("path").values_list(*FIELDS)
        return [Chosen._make((*row, _base(row[2], folders))) for row in rows]


def uuids(texts: list[str]) -> Iterator[UUID]:
    """Yield the ids among the texts."""
    for text in texts:
        try:
            yield UUID(text)
        except ValueError:
            continue


def _base(path: str, folders: list[str]) -> str:
    """Return where the outermost chosen directory lies that holds the file, or where the file itself does."""
    return next((_parent(folder) for folder in folders if path.startswith(f"{folder}/")), _parent(path))


def _parent(path: str) -> str:
    return MemoryPath(path).parent.text
