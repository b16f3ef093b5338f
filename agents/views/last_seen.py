"""What an agent did last; of one that did nothing yet, how its memory came in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Count, Max, Min, Q

from agents.models import Agent, Place, Run, RunState
from memdash.web.formats import counted
from memories.actors import ActorKind
from memories.models import MemoryVersion, ReadEvent

WITHIN: Final = 1_000
"""An import is looked for among so many of a store's newest changes, and no further counted."""


@dataclass(frozen=True, slots=True)
class LastSeen:
    """What an agent did last: the tone of its dot, the words before the moment, the moment, and who did it for it."""

    tone: str
    words: str
    moment: datetime | None = None
    run: Run | None = None
    by: str = ""


def last_seen(agents: Sequence[Agent], runs: Mapping[int, Run | None]) -> dict[int, LastSeen]:
    """Return what each agent did last, by its id; ``runs`` are their live or else newest runs. Three queries."""
    found = {pk: _of_run(run) for pk, run in runs.items() if run and not run.is_outside}
    idle = [agent for agent in agents if agent.pk not in found]
    outside = {pk: run for pk, run in runs.items() if run and run.is_outside}
    calls = _last_calls([agent for agent in idle if agent.place != Place.HERE or agent.pk in outside])
    for agent in idle:
        run, moment = outside.get(agent.pk), calls.get(agent.pk)
        if run and (moment is None or moment <= run.updated_at):
            found[agent.pk] = LastSeen("ok", "Last call", run.updated_at, run)
        elif moment:
            found[agent.pk] = LastSeen("ok", f"Last {_noun(agent)}", moment)
    found = _last_imports([agent for agent in idle if agent.pk not in found]) | found
    return {agent.pk: found.get(agent.pk) or LastSeen("", f"No {_noun(agent)} yet") for agent in agents}


def _noun(agent: Agent) -> str:
    return {Place.HERE: "run", Place.API: "call"}.get(Place(agent.place), "change")


def _of_run(run: Run) -> LastSeen:
    if run.is_live:
        tone, words = {RunState.RUNNING: ("live", "Running now"), RunState.QUEUED: ("", "Queued")}.get(
            RunState(run.state), ("warn", "Waiting for a retry")
        )
        return LastSeen(tone, words, run=run)
    tone, words = {
        RunState.FAILED: ("danger", "Failed"),
        RunState.STOPPED: ("warn", "Stopped"),
        RunState.CANCELLED: ("", "Cancelled"),
    }.get(RunState(run.state), ("ok", ""))
    return LastSeen(tone, words, run.ended_at or run.created_at, run)


def _last_calls(agents: Iterable[Agent]) -> dict[int, datetime]:
    """Return when agents that run elsewhere last read or wrote. What comes from a folder is written by its agent."""
    wanted = {agent.pk: agent.place for agent in agents}
    if not wanted:
        return {}
    calling = [pk for pk, place in wanted.items() if place == Place.API]
    writes = (
        MemoryVersion.objects.filter(agent_id__in=wanted)
        .exclude(agent_id__in=calling, actor_kind=ActorKind.IMPORT)
        .values_list("agent_id")
        .annotate(Max("authored_at"))
    )
    reads = ReadEvent.objects.filter(agent_id__in=wanted).values_list("agent_id").annotate(Max("read_at"))
    latest: dict[int, datetime] = {}
    for agent_id, moment in [*writes.order_by(), *reads.order_by()]:
        latest[agent_id] = max(latest.get(agent_id, moment), moment)
    return latest


def _last_imports(agents: Iterable[Agent]) -> dict[int, LastSeen]:
    """Return the last import into the memory of each of the agents, unless much has changed there since."""
    bounds = {agent.store_id: agent.store.seq - WITHIN for agent in agents}
    if not bounds:
        return {}
    newest = reduce(or_, (Q(store=store_id, seq__gt=bound) for store_id, bound in bounds.items()))
    imports = (
        MemoryVersion.objects.filter(newest, actor_kind=ActorKind.IMPORT, agent_id__isnull=False)
        .values_list("store_id", "agent_id", "actor_label", "change_set")
        .annotate(Count("pk"), Min("seq"), Max("recorded_at"), last=Max("seq"))
        .order_by("last")
    )
    found = {}
    for store_id, agent_id, label, _, count, first, moment, _ in imports:
        more = " or more" if 1 < first <= bounds[store_id] + 1 else ""
        found[agent_id] = LastSeen("", f"Imported {counted(count, 'file')}{more}", moment, by=label)
    return found
