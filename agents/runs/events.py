"""What live pages are told of a run, in the order of ``RunEvent.seq``.

=========  ==========================================================================================
kind       data
=========  ==========================================================================================
state      ``state``, and as far as they apply ``reason``, ``detail``, ``wake_at`` (ISO 8601)
pending    ``id`` of a PendingMessage: a person's message waits until the agent is free
withdrawn  ``id`` of the PendingMessage that somebody took back, and its content, marks and author to put it back with;
           they go when it is
message    ``seq`` and ``role`` of a Message that was stored; an answer and its usage come with it
call       ``tool_use_id``, ``turn``, ``position`` of a ToolCall that was stored
attempt    ``id`` of an Attempt: a request gave no whole answer
text       ``turn``, ``block``, ``text``: more of a text block that streams
thinking   the same for a thinking block
tool       the same for the input of a tool call (a part of its JSON), with ``name`` at its begin
=========  ==========================================================================================

The last three are chunks: written at most four times a second, and removed when the answer is stored whole or the
attempt has failed. So ``seq`` has gaps, and whoever comes late reads the rows and starts behind ``Run.last_event``.
"""

from enum import StrEnum
from typing import Any

from django.db.models import F
from django.utils import timezone

from agents.models import Run, RunEvent


class Kind(StrEnum):
    """Kinds of events; the module says what each carries."""

    STATE = "state"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"
    MESSAGE = "message"
    CALL = "call"
    ATTEMPT = "attempt"
    TEXT = "text"
    THINKING = "thinking"
    TOOL = "tool"


CHUNKS = (Kind.TEXT, Kind.THINKING, Kind.TOOL)


def add(run_id: int, kind: Kind, data: dict[str, Any]) -> int:
    """Record an event and return its ``seq``; the caller's transaction holds the run's row, and with it the order."""
    Run.objects.filter(pk=run_id).update(last_event=F("last_event") + 1)
    seq = Run.objects.values_list("last_event", flat=True).get(pk=run_id)
    RunEvent.objects.create(run_id=run_id, seq=seq, kind=kind, data=data, created_at=timezone.now())
    return seq


def take_chunks(run_id: int) -> str:
    """Remove the chunks of an answer that has streamed and return its text."""
    chunks = RunEvent.objects.filter(run_id=run_id, kind__in=CHUNKS)
    text = "".join(chunk.data["text"] for chunk in chunks if chunk.kind == Kind.TEXT)
    chunks.delete()
    return text
