"""What may happen in the made-up past of a demo agent; ``by`` is the label of a person who does not exist."""

from dataclasses import dataclass, field

from agents.demo.history.moments import At
from agents.demo.turns import Call
from agents.models import Place
from memories.commands import Command


@dataclass(frozen=True, slots=True)
class Attached:
    """A text from outside that came with a message."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A run: what a person asked the scripted demo model, which answers from the memory as it was then.

    ``max_turns`` stops it early by its budget; ``overloaded_at`` is the turn at which the model gave no answer, until
    the run was given up.
    """

    at: At
    by: str
    text: str
    attached: tuple[Attached, ...] = ()
    follow_ups: tuple[str, ...] = ()
    max_turns: int | None = None
    overloaded_at: int | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """A person saved a text in which ``old`` had become ``new``; an empty ``old`` adds ``new`` at the end."""

    at: At
    by: str
    path: str
    old: str
    new: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Did:
    """A person did something else to the memory: a file made, moved or deleted, a mark set."""

    at: At
    by: str
    command: Command


@dataclass(frozen=True, slots=True)
class Called:
    """A program elsewhere used the memory tool; ``label`` is the name of its token."""

    at: At
    label: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """A person brought files in: their paths and texts. They were last written at ``at``."""

    at: At
    by: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Looked:
    """The person who loads the demo counts as having seen everything up to here."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The person who loads the demo counts as having opened the file at ``path`` since then."""

    at: At
    path: str


Act = Asked | Edited | Did | Called | Imported | Looked | Opened


@dataclass(frozen=True, slots=True)
class World:
    """A demo agent, its store, and the acts of its past, oldest first; one that runs elsewhere names no model."""

    name: str
    slug: str
    description: str
    since: At
    acts: tuple[Act, ...]
    place: Place = Place.HERE
    model: str = ""
    settings: dict[str, object] = field(default_factory=dict)
