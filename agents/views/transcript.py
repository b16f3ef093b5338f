"""Building the transcript of a run, a page of turns at a time or only what is new."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from django.db.models import Max, Q

from agents.models import Attempt, Message, PendingMessage, Run, RunState
from agents.runs.history import ASSISTANT, EXTERNAL
from agents.views.calls import Calls
from agents.views.drafts import draft_of
from agents.views.entries import Aside, Attached, Entry, Missing, Piece, Said, Turn, Words
from memdash.web import markdown
from memdash.web.formats import counted, thousands
from memdash.web.markdown import Ours
from memories.paths import MemoryPath
from memories.refusals import PathRefused
from memories.views import addresses

TURNS: Final = 30
"""How many turns one page of a transcript holds."""

WORDS: Final = 20_000
ATTACHED: Final = 2_000
"""How many characters of a text a transcript shows; the download has the whole."""

_NOTES = {
    "max_tokens": "The answer was cut off at the limit of output tokens.",
    "refusal": "The model refused to go on.",
    "model_context_window_exceeded": "The conversation had filled the model's context.",
}


@dataclass(frozen=True, slots=True)
class Window:
    """A page of a transcript: its entries, and the last turns, or calls, of the pages before and after it."""

    entries: tuple[Entry, ...]
    first: int
    last: int
    total: int
    size: int = TURNS
    unit: str = "turns"

    @property
    def earlier(self) -> int | None:
        """The last one of the page before."""
        return self.first - 1 if self.first > 1 else None

    @property
    def earlier_first(self) -> int:
        return max(1, self.first - self.size)

    @property
    def later(self) -> int | None:
        """The last one of the page after."""
        return min(self.total, self.last + self.size) if self.last < self.total else None

    @property
    def later_first(self) -> int:
        return self.last + 1

    @property
    def is_newest(self) -> bool:
        return self.last >= self.total


def window(run: Run, until: int | None = None) -> Window:
    """Return the page of the transcript that ends with turn ``until``; without it, the newest."""
    total = max(1, run.turns)
    last = total if until is None else max(1, min(until, total))
    first = max(1, last - TURNS + 1)
    messages = run.messages.filter(seq__gt=_end_of(run, first - 1))
    if last < total:
        messages = messages.filter(seq__lte=_end_of(run, last))
    entries = _with_gaps(run, list(messages), first, min(last, run.turns))
    if last == total and (due := due_turn(run)):
        entries.append(due)
    return Window(tuple(entries), first, last, total)


def first_turn_shown(run: Run) -> int:
    """Return the first turn of the newest page of the transcript."""
    return max(1, max(1, run.turns) - TURNS + 1)


def renewed(run: Run, *, seqs: Iterable[int], turns: Iterable[int]) -> list[Entry]:
    """Return these messages and turns as they stand now, in their order."""
    wanted = Q(seq__in=set(seqs)) | Q(turn__in=set(turns), role=ASSISTANT)
    return [entry for _, entry in _entries(run, list(run.messages.filter(wanted)))]


def pending(run: Run) -> list[Said]:
    """Return the messages that wait: until the agent is free, or until the run goes on."""
    waiting = PendingMessage.objects.filter(run=run)
    return [replace(_said(f"pending-{message.pk}", message), pending=message.pk) for message in waiting]


def due_turn(run: Run) -> Turn | None:
    """Return the turn that has no answer yet, if it was tried or something of it has streamed."""
    number = run.turns + 1
    attempts = list(Attempt.objects.filter(run=run, turn=number))
    draft = draft_of(run) if run.state == RunState.RUNNING else None
    return Turn(number, attempts=attempts, draft=draft) if attempts or draft else None


def _end_of(run: Run, turn: int) -> int:
    """Return the seq of the last message that belongs to ``turn`` or to one before it."""
    seq: int | None = run.messages.filter(turn__gt=0, turn__lte=turn).aggregate(Max("seq"))["seq__max"]
    return seq or 0


def _entries(run: Run, messages: Sequence[Message]) -> list[tuple[Message, Entry]]:
    """Return what the messages show; the results of tool calls stand with the calls and not for themselves."""
    answered = [message.turn for message in messages if message.role == ASSISTANT]
    calls = Calls.of_turns(run, answered)
    attempts: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in Attempt.objects.filter(run=run, turn__in=answered):
        attempts[attempt.turn].append(attempt)
    return [
        (
            message,
            _turn(run, message, calls, attempts[message.turn])
            if message.role == ASSISTANT
            else _said(f"message-{message.seq}", message),
        )
        for message in messages
        if message.role == ASSISTANT or not message.turn
    ]


def _with_gaps(run: Run, messages: Sequence[Message], first_turn: int, last_turn: int) -> list[Entry]:
    """Return the entries of consecutive messages, and a mark wherever messages are no longer stored."""
    shown = {message.seq: entry for message, entry in _entries(run, messages)}
    entries: list[Entry] = []
    seq, turn = (messages[0].seq - 1 if first_turn > 1 and messages else 0), first_turn - 1
    for message in messages:
        if (gap := message.seq - seq - 1) > 0:
            lost = range(turn + 1, message.turn) if message.role == ASSISTANT else range(0)
            entries.append(Missing(f"missing-{message.seq}", _lost_words(gap, lost)))
        if message.seq in shown:
            entries.append(shown[message.seq])
        seq, turn = message.seq, max(turn, message.turn)
    if turn < last_turn:
        entries.append(Missing("missing-end", _lost_words(0, range(turn + 1, last_turn + 1))))
    return entries


def _lost_words(messages: int, turns: range) -> str:
    if not turns:
        return f"{counted(messages, 'message')} no longer stored here"
    if len(turns) == 1:
        return f"Turn {turns[0]} is no longer stored"
    return f"Turns {turns[0]} to {turns[-1]} are no longer stored"


def _said(key: str, message: Message | PendingMessage) -> Said:
    words, *texts = [str(block.get("text", "")) for block in message.content] or [""]
    marks = message.marks[1:] or [{}] * len(texts)
    attached = tuple(_attached(text, mark) for text, mark in zip(texts, marks, strict=False))
    return Said(key, message.author, message.created_at, words[:WORDS], attached, len(words) > WORDS)


def _attached(text: str, mark: dict[str, str]) -> Attached:
    name = mark.get("name", "")
    text = text.removeprefix(f"Attached: {name}\n\n")
    return Attached(name, text[:ATTACHED], len(text), mark.get("trust", EXTERNAL) == EXTERNAL)


def _turn(run: Run, answer: Message, calls: Calls, attempts: list[Attempt]) -> Turn:
    is_due = run.is_live and answer.seq == run.last_seq
    pieces = [
        piece
        for position, block in enumerate(answer.content)
        if (piece := _piece(run, answer.turn, position, block, calls, is_due=is_due))
    ]
    return Turn(
        answer.turn,
        answer.created_at,
        tuple(_edit_words(edit) for edit in answer.applied_edits),
        attempts,
        pieces,
        note=_NOTES.get(answer.stop_reason, ""),
    )


def _piece(run: Run, turn: int, position: int, block: dict[str, Any], calls: Calls, *, is_due: bool) -> Piece | None:
    match block.get("type"):
        case "text":
            text = block.get("text", "")
            return _words(run, text) if text.strip() else None
        case "tool_use":
            return calls.of(turn, position, block, is_due=is_due)
        case "thinking":
            return Aside("Thoughts", block.get("thinking", "")) if block.get("thinking") else None
        case "compaction":
            return Aside("Summary; the agent no longer sees what stands above", str(block.get("content") or ""))
        case "redacted_thinking":
            return None
    return Aside(f"Block of type {block.get('type')}, not shown", "")


def _words(run: Run, text: str) -> Words:
    html = markdown.render(text[:WORDS], resolve=partial(_memory_pages, run.agent.store.slug))
    return Words(html, len(text) > WORDS)


def _memory_pages(slug: str, targets: Collection[str]) -> dict[str, Ours]:
    """Return our pages of the memory files that links lead to, there or not: they were when the words were said."""
    pages = {}
    for target in targets:
        with suppress(PathRefused):
            pages[target] = Ours(addresses.files(slug, MemoryPath.parse(target).text))
    return pages


def _edit_words(edit: dict[str, Any]) -> str:
    """Return what the API left out of the context that it read for a turn."""
    tokens = f"{thousands(int(edit.get('cleared_input_tokens') or 0))} tokens"
    if "cleared_thinking_turns" in edit:
        return f"thoughts of {counted(int(edit['cleared_thinking_turns'] or 0), 'turn')} cleared from context, {tokens}"
    results = counted(int(edit.get("cleared_tool_uses") or 0), "tool result")
    return f"{results} cleared from context, {tokens}. The agent no longer sees them."
