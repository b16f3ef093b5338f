"""What comes of a run, in a form in which two runs can be compared."""

import itertools
import time
from dataclasses import dataclass, fields
from typing import Any, Self

from django.contrib.auth.models import User
from django.db import connection

from agents import runs
from agents.demo import CODE_REVIEWER, SUPPORT_DESK
from agents.making import create_agent
from agents.models import LIVE_STATES, Run, RunState
from memories.models import ReadEvent
from tests.support.stores import assert_sound, files_of

MESSAGES = {
    SUPPORT_DESK: "Acme Ltd asks for a refund, ticket 4711. They prefer mail on Tuesdays.",
    CODE_REVIEWER: "Review the pull request 12 of the repository billing-api.",
}


@dataclass(frozen=True)
class Outcome:
    """The end of a run: its state, its conversation, its memory and what was read of it."""

    state: str
    messages: list[tuple[str, Any]]
    calls: list[tuple[Any, ...]]
    files: dict[str, bytes]
    versions: list[tuple[Any, ...]]
    reads: list[tuple[Any, ...]]

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return what came of ``run``, after checking that its store is sound and each call had one effect."""
        assert_sound(run.agent.store)
        calls = list(run.tool_calls.all())
        changed = [range(call.first_seq, (call.last_seq or 0) + 1) for call in calls if call.first_seq is not None]
        assert list(itertools.chain(*changed)) == list(range(1, run.agent.store.seq + 1))
        # The model names its calls anew in each conversation; their order is what has to be the same.
        names = {call.tool_use_id: f"call {number}" for number, call in enumerate(calls)}
        reads = ReadEvent.objects.filter(run_id=run.uuid).order_by("turn", "pk")
        versions = run.agent.store.versions.order_by("seq")
        return cls(
            state=f"{run.state} {run.reason} {run.detail}".strip(),
            messages=[(message.role, _renamed(message.content, names)) for message in run.messages.all()],
            calls=[(call.turn, call.position, call.name, call.input, call.content, call.is_error) for call in calls],
            files=files_of(run.agent.store),
            versions=[
                (
                    version.seq,
                    version.path,
                    version.operation,
                    version.number,
                    version.sha256,
                    version.moved_from,
                    version.turn,
                    names[version.tool_use_id],
                )
                for version in versions
            ],
            reads=[(read.path, read.version, read.seq, read.turn, names[read.tool_use_id]) for read in reads],
        )


def begin() -> list[Run]:
    """Start a run of each scenario, on an agent and a store of its own."""
    person, _ = User.objects.get_or_create(username="mia")
    return [
        runs.start(create_agent(name=model.partition("/")[2], model=model), text, user=person)
        for model, text in MESSAGES.items()
    ]


def still_live(started: list[Run]) -> int:
    """Return how many have not ended."""
    return Run.objects.filter(pk__in=[run.pk for run in started], state__in=LIVE_STATES).count()


def finished(started: list[Run], *, patience: float) -> list[Run]:
    """Wait until all have ended and return them; fail when that takes longer than ``patience`` seconds."""
    deadline = time.monotonic() + patience
    for run in started:
        while run.is_live:
            assert time.monotonic() < deadline, f"{run} is still {run.state}: {run.detail}"
            time.sleep(0.05)
            run.refresh_from_db()
        assert run.state == RunState.DONE, f"{run} is {run.state}: {run.detail}"
    connection.close()
    return started


def difference(expected: Outcome, found: Outcome) -> str:
    """Return in what two outcomes differ: the first part and the first place in it, or "" if they are equal."""
    for field in fields(Outcome):
        wanted, got = getattr(expected, field.name), getattr(found, field.name)
        if wanted == got:
            continue
        if not isinstance(wanted, list):
            return f"{field.name}: {got!r} instead of {wanted!r}"
        for place, (one, other) in enumerate(itertools.zip_longest(wanted, got)):
            if one != other:
                return (
                    f"{field.name}, place {place} ({len(got)} instead of {len(wanted)}): {other!r} instead of {one!r}"
                )
    return ""


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if isinstance(value, dict):
        return {key: _renamed(each, names) for key, each in value.items()}
    return names.get(value, value) if isinstance(value, str) else value
