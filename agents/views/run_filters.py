"""Which runs a list shows: the filters of its address, in words and applied."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.models import Agent, Run, RunState
from agents.models.runs import LIVE_STATES
from memories.models import MemoryVersion

QUERY_CHARACTERS: Final = 200
LIVE: Final = "live"

STATES: Final = {
    LIVE: "Live",
    RunState.WAITING: "Waiting",
    RunState.DONE: "Finished",
    RunState.STOPPED: "Stopped",
    RunState.FAILED: "Failed",
    RunState.CANCELLED: "Cancelled",
    RunState.OUTSIDE: "Outside",
}
SINCE: Final = {
    "24h": ("Last 24 hours", timedelta(hours=24)),
    "7d": ("Last 7 days", timedelta(days=7)),
    "30d": ("Last 30 days", timedelta(days=30)),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for; what it names wrongly is not asked for."""

    q: str = ""
    agent: str = ""
    state: str = ""
    since: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str], agents: Mapping[str, Agent]) -> "Filters":
        """Return the filters of an address, given the agents that may be chosen by their slugs."""
        return cls(
            q=query.get("q", "").strip()[:QUERY_CHARACTERS],
            agent=_one_of(agents, query.get("agent", "")),
            state=_one_of(STATES, query.get("state", "")),
            since=_one_of(SINCE, query.get("since", "")),
        )

    def apply(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Return those of the runs that match; words are looked for in titles and in the paths that runs changed."""
        if self.q:
            changed = MemoryVersion.objects.filter(run_id=OuterRef("uuid"), path__icontains=self.q)
            runs = runs.filter(Q(title__icontains=self.q) | Exists(changed))
        if self.agent:
            runs = runs.filter(agent__slug=self.agent)
        if self.state:
            runs = runs.filter(state__in=LIVE_STATES if self.state == LIVE else (self.state,))
        if self.since:
            runs = runs.filter(created_at__gt=timezone.now() - SINCE[self.since][1])
        return runs

    def used(self) -> list[str]:
        """Return the names of the filters in use."""
        return [field.name for field in fields(self) if getattr(self, field.name)]

    def without(self, *names: str) -> "Filters":
        """Return the filters but for these."""
        return replace(self, **dict.fromkeys(names, ""))

    def address(self, **more: object) -> str:
        """Return them as the query of an address; what is empty is left out."""
        given = {name: value for name, value in {**asdict(self), **more}.items() if value}
        return f"?{urlencode(given)}"

    def sentence(self, agents: Mapping[str, Agent]) -> str:
        """Return what was looked for and not found."""
        words = ["No"]
        if self.state:
            words.append(STATES[self.state].lower())
        words.append("run")
        if self.agent:
            words.append(f"of {agents[self.agent].name}")
        if self.q:
            words.append(f"mentions “{self.q}”")
        if self.since:
            words.append(f"in the {SINCE[self.since][0].lower()}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Hidden:
    """One filter in words, how many runs it hides, and the address without it."""

    words: str
    instead: str
    count: int
    address: str


def hidden_by(filters: Filters, runs: QuerySet[Run], agents: Mapping[str, Agent]) -> list[Hidden]:
    """Return what each filter hides, for a list that came out empty."""
    names = {
        "q": (filters.q, "Any words"),
        "agent": (agents[filters.agent].name if filters.agent else "", "All agents"),
        "state": (STATES.get(filters.state, ""), "Any state"),
        "since": (SINCE[filters.since][0].lower() if filters.since else "", "Any time"),
    }
    hidden = []
    for name in filters.used():
        rest = filters.without(name)
        words, instead = names[name]
        hidden.append(Hidden(words, instead, rest.apply(runs).count(), rest.address()))
    return hidden


def _one_of(known: Mapping[str, object], given: str) -> str:
    return given if given in known else ""
