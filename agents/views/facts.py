"""What stands beside a conversation: its tokens, the memory it touched, and where its budgets stand."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q

from agents.known_models import context_size
from agents.models import Run
from agents.runs.costs import Prices
from agents.runs.history import ASSISTANT
from agents.runs.terms import Terms
from agents.views.words import cost_words, is_scripted
from memdash.web.formats import counted, thousands
from memories.models import MemoryVersion, ReadEvent, State
from memories.paths import ROOT
from memories.views import addresses

BAR_WIDTH: Final = 300
TURNS: Final = 100
"""The table of tokens by turn holds the last ones."""


@dataclass(frozen=True, slots=True)
class Share:
    """One kind of tokens: how many, and where its part of the bar lies."""

    label: str
    tokens: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class TurnTokens:
    """What one answer used, and the id under which the API knows it."""

    turn: int
    input: int
    cache_read: int
    cache_write: int
    output: int
    request_id: str

    @property
    def context(self) -> int:
        """How much the model had in view when the answer was whole."""
        return self.input + self.cache_read + self.cache_write + self.output


@dataclass(slots=True)
class Touched:
    """A file or directory of this run: the lines it added and removed there, and how often it looked."""

    label: str
    url: str
    history: str = ""
    added: int = 0
    removed: int = 0
    reads: int = 0
    is_gone: bool = False
    is_purged: bool = False

    @property
    def words(self) -> str:
        """How often it was read; nothing where it was changed, since the change says more."""
        if self.history or not self.reads:
            return ""
        return "read" if self.reads == 1 else f"read {self.reads}×"


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything of the pane beside a conversation."""

    shares: tuple[Share, ...]
    context: int
    context_limit: int | None
    by_turn: tuple[TurnTokens, ...]
    cost: str
    is_scripted: bool
    touched: tuple[Touched, ...]
    model: str
    turns: str
    output: str
    minutes: str
    calls: str
    cleared: str

    @property
    def has_changed_memory(self) -> bool:
        """Say whether the run changed a file, which can be undone."""
        return any(file.history for file in self.touched)


def facts_of(run: Run) -> Facts:
    """Return the facts of ``run`` as its rows are now; six queries."""
    terms = Terms.of_run(run)
    answers = list(
        run.messages.filter(role=ASSISTANT).order_by("seq").values_list("turn", "usage", "request_id", "applied_edits")
    )
    by_turn = [_tokens(turn, usage, request_id) for turn, usage, request_id, _ in answers[-TURNS:]]
    return Facts(
        shares=_shares(run),
        context=by_turn[-1].context if by_turn else 0,
        context_limit=context_size(terms.model),
        by_turn=tuple(by_turn),
        cost=cost_words(run, Prices.load()),
        is_scripted=is_scripted(run),
        touched=tuple(touched_by(run)),
        model=terms.model,
        turns=_of(run.turns, terms.max_turns),
        output=_of(run.output_tokens, terms.max_run_output_tokens),
        minutes=_minutes(run.active_seconds, terms.max_minutes),
        calls=calls_words(run),
        cleared=_cleared([turn for turn, _, _, edits in answers if edits]),
    )


def _tokens(turn: int, usage: dict[str, Any], request_id: str) -> TurnTokens:
    def counted_as(name: str) -> int:
        return int(usage.get(name) or 0)

    return TurnTokens(
        turn,
        input=counted_as("input_tokens"),
        cache_read=counted_as("cache_read_input_tokens"),
        cache_write=counted_as("cache_creation_input_tokens"),
        output=counted_as("output_tokens"),
        request_id=request_id,
    )


def _shares(run: Run) -> tuple[Share, ...]:
    kinds = (
        ("Input", run.input_tokens),
        ("Read from cache", run.cache_read_tokens),
        ("Written to cache", run.cache_write_tokens),
        ("Output", run.output_tokens),
    )
    total = sum(tokens for _, tokens in kinds) or 1
    shares, x = [], 0.0
    for label, tokens in kinds:
        width = BAR_WIDTH * tokens / total
        shares.append(Share(label, tokens, round(x, 1), round(width, 1)))
        x += width
    return tuple(shares)


def touched_by(run: Run) -> list[Touched]:
    """Return what the run changed, in the order of its first change, then what it only read."""
    slug = run.agent.store.slug
    found: dict[tuple[int | None, str], Touched] = {}
    for version in MemoryVersion.objects.filter(run_id=run.uuid).select_related("entry").order_by("seq"):
        entry = version.entry
        history = addresses.history(slug, version.path, v=version.number)
        file = found.setdefault((version.entry_id, ""), Touched("", ""))
        file.label, file.url, file.history = _relative(version.path), addresses.files(slug, version.path), history
        file.added += sum(span[3] for span in version.spans)
        file.removed += sum(span[1] for span in version.spans)
        file.is_gone = entry.state != State.LIVE
        file.is_purged = entry.state == State.PURGED
    reads = ReadEvent.objects.filter(run_id=run.uuid).values_list("entry", "path").order_by("path")
    for (entry_id, path), times in Counter(reads).items():
        key = (entry_id, "") if entry_id else (None, path)
        file = found.setdefault(key, Touched(_relative(path), addresses.files(slug, path)))
        file.reads += times
    return list(found.values())


def _relative(path: str) -> str:
    return path[len(ROOT) + 1 :] or "list of all files"


def _of(used: int, budget: int | None) -> str:
    return f"{thousands(used)} of {thousands(budget)}" if budget is not None else thousands(used)


def _minutes(seconds: float, budget: int | None) -> str:
    used = f"{int(seconds)} s" if seconds < 60 else f"{int(seconds // 60)} min"
    return f"{used} of {thousands(budget)} min" if budget is not None else used


def calls_words(run: Run) -> str:
    """Return how many calls the run made, and how many of them failed."""
    counts = run.tool_calls.aggregate(all=Count("pk"), failed=Count("pk", filter=Q(is_error=True)))
    if not counts["all"]:
        return "none"
    return f"{thousands(counts['all'])}, {thousands(counts['failed']) if counts['failed'] else 'none'} failed"


def _cleared(turns: Iterable[int]) -> str:
    """Return when the API cleared parts of the context, or "" if it never did."""
    numbers = list(turns)
    if not numbers:
        return ""
    if len(numbers) == 1:
        return f"Once, at turn {numbers[0]}"
    return f"{counted(len(numbers), 'time')}, last at turn {numbers[-1]}"
