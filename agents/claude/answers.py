"""What is asked of the model, what comes back, and how it can fail: plain data that needs no SDK."""

from dataclasses import dataclass, field
from typing import Any, Literal

Block = dict[str, Any]

CHUNK_KINDS = ("text", "thinking", "tool")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes after which a request is given up."""

    connect_seconds: float
    idle_seconds: float
    total_seconds: float
    answer_bytes: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Question:
    """One request: the whole conversation so far and the rules for its answer."""

    model: str
    messages: list[dict[str, Any]]
    max_tokens: int
    system: str = ""
    context_edits: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an answer that still streams; for the eye only, since the rest may never come."""

    block: int
    kind: Literal["text", "thinking", "tool"]
    text: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. Blocks of unknown types are kept as they came, so that they can be sent back."""

    content: list[Block]
    stop_reason: str
    model: str
    request_id: str
    usage: dict[str, Any]
    applied_edits: list[dict[str, Any]]


class Interrupted(Exception):
    """The request was ended from outside; the text is the reason that was given."""


class RequestFailed(Exception):
    """A request gave no answer; the text is the cause in words for people."""

    def __init__(self, cause: str, *, status: int | None = None, request_id: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.status = status
        self.request_id = request_id


class Transient(RequestFailed):
    """It may succeed if asked again, after ``retry_after`` seconds if the API named them, ``tries`` times in all."""

    def __init__(
        self,
        cause: str,
        *,
        status: int | None = None,
        request_id: str = "",
        retry_after: float | None = None,
        tries: int | None = None,
    ) -> None:
        super().__init__(cause, status=status, request_id=request_id)
        self.retry_after = retry_after
        self.tries = tries


class Final(RequestFailed):
    """Asking again would fail again; ``advice`` says what a person can do about it."""

    def __init__(self, cause: str, advice: str, *, status: int | None = None, request_id: str = "") -> None:
        super().__init__(cause, status=status, request_id=request_id)
        self.advice = advice
