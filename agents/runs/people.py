"""What people do with runs: start one, say more or take that back, cancel it, let it go on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.models import Agent, Message, PendingMessage, Place, Run, RunEvent, RunState
from agents.runs import budgets, events, hints
from agents.runs.history import USER, Attachment, awaits_person, content_of, title_of
from agents.runs.reasons import BUDGETS
from agents.runs.terms import Terms
from memories.refusals import Refused

GO_ON = "Continue."

_AT_REST = {"reason": "", "detail": "", "wake_at": None, "attempts": 0, "lease_owner": "", "lease_until": None}


class NotHere(Refused):
    """The agent or the run is led elsewhere, or the agent is archived."""


class NothingToContinue(Refused):
    """The run is at work, or has reached its end."""


class NotWaiting(Refused):
    """The message waits no longer: the agent has it, or somebody withdrew it."""


class NotWithdrawn(Refused):
    """There is no withdrawn message to put back: it waits again already."""


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
    with _held(run) as held:
        _say(held, content, marks, user)
        if not held.is_live:
            _queue(held)


def withdraw(run: Run, message_id: int) -> int:
    """Take back a message that waits in ``run``, and return the number under which :func:`put_back` finds it.

    Raises NotWaiting if the agent has the message or somebody withdrew it before.
    """
    with _held(run) as held:
        pending = held.pending.filter(pk=message_id).first()
        if pending is None:
            raise NotWaiting("That message waits no longer: the agent has it, or somebody withdrew it before.")
        kept = {"id": pending.pk, "content": pending.content, "marks": pending.marks, "author": pending.author}
        pending.delete()
        return events.add(held.pk, events.Kind.WITHDRAWN, kept)


def put_back(run: Run, withdrawn: int) -> None:
    """Let a message that was withdrawn wait again, in its place among others; a run that is done goes on for it.

    Raises NotWithdrawn for a number that :func:`withdraw` did not give, and the second time.
    """
    with _held(run) as held:
        event = RunEvent.objects.filter(run=held, seq=withdrawn, kind=events.Kind.WITHDRAWN).first()
        if event is None or "content" not in event.data:
            raise NotWithdrawn("There is nothing to put back: the message waits again already.")
        kept = {name: event.data[name] for name in ("content", "marks", "author")}
        PendingMessage.objects.create(pk=event.data["id"], run=held, created_at=timezone.now(), **kept)
        event.data = {"id": event.data["id"]}
        event.save(update_fields=["data"])
        events.add(held.pk, events.Kind.PENDING, event.data)
        if held.state == RunState.DONE:
            _queue(held)


def cancel(run: Run, *, user: AbstractBaseUser) -> None:
    """End ``run``: at once if no worker holds it, else as soon as its worker hears of it, within a second.

    What was done stays done, messages that wait go on waiting, and a run that has ended stays as it is.
    """
    with _held(run) as held:
        if not held.is_live or held.cancel_requested_at:
            return
        now = timezone.now()
        asked = {"cancel_requested_at": now, "cancelled_by": user.get_username(), "updated_at": now}
        if held.state == RunState.RUNNING and held.lease_until and held.lease_until > now:
            _change(held, **asked)
            return
        # A worker that wakes up after all has lost its lease by the new number.
        _change(held, **asked, **_AT_REST, state=RunState.CANCELLED, ended_at=now, lease_epoch=held.lease_epoch + 1)
        events.add(run.pk, events.Kind.STATE, {"state": RunState.CANCELLED})


def resume(run: Run, *, user: AbstractBaseUser, budget: Decimal | None = None) -> None:
    """Let ``run`` go on: a waiting one now, a failed or cancelled one where it was, a stopped one with another turn.

    After a stop by a budget, that budget is raised to ``budget`` in its own unit, or by the agent's present figure.
    Raises NothingToContinue for a run that is at work or done, BudgetTooSmall for a figure that is spent already.
    """
    with _held(run) as held:
        if held.state in (RunState.QUEUED, RunState.RUNNING, RunState.DONE):
            raise NothingToContinue("The run is at work or has reached its end; send it a message instead.")
        if held.reason in BUDGETS:
            _change(held, settings=budgets.raised(held, budget).as_json())
        last = held.messages.last()
        if last and awaits_person(last) and not held.pending.exists():
            _say(held, *content_of(GO_ON, ()), user)
        _queue(held)


@contextmanager
def _held(run: Run) -> Iterator[Run]:
    """Give the run as it is now and hold its row to the end of the transaction.

    So a person's act and a worker's decide one after the other: a message is seen by the worker that is about to end
    the run, or it sees that the run has ended.
    """
    with transaction.atomic():
        held = Run.objects.select_for_update(of=("self",)).select_related("agent").get(pk=run.pk)
        if held.is_outside:
            raise NotHere("The run is led elsewhere, by the program that calls.")
        yield held


def _queue(held: Run) -> None:
    _change(
        held,
        **_AT_REST,
        state=RunState.QUEUED,
        ended_at=None,
        cancel_requested_at=None,
        cancelled_by="",
        updated_at=timezone.now(),
    )
    events.add(held.pk, events.Kind.STATE, {"state": RunState.QUEUED})
    hints.send(held.pk)


def _change(held: Run, **changes: Any) -> None:
    Run.objects.filter(pk=held.pk).update(**changes)


def _say(run: Run, content: list[dict[str, object]], marks: list[dict[str, str]], user: AbstractBaseUser) -> None:
    pending = PendingMessage.objects.create(
        run=run, content=content, marks=marks, author=user.get_username(), created_at=timezone.now()
    )
    events.add(run.pk, events.Kind.PENDING, {"id": pending.pk})
