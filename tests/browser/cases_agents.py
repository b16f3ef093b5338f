"""The pages of agents and runs."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from agents import runs
from agents.demo import SUPPORT_DESK
from agents.making import create_agent
from agents.models import Agent, Message, Run, RunState
from agents.models.runs import LIVE_STATES
from agents.runs.terms import Terms
from memories.models import ChangeSet
from tests.browser.cases import Case

LONG_NAME = f"Support desk of a company whose name is so long that no column has room for all of it: {'x' * 120}"
STATES = list(RunState)


def seed(size: int) -> None:
    """Make agents and runs; one run is a real one of the scripted demo model."""
    if not size:
        return
    desk = create_agent(name="Support desk", model=SUPPORT_DESK, system_prompt="Be brief.")
    ticket = runs.Attachment("Ticket 4821", "The export job fails.")
    with override_settings(MEMDASH_DEMO_PACE=0):
        text = "Acme Corp renewed its contract. Remember that the renewal is on 12 December."
        run = runs.start(desk, text, attachments=[ticket], user=User.objects.get(username="mara"))
        runs.drive(run.pk)
    _seed_deleted(desk, size)
    if size > 1:
        _seed_many(desk, size)


def _seed_deleted(desk: Agent, size: int) -> None:
    now = timezone.now()
    Agent.objects.bulk_create(
        Agent(name=f"{LONG_NAME}, old {n}", slug=f"old-{n}", store=desk.store, created_at=now, archived_at=now)
        for n in range(size)
    )


def _seed_many(desk: Agent, size: int) -> None:
    now = timezone.now()
    Agent.objects.bulk_create(
        Agent(name=f"{LONG_NAME} {n}", slug=f"desk-{n}", store=desk.store, place=place, model=model, created_at=now)
        for n in range(1, size)
        for place, model in [(("here", "api", "folder")[n % 3], (SUPPORT_DESK, "claude-opus-5-5")[n % 2])]
    )
    agents = list(Agent.objects.exclude(pk=desk.pk))
    Run.objects.bulk_create(
        Run(
            agent=agent,
            number=1,
            title=f"{n}-of-a-title-without-any-blank-that-is-as-long-as-it-may-be-".ljust(200, "x")[:200],
            started_by="mara",
            settings=Terms.of_agent(agent).as_json(),
            state=STATES[n % len(STATES)],
            wake_at=now + timedelta(hours=1) if STATES[n % len(STATES)] == RunState.WAITING else None,
            created_at=now - timedelta(minutes=n),
            updated_at=now,
            ended_at=None if STATES[n % len(STATES)] in LIVE_STATES else now,
        )
        for n, agent in enumerate(agents)
    )
    _lengthen(Run.objects.filter(agent=agents[0]).get(), size)


def _lengthen(run: Run, turns: int) -> None:
    """Give the run a conversation of so many turns."""
    words = "A line of the answer. " * 20
    Message.objects.bulk_create(
        Message(
            run=run,
            seq=turn,
            role="assistant",
            turn=turn,
            content=[{"type": "text", "text": f"{words}\n\n- {'x' * 300}\n- `{'y' * 300}`"}],
            stop_reason="end_turn",
            usage={"input_tokens": 1000, "output_tokens": 10},
            created_at=run.created_at,
        )
        for turn in range(1, turns + 1)
    )
    Run.objects.filter(pk=run.pk).update(turns=turns, last_seq=turns)


def _first_run() -> Run | None:
    return Run.objects.order_by("pk").first()


def _of_agent(name: str) -> str | None:
    agent = Agent.objects.order_by("pk").first()
    return reverse(name, args=[agent.slug]) if agent else None


def _of_run(name: str) -> str | None:
    run = _first_run()
    return reverse(name, args=[run.uuid]) if run else None


def _longest_run() -> str | None:
    run = Run.objects.order_by("-turns").first()
    return reverse("agents:run", args=[run.uuid]) if run else None


def _undo_run() -> str | None:
    runs = {f"run:{run}": run for run in Run.objects.values_list("uuid", flat=True)}
    key = ChangeSet.objects.filter(key__startswith="run:", key__in=list(runs)).values_list("key", flat=True).first()
    return reverse("agents:undo-run", args=[runs[key]]) if key else None


def _of_call() -> str | None:
    run = _first_run()
    call = run.tool_calls.filter(first_seq__isnull=False).first() if run else None
    return reverse("agents:call", args=[run.uuid, call.turn, call.position]) if run and call else None


def _new_run() -> str:
    agent = Agent.objects.order_by("pk").first()
    return reverse("agents:new-run") + (f"?agent={agent.slug}" if agent else "")


CASES = {
    "agents:home": Case(lambda: reverse("agents:home")),
    "agents:list": Case(lambda: reverse("agents:list") + "?layout=cards"),
    "agents:new": Case(lambda: reverse("agents:new")),
    "agents:import": Case(lambda: reverse("agents:import")),
    "agents:deleted": Case(lambda: reverse("agents:deleted")),
    "agents:settings": Case(lambda: _of_agent("agents:settings")),
    "agents:delete": Case(lambda: _of_agent("agents:delete")),
    "agents:agent-runs": Case(lambda: _of_agent("agents:agent-runs")),
    "agents:runs": Case(lambda: reverse("agents:runs")),
    "agents:new-run": Case(_new_run),
    "agents:run": Case(_longest_run),
    "agents:message": Case(lambda: _of_run("agents:message")),
    "agents:call": Case(_of_call),
    "agents:log": Case(lambda: _of_run("agents:log"), whole=False, status=286),
    "agents:events": Case(lambda: _of_run("agents:events"), shown=False),
    "agents:download": Case(lambda: _of_run("agents:download"), shown=False),
    "agents:undo-run": Case(_undo_run),
    "agents:prices": Case(lambda: reverse("agents:prices")),
}
POST_ONLY = {f"agents:{name}" for name in ("load-demo", "restore", "cancel", "resume", "withdraw", "put-back")}
