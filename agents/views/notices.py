"""What the top of a run's page says about a run that does not go on by itself, and how to let it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils import timezone

from agents.models import Run, RunState
from agents.runs import budgets
from agents.runs.budgets import BudgetTooSmall
from agents.runs.reasons import BUDGETS, Reason
from agents.views.words import run_badge

_UNITS: Final = {
    Reason.TURNS: ("max_turns", "turns"),
    Reason.OUTPUT_TOKENS: ("max_run_output_tokens", "output tokens"),
    Reason.MINUTES: ("max_minutes", "minutes"),
    Reason.COST: ("max_cost", "US dollars"),
}


@dataclass(frozen=True, slots=True)
class Raise:
    """A budget to go on with: the figure that is proposed, and its unit."""

    budget: str
    unit: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Why a run waits, stopped or failed; ``action`` names the button that lets it go on, if it can."""

    tone: str
    icon: str
    title: str
    text: str
    action: str = ""
    raised: Raise | None = None


def notice_of(run: Run) -> Notice | None:
    """Return what to say about ``run``, or None while it works or when it has reached its end."""
    badge = run_badge(run)
    match run.state:
        case RunState.WAITING:
            return Notice("warn", "clock", f"{badge.words}.", run.detail, "Retry now")
        case RunState.STOPPED:
            raised = _raise(run)
            action = "" if run.reason in BUDGETS and raised is None else "Continue"
            return Notice("warn", "alert", f"{badge.words}.", run.detail, action, raised)
        case RunState.CANCELLED:
            when = f" at {timezone.localtime(run.ended_at):%H:%M:%S}" if run.ended_at else ""
            return Notice("", "stop", f"{badge.words}{when}.", "What was done before is kept.", "Continue")
        case RunState.FAILED:
            return Notice("danger", "alert", f"Failed at turn {run.turns + 1}.", run.detail, "Retry")
    return None


def _raise(run: Run) -> Raise | None:
    """Return the larger budget that would let the run go on, or None if it was not stopped by one."""
    if run.reason not in BUDGETS:
        return None
    field, unit = _UNITS[Reason(run.reason)]
    try:
        figure = getattr(budgets.raised(run, None), field)
    except BudgetTooSmall:
        return None
    amount = Decimal(figure)
    return Raise(f"{amount:,.2f}" if run.reason == Reason.COST else f"{amount:,}", unit)
