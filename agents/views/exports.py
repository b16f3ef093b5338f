"""A run for programs."""

from typing import Any

from agents.models import Run

FORMAT = 1


def as_json(run: Run) -> dict[str, Any]:
    """Return everything that is stored of ``run`` and its conversation, in plain JSON; moments are ISO 8601 in UTC."""
    return {
        "format": FORMAT,
        "run": _fields(
            run,
            "uuid number title started_by session settings state reason detail turns input_tokens output_tokens"
            " cache_read_tokens cache_write_tokens created_at started_at ended_at",
        ),
        "agent": _fields(run.agent, "slug name"),
        "store": _fields(run.agent.store, "slug name"),
        "messages": [
            _fields(
                message,
                "seq role turn author content marks stop_reason model request_id usage applied_edits created_at",
            )
            for message in run.messages.order_by("seq")
        ],
        "tool_calls": [
            _fields(
                call,
                "turn position tool_use_id name input content is_error first_seq last_seq cause external created_at",
            )
            for call in run.tool_calls.order_by("turn", "position")
        ],
        "failed_attempts": [
            _fields(attempt, "turn cause status request_id partial_text retry_at created_at")
            for attempt in run.failed_attempts.order_by("pk")
        ],
    }


def _fields(row: Any, names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names.split()}
