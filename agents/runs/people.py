"""What people do with runs: start one, say more, cancel it, let it go on."""

from collections.abc import Iterable
from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.models import LIVE_STATES, Agent, Message, PendingMessage, Place, Run, RunState
from agents.runs import budgets, events, hints
from agents.runs.history import ASSISTANT, GOES_ON, USER, Attachment, content_of, title_of
from agents.runs.reasons import BUDGETS
from agents.runs.terms import Terms
from memories.refusals import Refused

GO_ON = "Continue."


class NotHere(Refused):
    """The agent runs elsewhere, or is archived."""


class NothingToContinue(Refused):
    """The run is at work, or has reached its end."""


def start(agent: Agent, text: str, *, attachments: Iterable[Attachment] = (), user: AbstractBaseUser) -> Run:
    """Queue a new run of ``agent`` that begins with ``text``, and return it.

    Whether it can be driven at all (a key, a model) shows when a worker takes it. Raises NothingSaid without words,
    NotHere for an agent that has no runs here.
    """
    if agent.place != Place.HERE or agent.archived_at:
        raise NotHere(f"{agent.name} has no runs here.")
    content, marks = content_of(text, attachments)
    now = timezone.now()
    with transaction.atomic():
        Agent.objects.filter(pk=agent.pk).update(last_run_number=F("last_run_number") + 1)
        run = Run.objects.create(
            agent=agent,
            number=Agent.objects.values_list("last_run_number", flat=True).get(pk=agent.pk),
            title=title_of(text),
            started_by=user.get_username(),
            started_by_id=user.pk,
            settings=Terms.of_agent(agent).as_json(),
            last_seq=1,
            created_at=now,
            updated_at=now,
        )
        Message.objects.create(
            run=run, seq=1, role=USER, content=content, marks=marks, author=user.get_username(), created_at=now
        )
        events.add(run.pk, events.Kind.MESSAGE, {"seq": 1, "role": USER})
        hints.send(run.pk)
    return run


def send(run: Run, text: str, *, attachments: Iterable[Attachment] = (), user: AbstractBaseUser) -> None:
    """Say more in ``run``: the agent gets it when it is free, and a run that has ended goes on for it.

    Raises NothingSaid without words.
    """
    content, marks = content_of(text, attachments)
    with transaction.atomic():
        # Taking the run's row first decides against a worker that is about to end it: either it sees this message, or
        # this sees its end.
        ended = _queue(run, ~Q(state__in=LIVE_STATES))
        _say(run, content, marks, user)
        if ended:
            hints.send(run.pk)


def cancel(run: Run, *, user: AbstractBaseUser) -> None:
    """End ``run``: at once if no worker holds it, else as soon as its worker hears of it, within a second.

    What was done stays done, and a run that has ended stays as it is.
    """
    now = timezone.now()
    with transaction.atomic():
        asked = Run.objects.filter(pk=run.pk, state__in=LIVE_STATES, cancel_requested_at=None).update(
            cancel_requested_at=now, cancelled_by=user.get_username(), updated_at=now
        )
        idle = Q(state__in=(RunState.QUEUED, RunState.WAITING)) | Q(state=RunState.RUNNING, lease_until__lte=now)
        ended = asked and Run.objects.filter(idle, pk=run.pk).update(
            state=RunState.CANCELLED,
            ended_at=now,
            reason="",
            detail="",
            wake_at=None,
            attempts=0,
            lease_until=None,
            lease_epoch=F("lease_epoch") + 1,
        )
        if ended:
            events.add(run.pk, events.Kind.STATE, {"state": RunState.CANCELLED})


def resume(run: Run, *, user: AbstractBaseUser, budget: Decimal | None = None) -> None:
    """Let ``run`` go on: a waiting one now, a failed or cancelled one where it was, a stopped one with another turn.

    After a stop by a budget, that budget is raised to ``budget`` in its own unit, or by the agent's present figure.
    Raises NothingToContinue for a run that is at work or done, BudgetTooSmall for a figure that is spent already.
    """
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).select_related("agent").get(pk=run.pk)
        if run.state in (RunState.QUEUED, RunState.RUNNING, RunState.DONE):
            raise NothingToContinue("The run is at work or has reached its end; send it a message instead.")
        if run.reason in BUDGETS:
            Run.objects.filter(pk=run.pk).update(settings=budgets.raised(run, budget).as_json())
        _queue(run, Q())
        last = run.messages.last()
        stopped = last and last.role == ASSISTANT and last.stop_reason not in (*GOES_ON, "tool_use")
        if stopped and not run.pending.exists():
            _say(run, *content_of(GO_ON, ()), user)
        hints.send(run.pk)


def _queue(run: Run, when: Q) -> bool:
    """Queue the run if it is as ``when`` says; return whether it was."""
    queued = Run.objects.filter(when, pk=run.pk).update(
        state=RunState.QUEUED,
        reason="",
        detail="",
        wake_at=None,
        ended_at=None,
        cancel_requested_at=None,
        cancelled_by="",
        attempts=0,
        updated_at=timezone.now(),
    )
    if queued:
        events.add(run.pk, events.Kind.STATE, {"state": RunState.QUEUED})
    return bool(queued)


def _say(run: Run, content: list[dict[str, object]], marks: list[dict[str, str]], user: AbstractBaseUser) -> None:
    pending = PendingMessage.objects.create(
        run=run, content=content, marks=marks, author=user.get_username(), created_at=timezone.now()
    )
    events.add(run.pk, events.Kind.PENDING, {"id": pending.pk})
