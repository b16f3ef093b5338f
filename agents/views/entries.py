"""The parts of a conversation as its page shows them; templates choose by ``kind``."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.safestring import SafeString

from agents.models import Attempt
from agents.views.calls import Call
from agents.views.drafts import Draft


@dataclass(frozen=True, slots=True)
class Words:
    """Text that the agent wrote, rendered as far as a page has room for it."""

    html: SafeString
    is_cut: bool = False
    kind: str = "words"


@dataclass(frozen=True, slots=True)
class Aside:
    """Something folded beside the answer: its thoughts, or a summary that stands for what came before."""

    title: str
    text: str
    kind: str = "aside"


Piece = Words | Aside | Call


@dataclass(frozen=True, slots=True)
class Attached:
    """A text that came with a message; ``size`` counts its characters."""

    name: str
    shown: str
    size: int
    is_external: bool

    @property
    def is_cut(self) -> bool:
        """Say whether the page shows its beginning alone."""
        return len(self.shown) < self.size


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a person; ``key`` is its id on the page, ``pending`` its row's while it waits."""

    key: str
    author: str
    moment: datetime
    text: str
    attachments: tuple[Attached, ...]
    is_cut: bool = False
    pending: int | None = None
    kind: str = "said"


@dataclass(slots=True)
class Turn:
    """A request to the model: its failed tries, its answer or what streams of it, its tool calls."""

    number: int
    moment: datetime | None = None
    left_out: tuple[str, ...] = ()
    attempts: list[Attempt] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    draft: Draft | None = None
    note: str = ""
    kind: str = "turn"

    @property
    def key(self) -> str:
        return f"turn-{self.number}"


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a run that is led elsewhere, with what is new about it beside the call before.

    ``turn`` is its turn where a turn begins, 0 where the program tells of none, and None within one; ``anchor`` is the
    turn's id on the page. ``cause`` and ``sources`` are empty where they are the same as before.
    """

    position: int
    moment: datetime
    call: Call
    turn: int | None
    anchor: str = ""
    cause: str = ""
    is_cut: bool = False
    sources: tuple[str, ...] = ()
    more_sources: int = 0
    kind: str = "step"


@dataclass(frozen=True, slots=True)
class Missing:
    """A place where messages are no longer stored."""

    key: str
    words: str
    kind: str = "missing"


Entry = Said | Turn | Step | Missing
