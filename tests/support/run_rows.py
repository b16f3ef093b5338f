"""Runs in a state that a page shows, without driving them there."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.models import Agent, Message, Run, RunState
from agents.models.runs import LIVE_STATES
from agents.runs.terms import Terms


def run_in(state: RunState, agent: Agent, *, minutes_ago: int = 1, **fields: Any) -> Run:
    """Return a run of the agent in this state, begun some minutes ago with one message."""
    began = timezone.now() - timedelta(minutes=minutes_ago)
    number = agent.runs.count() + 1
    run = Run.objects.create(
        **{
            "agent": agent,
            "number": number,
            "title": f"Run {number}",
            "started_by": "mara",
            "settings": Terms.of_agent(agent).as_json(),
            "state": state,
            "last_seq": 1,
            "created_at": began,
            "updated_at": began,
            "ended_at": None if state in LIVE_STATES else began,
            **fields,
        }
    )
    say(run, 1, run.title)
    return run


def say(run: Run, seq: int, *texts: str, marks: list[dict[str, str]] | None = None) -> Message:
    """Store a person's message."""
    return Message.objects.create(
        run=run,
        seq=seq,
        role="user",
        content=[{"type": "text", "text": text} for text in texts],
        marks=marks or [],
        author="mara",
        created_at=timezone.now(),
    )


def answer(run: Run, seq: int, turn: int, *blocks: dict[str, Any], **fields: Any) -> Message:
    """Store an answer of the model, and count its turn."""
    message = Message.objects.create(
        **{
            "run": run,
            "seq": seq,
            "role": "assistant",
            "content": list(blocks),
            "turn": turn,
            "stop_reason": "end_turn",
            "created_at": timezone.now(),
            **fields,
        }
    )
    Run.objects.filter(pk=run.pk).update(turns=turn, last_seq=seq)
    run.refresh_from_db()
    return message


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}
