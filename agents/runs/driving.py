"""Driving a run to its end.

Each step follows from the last stored message alone, so that a first delivery, a second one, a retry and a continued
run are one and the same path.
"""

import logging
import random
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents.claude.answers import Final, Interrupted, Transient
from agents.models import Message, PendingMessage, Run, RunState
from agents.runs import budgets, endings, events, reasons, tools, turns
from agents.runs.history import ASSISTANT, GOES_ON, tool_uses
from agents.runs.keeper import KEEPER
from agents.runs.lease import Ended, Lease, LeaseLost, take
from agents.runs.reasons import Reason, Stop
from agents.runs.terms import Terms
from memories.refusals import Busy
from memories.store import reads

logger = logging.getLogger(__name__)

TRIES = 5
GOOD_ENDS = ("end_turn", "stop_sequence")
WORKER_DIED = "The worker that drove the run ended in the middle of its work."
WORKER_STOPPED = "The worker was told to stop; another goes on."
OWN_FAULT = "Something went wrong in memdash itself; the worker's log says what."


def drive(run_id: int) -> None:
    """Drive the run until it ends, waits, or this worker is told to stop; return at once if it has no work to take.

    It may be called for the same run twice, at once or later: only the holder of its lease gets anywhere.
    """
    try:
        lease = None if KEEPER.stopping else take(run_id)
        if lease is not None:
            with KEEPER.keep(lease):
                _drive(lease)
            reads.flush()
    except LeaseLost:
        logger.info("run %s is driven by somebody else now", run_id)
    finally:
        connection.close()


def _drive(lease: Lease) -> None:
    try:
        run = _reload(lease)
        if run.events.filter(kind__in=events.CHUNKS).exists():
            turns.record_failure(lease, run, WORKER_DIED)
        if lease.attempts > TRIES:
            endings.finish(lease, RunState.FAILED, _gave_up(run))
            return
        while _step(lease):
            pass
    except LeaseLost:
        raise
    except Exception as error:
        logger.exception("run %s could not be driven on", lease.run_id)
        _try_again(lease, Transient(f"{OWN_FAULT} ({type(error).__name__})"))


def _step(lease: Lease) -> bool:
    """Do the next thing; return whether there is more to do."""
    run = _reload(lease)
    last = run.messages.last()
    assert last is not None, "a run starts with a message"
    if run.cancel_requested_at:
        lease.end(Ended.CANCELLED)
    if lease.ended is Ended.STOPPING:
        endings.give_back(lease)
        return False
    try:
        if last.role == ASSISTANT and last.stop_reason not in GOES_ON:
            return _after_answer(lease, run, last)
        return _before_request(lease, run)
    except Interrupted:
        return _let_go(lease)
    except (Transient, Busy) as failure:
        return _try_again(lease, failure if isinstance(failure, Transient) else Transient(str(failure)))
    except Final as failure:
        turns.record_failure(lease, run, failure.cause, status=failure.status, request_id=failure.request_id)
        endings.finish(lease, RunState.FAILED, Stop(Reason.REFUSED, f"{failure.cause} {failure.advice}"))
        return False


def _after_answer(lease: Lease, run: Run, answer: Message) -> bool:
    if answer.stop_reason == "tool_use" and tool_uses(answer):
        tools.answer_calls(lease, run, answer)
        return True
    if not PendingMessage.objects.filter(run=run).exists():
        if answer.stop_reason in GOOD_ENDS:
            return not endings.finish_unless_pending(lease, RunState.DONE)
        return not endings.finish_unless_pending(lease, RunState.STOPPED, _why(run, answer))
    if lease.ended is Ended.CANCELLED:
        endings.finish(lease, RunState.CANCELLED)
        return False
    if tool_uses(answer):
        tools.answer_cut_off(lease, run, answer)
    else:
        turns.take_in(lease, run)
    return True


def _before_request(lease: Lease, run: Run) -> bool:
    if lease.ended is Ended.CANCELLED:
        endings.finish(lease, RunState.CANCELLED)
        return False
    terms = Terms.of_run(run)
    if stop := budgets.reached(run, terms):
        endings.finish(lease, RunState.STOPPED, stop)
        return False
    if PendingMessage.objects.filter(run=run).exists():
        turns.take_in(lease, run)
        run = _reload(lease)
    turns.ask(lease, run, terms)
    return True


def _let_go(lease: Lease) -> bool:
    """Keep what had streamed of an answer that was broken off, and end or give back the run."""
    run = _reload(lease)
    match lease.ended:
        case Ended.CANCELLED:
            turns.record_failure(lease, run, f"Cancelled by {run.cancelled_by}.")
            endings.finish(lease, RunState.CANCELLED)
        case Ended.STOPPING:
            turns.record_failure(lease, run, WORKER_STOPPED)
            endings.give_back(lease)
        case _:
            raise LeaseLost
    return False


def _try_again(lease: Lease, failure: Transient) -> bool:
    """Keep the failure, and let the run wait for its next try, or give it up after the last one."""
    run = _reload(lease)
    exhausted = run.attempts >= min(TRIES, failure.tries or TRIES)
    wait = _wait_seconds(run.attempts, failure.retry_after)
    turns.record_failure(
        lease,
        run,
        failure.cause,
        status=failure.status,
        request_id=failure.request_id,
        retry_at=None if exhausted else timezone.now() + timedelta(seconds=wait),
    )
    if stop := budgets.reached(_reload(lease), Terms.of_run(run)):
        endings.finish(lease, RunState.STOPPED, stop)
    elif exhausted:
        endings.finish(lease, RunState.FAILED, _exhausted(failure.cause, run.attempts))
    else:
        endings.wait(lease, wait, failure.cause)
    return False


def _wait_seconds(attempts: int, retry_after: float | None) -> float:
    doubled = settings.MEMDASH_RETRY_SECONDS * 2 ** (attempts - 1) * random.uniform(0.8, 1.2)  # noqa: S311  (spreads load)
    return float(min(max(doubled, retry_after or 0), settings.MEMDASH_LONGEST_WAIT_SECONDS))


def _why(run: Run, answer: Message) -> Stop:
    """Return why an answer stopped short of the run's end."""
    spent = budgets.cut_short(run, Terms.of_run(run), answer) if answer.stop_reason == "max_tokens" else None
    return spent or reasons.of_answer(answer.stop_reason)


def _gave_up(run: Run) -> Stop:
    attempt = run.failed_attempts.last()
    cause = attempt.cause if attempt else WORKER_DIED
    return _exhausted(cause, TRIES)


def _exhausted(cause: str, tries: int) -> Stop:
    advice = f"It was tried {tries} times. Everything before is kept; retry when the cause is gone."
    return Stop(Reason.GAVE_UP, f"{cause} {advice}")


def _reload(lease: Lease) -> Run:
    return Run.objects.select_related("agent").get(pk=lease.run_id)
