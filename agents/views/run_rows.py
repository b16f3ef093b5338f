"""The rows of a list of runs, and what all runs of the list cost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, Count, F, OrderBy, QuerySet, Sum, Value, When
from django.db.models.fields.json import KT

from agents.models import Run, RunState
from agents.models.runs import LIVE_STATES
from agents.runs.costs import Prices
from agents.views.words import Badge, cost_words, is_scripted, run_badge
from memdash.web.formats import counted
from memories.models import MemoryVersion

PAGE_RUNS: Final = 50

ORDERS: Final[dict[str, Any]] = {
    "started": F("created_at"),
    "turns": F("turns"),
    "tokens": F("input_tokens") + F("output_tokens") + F("cache_read_tokens") + F("cache_write_tokens"),
}


@dataclass(slots=True)
class FilesChanged:
    """What a run did to files: how many, and the lines it added and removed."""

    files: set[int] = field(default_factory=set)
    added: int = 0
    removed: int = 0

    def words(self, *, is_live: bool) -> str:
        """Return it as a list says it."""
        if not self.files:
            return "none yet" if is_live else "0"
        parts = [f"+{self.added:,}" if self.added else "", f"−{self.removed:,}" if self.removed else ""]
        lines = " ".join(part for part in parts if part)
        files = counted(len(self.files), "file")
        return f"{files}, {lines}" if lines else files


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; nobody here knows what tokens one used that is led elsewhere."""

    run: Run
    badge: Badge
    changed: str
    tokens: int | None
    cost: str
    is_scripted: bool


def sorted_runs(runs: QuerySet[Run], order: str) -> QuerySet[Run]:
    """Return the runs in the order that an address names ("-turns"); else those that wait, live ones, the newest."""
    name = order.removeprefix("-")
    if name in ORDERS:
        return runs.order_by(OrderBy(ORDERS[name], descending=order.startswith("-")), "-pk")
    waits = When(state=RunState.WAITING, then=Value(0))
    lives = When(state__in=LIVE_STATES, then=Value(1))
    return runs.order_by(Case(waits, lives, default=Value(2)), "-created_at", "-pk")


def rows(runs: Sequence[Run], prices: Prices) -> list[RunRow]:
    """Return what the list shows of each run; one query."""
    changed = _changed([run.uuid for run in runs])
    return [
        RunRow(
            run,
            run_badge(run),
            changed[run.uuid].words(is_live=run.may_go_on),
            None if run.is_outside else run.tokens,
            cost_words(run, prices),
            is_scripted(run),
        )
        for run in runs
    ]


def cost_of_all(runs: QuerySet[Run], prices: Prices) -> tuple[Decimal, int]:
    """Return what the runs cost together as far as prices are known, and how many are without a known price.

    Runs of the scripted demo model and those that used no token cost nothing and are in neither figure.
    """
    by_model = (
        runs.order_by()
        .annotate(model=KT("settings__model"), used=ORDERS["tokens"])
        .filter(used__gt=0)
        .values_list("model")
        .annotate(
            Count("pk"), Sum("input_tokens"), Sum("output_tokens"), Sum("cache_read_tokens"), Sum("cache_write_tokens")
        )
    )
    known, unknown = Decimal(0), 0
    for model, count, read, written, cache_read, cache_written in by_model:
        total = Run(
            settings={"model": model},
            input_tokens=read,
            output_tokens=written,
            cache_read_tokens=cache_read,
            cache_write_tokens=cache_written,
        )
        if is_scripted(total):
            continue
        cost = prices.cost(total)
        known, unknown = (known, unknown + count) if cost is None else (known + cost, unknown)
    return known, unknown


def _changed(uuids: Sequence[UUID]) -> Mapping[UUID, FilesChanged]:
    changed: dict[UUID, FilesChanged] = defaultdict(FilesChanged)
    versions = MemoryVersion.objects.filter(run_id__in=uuids).order_by()
    for run_id, entry_id, spans in versions.values_list("run_id", "entry_id", "spans"):
        assert run_id is not None
        files = changed[run_id]
        files.files.add(entry_id)
        files.added += sum(span[3] for span in spans)
        files.removed += sum(span[1] for span in spans)
    return changed
