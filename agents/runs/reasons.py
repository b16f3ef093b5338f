"""Why a run stopped, failed or waits: a code for programs, words for people."""

from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Codes in ``Run.reason``; a run that Claude itself stopped has Claude's stop reason there."""

    TURNS = "budget:turns"
    OUTPUT_TOKENS = "budget:output_tokens"
    MINUTES = "budget:minutes"
    COST = "budget:cost"
    RETRY = "retry"
    REFUSED = "request"
    GAVE_UP = "retries"


class Stop(NamedTuple):
    """A code and the same in words, with what to do next."""

    reason: str
    detail: str


BUDGETS = (Reason.TURNS, Reason.OUTPUT_TOKENS, Reason.MINUTES, Reason.COST)

_CLAUDE = {
    "max_tokens": "The answer reached the limit of output tokens for one turn. Continue, or raise the agent's limit.",
    "refusal": "The model refused to go on. Continue with another message, or start a new run.",
    "model_context_window_exceeded": (
        "The conversation has filled the model's context. Start a new run, or let the agent use compaction."
    ),
    "tool_use": "The model asked for a tool without naming one. Continue to ask it again.",
}


def of_answer(stop_reason: str) -> Stop:
    """Return why an answer with ``stop_reason`` ends the run short of its goal."""
    words = _CLAUDE.get(
        stop_reason, f"The model stopped with the reason “{stop_reason[:60]}”. Continue, or leave it here."
    )
    return Stop(stop_reason[:60], words)
