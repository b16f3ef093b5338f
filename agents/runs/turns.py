"""One turn: a request to the model, its chunks for the eye, and its answer stored whole."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone

from agents.claude.answers import Answer, Chunk, Limits, Question
from agents.claude.endpoints import endpoint_for
from agents.models import Attempt, Message, PendingMessage, Run
from agents.runs import budgets, events
from agents.runs.history import ASSISTANT, USER, sendable
from agents.runs.lease import Lease
from agents.runs.terms import Terms
from agents.runs.texts import plain

CHUNK_SECONDS = 0.25
CONNECT_SECONDS = 5.0


def take_in(lease: Lease, run: Run) -> None:
    """Store the messages that people have sent meanwhile as the next ones of the conversation."""
    with lease.fenced():
        seq = run.last_seq
        for pending in PendingMessage.objects.filter(run=run):
            seq += 1
            Message.objects.create(
                run=run,
                seq=seq,
                role=USER,
                content=pending.content,
                marks=pending.marks,
                author=pending.author,
                created_at=timezone.now(),
            )
            pending.delete()
            events.add(run.pk, events.Kind.MESSAGE, {"seq": seq, "role": USER})
        lease.write(last_seq=seq)


def ask(lease: Lease, run: Run, terms: Terms) -> None:
    """Send the conversation and store the answer; raise Interrupted, Transient or Final if no whole answer came."""
    from agents.claude.stream import stream_turn  # noqa: PLC0415  (imports the SDK, which only a worker needs)

    question = Question(
        model=terms.model,
        messages=sendable(run.messages.all()),
        max_tokens=budgets.output_tokens_left(terms, run.output_tokens),
        system=terms.system_prompt,
        context_edits=terms.context_edits,
    )
    endpoint = endpoint_for(terms.model)
    chunks = _Chunks(lease, run.turns + 1)
    connection.close()  # a stream may last for many minutes, and connections are few
    with lease.request() as interrupt:
        for piece in stream_turn(endpoint, question, interrupt=interrupt, limits=_limits(run, terms)):
            if isinstance(piece, Answer):
                _store(lease, run, piece)
            else:
                chunks.add(piece)


def record_failure(lease: Lease, run: Run, cause: str, **more: Any) -> None:
    """Keep that a request gave no answer, and what of it had streamed."""
    with lease.fenced():
        partial = plain(events.take_chunks(run.pk), 200_000)
        attempt = Attempt.objects.create(
            run=run,
            turn=run.turns + 1,
            cause=plain(cause, 500),
            partial_text=partial,
            created_at=timezone.now(),
            **more,
        )
        events.add(run.pk, events.Kind.ATTEMPT, {"id": attempt.pk})


def _limits(run: Run, terms: Terms) -> Limits:
    left = budgets.seconds_left(run, terms)
    total = settings.MEMDASH_TURN_SECONDS
    return Limits(
        connect_seconds=CONNECT_SECONDS,
        idle_seconds=settings.MEMDASH_IDLE_SECONDS,
        total_seconds=total if left is None else min(total, left),
    )


def _store(lease: Lease, run: Run, answer: Answer) -> None:
    seq, turn = run.last_seq + 1, run.turns + 1
    usage = _tokens(answer.usage)
    counted = {name: F(name) + tokens for name, tokens in usage.items()}
    with lease.fenced(last_seq=seq, turns=turn, attempts=1, **counted):
        Message.objects.create(
            run=run,
            seq=seq,
            role=ASSISTANT,
            content=answer.content,
            turn=turn,
            stop_reason=plain(answer.stop_reason, 60),
            model=plain(answer.model, 200),
            request_id=plain(answer.request_id, 120),
            usage=answer.usage,
            applied_edits=answer.applied_edits,
            created_at=timezone.now(),
        )
        events.take_chunks(run.pk)
        events.add(run.pk, events.Kind.MESSAGE, {"seq": seq, "role": ASSISTANT})


def _tokens(usage: dict[str, Any]) -> dict[str, int]:
    """Return what an answer adds to the totals of its run. A summary's own tokens stand beside the total, not in it."""
    summaries = [each for each in usage.get("iterations") or [] if each.get("type") == "compaction"]
    names = {
        "input_tokens": "input_tokens",
        "output_tokens": "output_tokens",
        "cache_read_tokens": "cache_read_input_tokens",
        "cache_write_tokens": "cache_creation_input_tokens",
    }
    return {ours: sum(int(part.get(theirs) or 0) for part in (usage, *summaries)) for ours, theirs in names.items()}


class _Chunks:
    """Gathers the chunks of an answer and writes them as events, four times a second at most."""

    def __init__(self, lease: Lease, turn: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._lease = lease
        self._turn = turn
        self._clock = clock
        self._written_at = float("-inf")
        self._gathered: list[Chunk] = []

    def add(self, chunk: Chunk) -> None:
        last = self._gathered[-1] if self._gathered else None
        if last and (last.block, last.kind) == (chunk.block, chunk.kind):
            self._gathered[-1] = Chunk(last.block, last.kind, last.text + chunk.text, last.name or chunk.name)
        else:
            self._gathered.append(chunk)
        if self._clock() - self._written_at >= CHUNK_SECONDS:
            self._write()

    def _write(self) -> None:
        with self._lease.fenced():
            for chunk in self._gathered:
                data = {"turn": self._turn, "block": chunk.block, "text": chunk.text}
                events.add(
                    self._lease.run_id, events.Kind(chunk.kind), data | ({"name": chunk.name} if chunk.name else {})
                )
        connection.close()
        self._gathered = []
        self._written_at = self._clock()
