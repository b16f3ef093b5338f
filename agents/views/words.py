"""How pages name where an agent runs, the state of a run, and what it cost."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils import timezone

from agents.claude.endpoints import DEMO_PREFIX, obstacle
from agents.models import Agent, Place, Run, RunState
from agents.runs.costs import Prices
from agents.runs.reasons import Reason

LIVE_DOT: Final = "live"
"""In place of a symbol: the dot of what goes on right now."""

_STATES = {
    RunState.QUEUED: ("", "clock", "Queued"),
    RunState.RUNNING: ("new", LIVE_DOT, "Writing, turn "),
    RunState.WAITING: ("warn", "clock", "Waiting"),
    RunState.DONE: ("ok", "check", "Finished"),
    RunState.STOPPED: ("warn", "alert", "Stopped: "),
    RunState.CANCELLED: ("", "stop", "Cancelled"),
    RunState.FAILED: ("danger", "alert", "Failed"),
    RunState.OUTSIDE: ("", "terminal", "Outside"),
}
_LIMITS = {
    Reason.TURNS: "turn limit",
    Reason.OUTPUT_TOKENS: "limit of output tokens",
    Reason.MINUTES: "time limit",
    Reason.COST: "cost limit",
    "max_tokens": "answer cut off",
    "refusal": "the model refused",
    "model_context_window_exceeded": "context full",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A state in a word: its tone, the symbol beside it ("live" is the moving dot), the words."""

    tone: str
    icon: str
    words: str


def hindrance(agent: Agent) -> str:
    """Return why an agent that should run here cannot and what to do about it, or "" when nothing is known of that."""
    return obstacle(agent.model) if agent.place == Place.HERE else ""


def place_words(agent: Agent) -> str:
    """Return where the agent runs; until one that should run here can, that is elsewhere."""
    return "Elsewhere until there is an API key" if hindrance(agent) else Place(agent.place).label


def run_badge(run: Run) -> Badge:
    """Return the state of ``run`` as lists and its page show it."""
    if run.is_live and run.cancel_requested_at:
        return Badge("warn", "stop", "Being cancelled")
    tone, icon, words = _STATES[RunState(run.state)]
    if run.state == RunState.RUNNING:
        words += str(run.turns + 1)
    elif run.state == RunState.WAITING and run.wake_at:
        words += f" until {timezone.localtime(run.wake_at):%H:%M:%S}"
    elif run.state == RunState.STOPPED:
        words += _LIMITS.get(run.reason, run.reason)
    elif run.state == RunState.CANCELLED and run.cancelled_by:
        words += f" by {run.cancelled_by}"
    return Badge(tone, icon, words)


def is_scripted(run: Run) -> bool:
    """Return whether the run's answers come from the scripted demo model and not from Claude."""
    return str(run.settings.get("model")).startswith(DEMO_PREFIX)


def cost_words(run: Run, prices: Prices) -> str:
    """Return the cost in US dollars, or the word for one that is not known, or for none where no token was used."""
    if run.is_outside:
        return "unknown"
    if is_scripted(run):
        return "none"
    if not run.tokens:
        return "none yet" if run.is_live else "none"
    cost = prices.cost(run)
    return "unknown" if cost is None else dollars(cost)


def dollars(amount: Decimal) -> str:
    """Return an amount with two decimals; what would round to nothing says so."""
    if 0 < amount < Decimal("0.005"):
        return "<0.01"
    return f"{amount:,.2f}"
