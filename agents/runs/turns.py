"""One turn: a request to the model, its chunks for the eye, and its answer stored whole."""

import threading
from typing import Any, Self

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone

from agents.claude.answers import Answer, Chunk, Limits, Question
from agents.claude.endpoints import endpoint_for
from agents.models import Attempt, Message, PendingMessage, Run
from agents.runs import budgets, events
from agents.runs.history import ASSISTANT, USER, sendable
from agents.runs.lease import Lease, LeaseLost
from agents.runs.terms import Terms
from agents.runs.texts import plain, tokens_in

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
    connection.close()  # a stream may last for many minutes, and connections are few
    with _Chunks(lease, run.turns + 1) as chunks, lease.request(on_beat=chunks.write) as interrupt:
        for piece in stream_turn(endpoint, question, interrupt=interrupt, limits=_limits(run, terms)):
            if isinstance(piece, Answer):
                answer = piece
            else:
                chunks.add(piece)
    _store(lease, run, answer)


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
    iterations = usage.get("iterations")
    parts = iterations if isinstance(iterations, list) else []
    counts = [usage, *(each for each in parts if isinstance(each, dict) and each.get("type") == "compaction")]
    names = {
        "input_tokens": "input_tokens",
        "output_tokens": "output_tokens",
        "cache_read_tokens": "cache_read_input_tokens",
        "cache_write_tokens": "cache_creation_input_tokens",
    }
    return {ours: sum(tokens_in(count, theirs) for count in counts) for ours, theirs in names.items()}


class _Chunks:
    """Gathers the chunks of an answer until they are written as events; as a context manager it ends with its request.

    What is left when the request fails is written then, so that the partial text is whole. After a whole answer it is
    of no use, and nothing may be written any more.
    """

    def __init__(self, lease: Lease, turn: int) -> None:
        self._lease = lease
        self._turn = turn
        self._lock = threading.Lock()
        self._gathered: list[Chunk] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None and not issubclass(failure, LeaseLost):
            self.write()
        with self._lock:
            self._gathered = []

    def add(self, chunk: Chunk) -> None:
        """Take a chunk; it joins the one before where both belong to the same block."""
        with self._lock:
            last = self._gathered[-1] if self._gathered else None
            if last and (last.block, last.kind) == (chunk.block, chunk.kind):
                self._gathered[-1] = Chunk(last.block, last.kind, last.text + chunk.text, last.name or chunk.name)
            else:
                self._gathered.append(chunk)

    def write(self) -> None:
        """Write what has been gathered as events; raise LeaseLost without the lease."""
        with self._lock:
            if not self._gathered:
                return
            with self._lease.fenced():
                for chunk in self._gathered:
                    data = {"turn": self._turn, "block": chunk.block, "text": chunk.text}
                    name = {"name": chunk.name} if chunk.name else {}
                    events.add(self._lease.run_id, events.Kind(chunk.kind), data | name)
            self._gathered = []
