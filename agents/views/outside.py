"""The page of a run that is led elsewhere: its calls in their order, by turn, and what the program told with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Min

from agents.models import Run, ToolCall
from agents.views.calls import Calls
from agents.views.entries import Step
from agents.views.facts import Touched, calls_words, touched_by
from agents.views.transcript import Window

CALLS: Final = 50
"""How many calls one page shows."""

FILES: Final = 100
"""How many files stand beside them."""

CAUSE: Final = 500
SOURCES: Final = 5
SOURCE: Final = 200
"""How much of what was told stands beside a call; the call's own page has all of it."""


@dataclass(frozen=True, slots=True)
class OutsideFacts:
    """What the pane beside such a run shows."""

    touched: tuple[Touched, ...]
    more_touched: int
    calls: str
    has_changed_memory: bool


def window(run: Run, until: int | None = None, turn: int | None = None) -> Window:
    """Return the page that ends with call ``until``, or the one that begins with ``turn``; else the newest."""
    total = max(1, run.last_seq)
    if turn is not None and turn <= run.turns and (begin := _begins(run, [turn]).get(turn)):
        until = begin + CALLS - 1
    last = total if until is None else max(1, min(until, total))
    first = max(1, last - CALLS + 1)
    steps = steps_of(run, range(first, last + 1))
    return Window(tuple(steps), first, last, total, CALLS, "calls")


def steps_of(run: Run, positions: range) -> list[Step]:
    """Return the calls at these places of the run, the oldest first."""
    rows = list(run.tool_calls.filter(position__gte=positions.start, position__lt=positions.stop).order_by("position"))
    if not rows:
        return []
    before = run.tool_calls.filter(position__lt=positions.start).order_by("-position").first()
    return _steps(run, before, rows)


def facts_of(run: Run) -> OutsideFacts:
    """Return the facts of the run as its rows are now; three queries."""
    touched = touched_by(run)
    changed = any(file.history for file in touched)
    return OutsideFacts(tuple(touched[:FILES]), max(0, len(touched) - FILES), calls_words(run), changed)


def _steps(run: Run, before: ToolCall | None, rows: Sequence[ToolCall]) -> list[Step]:
    calls = Calls(run, rows)
    begins = _begins(run, {row.turn for row in rows})
    steps = []
    for row in rows:
        is_new_turn = before is None or row.turn != before.turn
        is_first = row.turn > 0 and begins.get(row.turn) == row.position
        cause = row.cause if before is None or row.cause != before.cause else ""
        sources: list[str] = row.external if before is None or row.external != before.external else []
        steps.append(
            Step(
                row.position,
                row.created_at,
                calls.made(row),
                row.turn if is_new_turn or cause or sources else None,
                f"turn-{row.turn}" if is_first else "",
                cause[:CAUSE],
                len(cause) > CAUSE,
                tuple(source[:SOURCE] for source in sources[:SOURCES]),
                max(0, len(sources) - SOURCES),
            )
        )
        before = row
    return steps


def _begins(run: Run, turns: Iterable[int]) -> dict[int, int]:
    """Return the place of the first call of each turn."""
    firsts = run.tool_calls.filter(turn__in=list(turns)).order_by().values_list("turn").annotate(Min("position"))
    return dict(firsts)
