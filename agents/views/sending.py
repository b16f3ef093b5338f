"""What becomes of a person's messages: of those that wait, and of one that is sent now."""

from typing import Final

from agents.models import Run, RunState
from agents.runs.reasons import BUDGETS

_ENDED: Final = {
    RunState.DONE: "Sending lets the finished run go on with this message",
    RunState.STOPPED: "Sending lets the stopped run go on with this message",
    RunState.CANCELLED: "Sending starts the cancelled run again where it was, with this message",
    RunState.FAILED: "Sending tries the failed run again, with this message",
}


def of_one_sent_now(run: Run, waiting: int) -> str:
    """Return what sending a message does now that ``waiting`` others wait."""
    if run.is_live:
        if run.cancel_requested_at:
            return "The run is being cancelled. A message sent now waits until somebody lets it go on."
        return "Sent when the agent is free."
    if run.state == RunState.STOPPED and run.reason in BUDGETS:
        return "The limit still holds. A message sent now is answered once the run goes on."
    after = f" after the {_those(waiting)}" if waiting else ""
    return f"{_ENDED[RunState(run.state)]}{after}."


def of_one_that_waits(run: Run) -> str:
    """Return when a message that waits in ``run`` is sent."""
    if not run.is_live:
        return "not sent, waits until the run goes on"
    return "waits, the run is being cancelled" if run.cancel_requested_at else "sent when the agent is free"


def of_those_left(waiting: int) -> str:
    """Return what becomes of the messages that wait in a run which has ended, or "" if none does."""
    if not waiting:
        return ""
    if waiting == 1:
        return "The message that waits was not sent. It is sent when the run goes on, unless it is withdrawn."
    return f"The {_those(waiting)} were not sent. They are sent when the run goes on, unless they are withdrawn."


def and_sends(waiting: int) -> str:
    """Return what a button that lets the run go on sends besides, to stand behind its verb."""
    if not waiting:
        return ""
    return " and send the message" if waiting == 1 else f" and send {waiting} messages"


def _those(waiting: int) -> str:
    return "message that waits" if waiting == 1 else f"{waiting} messages that wait"
