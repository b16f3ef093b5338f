"""What the address of a comparison asks for, and the addresses that lead on from there."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from memories.models import MemoryStore
from memories.moments import seq_at
from memories.moments.differences import Kind
from memories.taking import Choice, Comparison
from memories.taking.comparing import KEY, fingerprint
from memories.views.dates import end_of
from memories.views.numbers import number_of

FLIPS: Final = 300
"""Files that an address names; choosing all of a kind takes none."""

KINDS: Final = (Kind.ADDED, Kind.CHANGED, Kind.REMOVED, Kind.MOVED)
KEYS: Final = re.compile(rf"\b[0-9a-f]{{{KEY}}}\b")
EVERY: Final = "every"


@dataclass(frozen=True, slots=True)
class Asked:
    """Two sides, which of their differences are listed from where on, and which are chosen.

    Chosen are all of the kind ``base``, of every kind or of none; the ``flips`` are chosen the other way.
    """

    source: str = ""
    source_at: str = ""
    target: str = ""
    target_at: str = ""
    kind: str = ""
    first: int = 0
    base: str = ""
    flips: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Asked":
        """Return what an address, or the fields of a form, ask for; Http404 where a moment is no number."""
        given: dict[str, Any] = {each.name: query.get(each.name, "") for each in fields(cls)}
        kind, base = given["kind"], given["base"]
        return cls(
            **given
            | {
                "kind": kind if kind in KINDS else "",
                "base": base if base in (*KINDS, EVERY) else "",
                "first": number_of(given["first"]) or 0,
                "flips": " ".join(KEYS.findall(given["flips"])),
                "source_at": _seq(given["source_at"]),
                "target_at": _seq(given["target_at"]),
            }
        )

    def url(self, name: str = "memories:compare", **changes: Any) -> str:
        """Return the address of the same with changes; what is not asked for is left out."""
        asked = replace(self, **{key: value for key, value in changes.items() if key in self.__slots__})
        more = {key: value for key, value in changes.items() if key not in self.__slots__}
        given = {each.name: getattr(asked, each.name) for each in fields(self)} | more
        query = urlencode({key: value for key, value in given.items() if value})
        return f"{reverse(name)}?{query}" if query else reverse(name)

    def sides(self) -> "Asked":
        """Return the same with nothing chosen, from the beginning of the list."""
        return Asked(self.source, self.source_at, self.target, self.target_at)

    def swapped(self) -> "Asked":
        """Return the sides the other way round, with nothing chosen."""
        return Asked(self.target, self.target_at, self.source, self.source_at)

    def chosen(self, comparison: Comparison) -> list[Choice]:
        """Return what is chosen of a comparison, of what can be taken."""
        flips = set(self.flips.split())
        return [
            choice
            for choice in comparison.choices
            if not choice.refused and (choice.key in flips) != (self.base in (choice.kind, EVERY))
        ]

    def of_base(self, comparison: Comparison) -> str:
        """Return the fingerprint of what is chosen without being named; empty for nothing."""
        if not self.base:
            return ""
        return fingerprint(choice for choice in comparison.choices if self.base in (choice.kind, EVERY))

    def ticked(self, comparison: Comparison, offered: Iterable[str], ticks: Iterable[str]) -> "Asked":
        """Return the same with the boxes of a page as they were left."""
        flips, ticked = set(self.flips.split()), set(ticks)
        for key in set(offered) | ticked:
            choice = comparison.by_key.get(key)
            by_base = choice is not None and self.base in (choice.kind, EVERY)
            if (key in ticked) != by_base:
                flips.add(key)
            else:
                flips.discard(key)
        return replace(self, flips=" ".join(sorted(flips)))


def seq_of(store: MemoryStore, given: str) -> str:
    """Return the change of a store that was the last one at the moment in a field; "" for now."""
    until = end_of(given)
    if until is None or until > timezone.now():
        return ""
    return str(seq_at(store, until))


def _seq(given: str) -> str:
    number = number_of(given)
    if given and number is None:
        raise Http404("A moment is the number of a change.")
    return "" if number is None else str(number)
