"""What an address asks of the list of all files of a store: filters and an order, as conditions and in words."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Final

from django.db.models import F, Q, QuerySet
from django.http import QueryDict

from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.paths import ROOT, MemoryPath
from memories.refusals import PathRefused
from memories.text import KILO, VIEW
from memories.views import addresses
from memories.views.levels import RELATIVE
from memories.views.marks import Eyes
from memories.views.store_list import Filter, Sort

QUERY_CHARACTERS: Final = 200
YES_OR_NO: Final = ("yes", "no")

SIZES: Final = {
    "small": ("Under 1K", Q(size__lt=KILO)),
    "medium": ("1K to 16K", Q(size__gte=KILO, size__lte=VIEW)),
    "large": ("Over 16K", Q(size__gt=VIEW)),
    "huge": ("Over 128K", Q(size__gt=128 * KILO)),
}
AGES: Final = {
    "day": ("Changed in the last day", "gt", timedelta(days=1)),
    "week": ("Changed in the last 7 days", "gt", timedelta(days=7)),
    "month": ("Changed in the last 30 days", "gt", timedelta(days=30)),
    "before-month": ("Not changed for 30 days", "lte", timedelta(days=30)),
    "before-quarter": ("Not changed for 90 days", "lte", timedelta(days=90)),
}
MARKS: Final = {
    "new": ("New to you", "Seen by you"),
    "pinned": ("Pinned", "Not pinned"),
    "locked": ("Locked", "Not locked"),
}
"""Each mark with the words for files that have it and for those that have not."""

ORDERS: Final = {
    "path": ("Path", ("path",), "ascending"),
    "-path": ("Path", ("-path",), "descending"),
    "size": ("Size", ("size", "path"), "ascending"),
    "-size": ("Size", ("-size", "path"), "descending"),
    "changed": ("Changed", ("updated_at", "path"), "ascending"),
    "-changed": ("Changed", ("-updated_at", "path"), "descending"),
}
COLUMNS: Final = {"path": "path", "size": "-size", "changed": "-changed"}
"""The columns that sort the list, each with the order that it gives first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Filters, empty where there is none, and the order."""

    q: str = ""
    within: str = ""
    size: str = ""
    age: str = ""
    new: str = ""
    pinned: str = ""
    locked: str = ""
    order: str = "path"

    @classmethod
    def read(cls, given: QueryDict) -> "Asked":
        """Return what an address or a form asks; what is unknown counts as not given."""
        return cls(
            unicodedata.normalize("NFC", given.get("q", "").strip().replace("\0", ""))[:QUERY_CHARACTERS],
            _folder(given.get("within", "")),
            _one_of(SIZES, given.get("size")),
            _one_of(AGES, given.get("age")),
            _one_of(YES_OR_NO, given.get("new")),
            _one_of(YES_OR_NO, given.get("pinned")),
            _one_of(YES_OR_NO, given.get("locked")),
            _one_of(ORDERS, given.get("order")) or "path",
        )

    @property
    def given(self) -> dict[str, str]:
        """Return what is not as it is without an address."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value and (name, value) != ("order", "path")}

    @property
    def filters(self) -> dict[str, str]:
        return {name: value for name, value in self.given.items() if name != "order"}

    def address(self, slug: str, **more: str) -> str:
        """Return the address of the list that is asked for so."""
        return addresses.all_files(slug, **(self.given | more))

    def sorts(self, slug: str) -> dict[str, Sort]:
        """Return the columns that sort the list; the one that does leads to the other way round."""
        sorts = {}
        for column, first in COLUMNS.items():
            is_now = self.order.lstrip("-") == column
            other = first.removeprefix("-") if first.startswith("-") else f"-{first}"
            order = other if self.order == first else first
            url = replace(self, order=order).address(slug)
            sorts[column] = Sort(ORDERS[first][0], url, ORDERS[self.order][2] if is_now else "")
        return sorts

    def over(self, memory: MemoryStore, eyes: Eyes) -> QuerySet[MemoryEntry]:
        """Return the files that match, in order, each with the version the person has seen of it."""
        live = eyes.over(MemoryEntry.objects.filter(store=memory, state=State.LIVE, kind=Kind.FILE))
        entries = live.alias(relative=RELATIVE)
        for name in self.filters:
            entries = entries.filter(self._condition(name, eyes))
        return entries.order_by(*ORDERS[self.order][1])

    def hiding(self, memory: MemoryStore, eyes: Eyes) -> list[Filter]:
        """Return each filter in words, with how many files there would be without it; one query for each."""
        found = []
        for name in self.filters:
            without = replace(self, **{name: ""})
            found.append(Filter(self.words(name), without.over(memory, eyes).count(), without.address(memory.slug)))
        return found

    def words(self, name: str) -> str:
        """Return a filter in words."""
        if name == "q":
            return f"the path “{self.q}”"
        if name == "within":
            return f"the folder {self.within}"
        if name == "size":
            return f"the size {SIZES[self.size][0].lower()}"
        if name == "age":
            return f"the age {AGES[self.age][0].lower()}"
        has, has_not = MARKS[name]
        return f"the mark {(has if getattr(self, name) == 'yes' else has_not).lower()}"

    def _condition(self, name: str, eyes: Eyes) -> Q:
        if name == "q":
            return Q(relative__icontains=self.q)
        if name == "within":
            return Q(path__gt=f"{ROOT}/{self.within}/", path__lt=f"{ROOT}/{self.within}0")
        if name == "size":
            return SIZES[self.size][1]
        if name == "age":
            _, side, age = AGES[self.age]
            return Q(**{f"updated_at__{side}": eyes.now - age})
        wanted = getattr(self, name) == "yes"
        if name != "new":
            return Q(**{name: wanted})
        unseen = Q(seen_version=None) | Q(seen_version__lt=F("version"))
        return (
            unseen & Q(changed_seq__gt=eyes.seen_seq)
            if wanted
            else Q(changed_seq__lte=eyes.seen_seq) | Q(seen_version__gte=F("version"))
        )


def _one_of(known: Collection[str], given: str | None) -> str:
    return given if given and given in known else ""


def _folder(given: str) -> str:
    try:
        return MemoryPath.parse(f"{ROOT}/{given.strip('/')}").relative if given.strip("/") else ""
    except PathRefused:
        return ""
