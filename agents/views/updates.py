"""News of a run for the pages that show it: the same fragment over the event stream and to a page that asks."""

from typing import Any

from django.template.loader import render_to_string

from agents.live import Update
from agents.models import Run, RunEvent
from agents.runs.events import CHUNKS, Kind
from agents.runs.history import ASSISTANT
from agents.views import outside, sending, transcript
from agents.views.drafts import More, draft_since
from agents.views.entries import Entry, Step, Turn
from agents.views.facts import facts_of
from agents.views.memory_of_run import memory_of
from agents.views.notices import notice_of
from agents.views.outdated import outdated_since
from agents.views.undone import undone_by
from agents.views.words import is_scripted, run_badge


def since(run_id: int, cursor: int, may_write: bool) -> Update | None:
    """Return what happened to the run after event ``cursor``, or None if nothing did.

    The parts of the fragment take the place of those with the same id, or come after the last entry; calls that showed
    what has changed only take a place that the page has. They show rows as they are now, so that applying one twice
    does no harm; only text that goes on is added to what stands there.
    """
    run = Run.objects.select_related("agent__store").get(pk=run_id)
    if run.last_event <= cursor:
        return None
    events = RunEvent.objects.filter(run=run, seq__gt=cursor, seq__lte=run.last_event).exclude(kind__in=CHUNKS)
    news = list(events.values_list("kind", "data"))
    draft = draft_since(run, cursor)
    more = draft if isinstance(draft, More) and not news else None
    context: dict[str, Any] = {"run": run, "more": more, "is_over": not run.may_go_on}
    if run.is_outside:
        context |= {"entries": _steps(run, cursor), "outdated": []} | surroundings(run, may_write)
    elif more is None:
        entries = _entries(run, news)
        told = {entry.number for entry in entries if isinstance(entry, Turn)}
        context |= {"entries": entries, "outdated": outdated_since(run, cursor, but=told)}
        context |= surroundings(run, may_write)
    return Update(run.last_event, render_to_string("agents/run_update.html", context), not run.may_go_on)


def surroundings(run: Run, may_write: bool) -> dict[str, Any]:
    """Return what stands around the conversation and changes with it."""
    may_write = may_write and run.agent.archived_at is None
    if run.is_outside:
        seen = outside.facts_of(run)
        return {
            "badge": run_badge(run),
            "may_write": may_write,
            "facts": seen,
            "undone": undone_by(run, seen),
            "memory": memory_of(run),
        }
    pending, facts = transcript.pending(run), facts_of(run)
    return {
        "badge": run_badge(run),
        "notice": notice_of(run, len(pending)),
        "may_write": may_write,
        "is_scripted": is_scripted(run),
        "pending": pending,
        "waits": sending.of_one_that_waits(run),
        "sending": sending.of_one_sent_now(run, len(pending)),
        "facts": facts,
        "undone": undone_by(run, facts),
        "memory": memory_of(run),
    }


def _steps(run: Run, cursor: int) -> list[Step]:
    """Return the calls that came after the one at ``cursor``, as many of the newest as a page has."""
    return outside.steps_of(run, range(max(cursor, run.last_event - outside.CALLS) + 1, run.last_event + 1))


def _entries(run: Run, news: list[tuple[str, dict[str, Any]]]) -> list[Entry]:
    """Return the entries that the news are about."""
    stored = [data for kind, data in news if kind == Kind.MESSAGE]
    seqs = {data["seq"] for data in stored}
    turns = {data["turn"] for kind, data in news if kind == Kind.CALL}
    if any(data["role"] != ASSISTANT for data in stored):
        # Results say nothing for themselves: they settle the calls of the turn before, those never executed too.
        turns.add(run.turns)
    entries = transcript.renewed(run, seqs=seqs, turns=turns)
    if due := transcript.due_turn(run):
        entries.append(due)
    return entries
