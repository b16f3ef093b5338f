"""What the list of agents says about each: its memory, its writes, its last run, and what needs somebody."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, Exists, F, IntegerChoices, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from agents.models import Agent, Run, RunState, TokenDay, WatchedFolder
from agents.models.runs import LIVE_STATES
from agents.views.last_seen import LastSeen, last_seen
from agents.views.words import Badge, run_badge
from memdash.web.formats import counted, share
from memories.models import MemoryStore, MemoryVersion
from memories.views.sparks import DAY, Spark, since, sparks

NEAR_PERCENT = 90


class Need(IntegerChoices):
    """What about an agent calls for somebody, the most urgent first."""

    FAILED = 0
    WAITING = 1
    FOLDER = 2
    NEAR_LIMIT = 3
    PAUSED = 4
    STOPPED = 5
    RUNNING = 6
    NOTHING = 7


@dataclass(frozen=True)
class AgentRow:
    """One agent as the table and the cards show it; ``calls`` came from elsewhere in 30 days."""

    agent: Agent
    limit: "Limit"
    spark: Spark
    last: LastSeen
    badge: Badge | None
    calls: int


@dataclass(frozen=True)
class Limit:
    """The limit of a store that is nearer to being reached, and how much of it is used."""

    value: int
    limit: int
    unit: str

    @property
    def is_near(self) -> bool:
        return self.value * 100 >= self.limit * NEAR_PERCENT


def nearer_limit(store: MemoryStore) -> Limit:
    """Return the limit of the store, bytes or files, of which more is used."""
    if store.byte_count * store.max_files >= store.file_count * store.max_bytes:
        return Limit(store.byte_count, store.max_bytes, "bytes")
    return Limit(store.file_count, store.max_files, "files")


def by_need(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    """Return the agents with ``need`` and ``last_run``, those that need somebody first, then the latest active."""
    runs = Run.objects.filter(agent=OuterRef("pk"))
    newest = runs.order_by("-created_at", "-pk")
    return (
        agents.select_related("store", "folder")
        .annotate(
            last_run=Subquery(newest.values("pk")[:1]),
            last_run_at=Subquery(newest.values("created_at")[:1]),
            last_state=Subquery(newest.values("state")[:1]),
            hundredfold_bytes=F("store__byte_count") * 100,
            hundredfold_files=F("store__file_count") * 100,
        )
        .annotate(
            need=Case(
                When(last_state=RunState.FAILED, then=Value(Need.FAILED)),
                When(Exists(runs.filter(state=RunState.WAITING)), then=Value(Need.WAITING)),
                When(Q(folder__problem__gt="") | Q(folder__waiting_count__gt=0), then=Value(Need.FOLDER)),
                When(
                    Q(hundredfold_bytes__gte=F("store__max_bytes") * NEAR_PERCENT)
                    | Q(hundredfold_files__gte=F("store__max_files") * NEAR_PERCENT),
                    then=Value(Need.NEAR_LIMIT),
                ),
                When(store__paused_at__isnull=False, then=Value(Need.PAUSED)),
                When(last_state=RunState.STOPPED, then=Value(Need.STOPPED)),
                When(Exists(runs.filter(state__in=LIVE_STATES)), then=Value(Need.RUNNING)),
                default=Value(Need.NOTHING),
            )
        )
        .order_by("need", Coalesce("last_run_at", "store__last_activity_at", "created_at").desc(), "name", "pk")
    )


def rows(agents: Sequence[Agent]) -> list[AgentRow]:
    """Return what the list shows of each agent of :func:`by_need`, in their order; seven queries however many."""
    runs = Run.objects.in_bulk({agent.last_run for agent in agents if agent.last_run})  # type: ignore[attr-defined]
    live_runs = Run.objects.filter(agent__in=[agent.pk for agent in agents], state__in=LIVE_STATES).order_by("pk")
    live = {run.agent_id: run for run in live_runs}
    shown = {agent.pk: live.get(agent.pk) or runs.get(agent.last_run) for agent in agents}  # type: ignore[attr-defined]
    seen = last_seen(agents, shown)
    sparks, calls = _sparks(agents), _calls(agents)
    return [
        AgentRow(
            agent,
            nearer_limit(agent.store),
            sparks[agent.pk],
            seen[agent.pk],
            _badge(agent, shown[agent.pk]),
            calls.get(agent.pk, 0),
        )
        for agent in agents
    ]


def _badge(agent: Agent, run: Run | None) -> Badge | None:
    if agent.store.paused_at:
        # Its row tells of its limit and its last run besides; that it may not write stands nowhere else.
        return Badge("by", "lock", f"Reads only, by {agent.store.paused_by}")
    need = agent.need  # type: ignore[attr-defined]
    if need == Need.NEAR_LIMIT:
        limit = nearer_limit(agent.store)
        return Badge("warn", "alert", f"{share(limit.value, limit.limit)} of store limit")
    if need == Need.FOLDER:
        return _folder_badge(agent.folder)
    if need == Need.FAILED:
        return Badge("danger", "alert", "Last run failed")
    if need in (Need.WAITING, Need.STOPPED) and run:
        return run_badge(run)
    return None


def _folder_badge(folder: WatchedFolder) -> Badge:
    if folder.problem:
        return Badge("danger", "alert", "Folder needs a look")
    return Badge("warn", "alert", f"{counted(folder.waiting_count, 'file')} not taken")


def _calls(agents: Sequence[Agent]) -> dict[int, int]:
    """Return how many calls came with the tokens of each agent in the last 30 days."""
    keys = [agent.pk for agent in agents]
    days = TokenDay.objects.filter(token__agent__in=keys, day__gte=since().date())
    return dict(days.order_by().values_list("token__agent").annotate(Sum("calls")))


def _sparks(agents: Sequence[Agent]) -> dict[int, Spark]:
    """Return each agent's own writes of the last 30 days."""
    keys = [agent.pk for agent in agents]
    writes = (
        MemoryVersion.objects.filter(
            store__in={agent.store_id for agent in agents}, authored_at__gte=since(), agent_id__in=keys
        )
        .order_by()
        .annotate(day=DAY)
        .values_list("agent_id", "day")
        .annotate(Count("pk"))
    )
    return sparks(keys, writes)
