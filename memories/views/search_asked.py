"""What the address of the search page asks for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from memdash.web.requests import UserRequest
from memories.models import MemoryStore, State
from memories.paths import MemoryPath
from memories.refusals import PathRefused
from memories.search.filters import Filters
from memories.search.queries import CHARACTERS, Query
from memories.text import as_label
from memories.views.numbers import number_in

STATES: Final = {"": (State.LIVE,), "trash": (State.TRASH,), "all": (State.LIVE, State.TRASH)}
ORDERS: Final = {"": "Newest first", "names": "Names first"}
ACTOR_CHARACTERS: Final = 100
PATH_CHARACTERS: Final = 1024
LABEL_CHARACTERS: Final = 40
DAY_CHARACTERS: Final = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as its address has it. ``slugs`` are the stores picked; none are all that the person may see."""

    typed: str
    slugs: tuple[str, ...]
    below: str
    actor: str
    since: date | None
    until: date | None
    state: str
    order: str
    parts: bool
    older: bool
    label: str
    page: int
    before: int | None

    @classmethod
    def read(cls, request: UserRequest) -> "Asked":
        """Return what the address asks for; what is unknown counts as not given."""
        given = request.GET
        return cls(
            given.get("q", "").strip()[:CHARACTERS],
            tuple(dict.fromkeys(given.getlist("store"))),
            given.get("in", "").strip().strip("/")[:PATH_CHARACTERS],
            given.get("by", "").strip()[:ACTOR_CHARACTERS],
            _day(given.get("since", "")),
            _day(given.get("until", "")),
            state if (state := given.get("state", "")) in STATES else "",
            order if (order := given.get("order", "")) in ORDERS else "",
            given.get("parts") == "1",
            given.get("older") == "1",
            given.get("label", "").strip()[:LABEL_CHARACTERS],
            number_in(request, "page") or 1,
            number_in(request, "before"),
        )

    @property
    def query(self) -> Query:
        """What was typed, as what is looked for."""
        return Query.read(self.typed, parts=self.parts)

    @property
    def filters(self) -> Filters:
        """The filters besides stores and states; :attr:`fault` is empty."""
        return Filters(
            MemoryPath.parse(f"/memories/{self.below}") if self.below else None,
            self.actor,
            _start(self.since) if self.since else None,
            _start(self.until + timedelta(days=1)) if self.until and self.until < date.max else None,
            as_label(self.label),
        )

    @property
    def filters_given(self) -> bool:
        """Say whether anything narrows the search besides stores and states."""
        return bool(self.below or self.actor or self.since or self.until or self.label)

    def fault(self, stores: Sequence[MemoryStore]) -> str:
        """Say why nothing can be looked for among the stores that the person may see; empty when it can be."""
        picked = self.picked(stores)
        return self.query.fault or next(
            (
                words
                for is_so, words in (
                    (not self._is_path, f"No file can lie in “{self.below}”: that is no path a store can hold."),
                    (self.label and not as_label(self.label), f"No file can have the label “{self.label}”."),
                    (self.slugs and not picked, "You see no store of the name in this address."),
                    (
                        self.since and self.until and self.until < self.since,
                        "The day “until” lies before the day “since”, so no change can be between them.",
                    ),
                    (
                        self.parts and len(picked) != 1,
                        "Within words, only one store at a time is looked through. Pick one.",
                    ),
                )
                if is_so
            ),
            "",
        )

    @property
    def _is_path(self) -> bool:
        try:
            return MemoryPath.parse(f"/memories/{self.below}") is not None
        except PathRefused:
            return False

    def picked(self, stores: Sequence[MemoryStore]) -> list[MemoryStore]:
        """Return those of the stores that are searched."""
        return [store for store in stores if not self.slugs or store.slug in self.slugs]

    def address(self, **changed: object) -> str:
        """Return the address of the search with some of it changed, from its first page; None takes a part away."""
        asked = replace(self, **{"page": 1, "before": None, **changed})  # type: ignore[arg-type]  # names of our fields
        given = [
            ("q", asked.typed),
            *(("store", slug) for slug in asked.slugs),
            ("in", asked.below),
            ("by", asked.actor),
            ("since", asked.since.isoformat() if asked.since else ""),
            ("until", asked.until.isoformat() if asked.until else ""),
            ("label", asked.label),
            ("state", asked.state),
            ("order", asked.order),
            ("parts", "1" if asked.parts else ""),
            ("older", "1" if asked.older else ""),
            ("page", str(asked.page) if asked.page > 1 else ""),
            ("before", str(asked.before or "")),
        ]
        return reverse("memories:search") + "?" + urlencode([(name, value) for name, value in given if value])


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == DAY_CHARACTERS and text.isascii() else None
    except ValueError:
        return None


def _start(day: date) -> datetime:
    # The first day of all begins, in some zones, before there is a date in UTC.
    return timezone.make_aware(datetime.combine(max(day, date.min + timedelta(days=1)), time()))
