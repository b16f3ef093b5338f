"""Letting go of a run: finished, stopped, failed, waiting for a retry, or given back for another worker."""

from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from agents.models import PendingMessage, RunState
from agents.runs import events, hints
from agents.runs.lease import Lease
from agents.runs.reasons import Reason, Stop
from agents.runs.texts import plain

_LET_GO = {"lease_owner": "", "lease_until": None}


def finish(lease: Lease, state: RunState, stop: Stop | None = None) -> None:
    """End the run in ``state`` for the reason in ``stop``."""
    reason, detail = stop or ("", "")
    now = timezone.now()
    with lease.fenced(state=state, reason=reason, detail=plain(detail, 1000), ended_at=now, attempts=0, **_LET_GO):
        _tell(lease.run_id, state, reason, detail)


def finish_unless_pending(lease: Lease, state: RunState, stop: Stop | None = None) -> bool:
    """End the run unless a person has sent a message meanwhile; return whether it has ended."""
    reason, detail = stop or ("", "")
    with lease.fenced():
        # The fence holds the run's row, and sending a message takes it too: one of the two comes first.
        if PendingMessage.objects.filter(run_id=lease.run_id).exists():
            return False
        lease.write(state=state, reason=reason, detail=detail, ended_at=timezone.now(), attempts=0, **_LET_GO)
        _tell(lease.run_id, state, reason, detail)
    return True


def wait(lease: Lease, seconds: float, detail: str) -> None:
    """Let the run wait for its next try; nothing is held meanwhile."""
    wake_at = timezone.now() + timedelta(seconds=seconds)
    detail = plain(detail, 1000)
    with lease.fenced(state=RunState.WAITING, reason=Reason.RETRY, detail=detail, wake_at=wake_at, **_LET_GO):
        _tell(lease.run_id, RunState.WAITING, Reason.RETRY, detail, wake_at=wake_at.isoformat())
        # A little late is right, a little early would find that the run still waits.
        hints.send(lease.run_id, after_seconds=seconds + 0.05)


def give_back(lease: Lease) -> None:
    """Queue the run again for another worker, as if this one had not tried."""
    with lease.fenced(state=RunState.QUEUED, attempts=F("attempts") - 1, **_LET_GO):
        _tell(lease.run_id, RunState.QUEUED, "", "")
        hints.send(lease.run_id)


def _tell(run_id: int, state: RunState, reason: str, detail: str, **more: Any) -> None:
    said = {"state": state, "reason": reason, "detail": detail, **more}
    events.add(run_id, events.Kind.STATE, {key: value for key, value in said.items() if value})
