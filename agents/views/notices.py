"""What the top of a run's page says about a run that does not go on by itself, and how to let it."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.utils import timezone

from agents.models import Run, RunState
from agents.runs import budgets
from agents.runs.budgets import BudgetTooSmall
from agents.runs.reasons import BUDGETS, Reason
from agents.views import sending
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
    """Why a run waits or has ended; ``action`` names the button that lets it go on, if it can."""

    tone: str
    icon: str
    title: str
    text: str
    action: str = ""
    raised: Raise | None = None


def notice_of(run: Run, waiting: int = 0) -> Notice | None:
    """Return what to say about ``run`` with so many messages that wait; None while it works or when it is done."""
    badge = run_badge(run)
    match run.state:
        case RunState.WAITING:
            return Notice("warn", "clock", f"{badge.words}.", run.detail, "Retry now")
        case RunState.STOPPED:
            raised = _raise(run)
            action = "" if run.reason in BUDGETS and raised is None else "Continue"
            return _ended(Notice("warn", "alert", f"{badge.words}.", run.detail, action, raised), waiting)
        case RunState.CANCELLED:
            when = f" at {timezone.localtime(run.ended_at):%H:%M:%S}" if run.ended_at else ""
            kept = "What was done before is kept."
            return _ended(Notice("", "stop", f"{badge.words}{when}.", kept, "Continue"), waiting)
        case RunState.FAILED:
            return _ended(Notice("danger", "alert", f"Failed at turn {run.turns + 1}.", run.detail, "Retry"), waiting)
    return None


def _ended(notice: Notice, waiting: int) -> Notice:
    """Return the notice with what becomes of the messages that wait."""
    text = f"{notice.text} {sending.of_those_left(waiting)}".strip()
    action = notice.action and notice.action + sending.and_sends(waiting)
    return replace(notice, text=text, action=action)


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
