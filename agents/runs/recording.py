"""The row of a tool call, written in the transaction of what it did."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from agents.models import Run, ToolCall
from agents.runs.texts import plain
from memories.store import Written


def record(
    run: Run,
    tool_use_id: str,
    name: str,
    raw_input: object,
    *,
    turn: int,
    position: int,
    versions: Sequence[Written] = (),
    **came: Any,
) -> None:
    """Store a call of ``run`` with what came of it; ``came`` are further columns of the row."""
    seqs = [version.seq for version in versions]
    ToolCall.objects.create(
        run=run,
        tool_use_id=tool_use_id,
        turn=turn,
        position=position,
        name=plain(name, 200),
        input=raw_input,
        path=_path(raw_input),
        first_seq=min(seqs, default=None),
        last_seq=max(seqs, default=None),
        created_at=timezone.now(),
        **came,
    )


def _path(raw_input: object) -> str:
    """Return the path that a call names, whatever the model has put there; for lists and filters, never for access."""
    given = raw_input.get("path") or raw_input.get("old_path") if isinstance(raw_input, dict) else None
    return plain(given, 1024) if isinstance(given, str) else ""
