"""Who acts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class ActorKind(StrEnum):
    AGENT = "agent"
    PERSON = "person"
    TOKEN = "token"  # noqa: S105  (a kind of actor, no secret)
    IMPORT = "import"
    FOLDER = "folder"
    SWEEP = "sweep"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change or a look, kept with the record as text and ids that outlive what they name.

    ``dedupe_key`` makes a command repeatable: given again, it answers as the first time and changes nothing.
    ``change_set`` is a key, such as ``"run:<uuid>"``, that puts several acts into one change set; without it each act
    has its own. ``undoes`` is the public id of a change set that this act takes back. ``authored_at`` says when the
    text was really written, which only imports and demo data know better than the clock.
    """

    kind: ActorKind
    label: str
    user_id: int | None = None
    agent_id: int | None = None
    run_id: UUID | None = None
    turn: int | None = None
    tool_use_id: str = ""
    token_id: int | None = None
    dedupe_key: str | None = None
    change_set: str = ""
    reason: str = ""
    undoes: UUID | None = None
    authored_at: datetime | None = None

    @property
    def bound_by_locks(self) -> bool:
        """Return whether a locked file, or a store whose changes are paused, is closed to this actor."""
        return self.kind in (ActorKind.AGENT, ActorKind.TOKEN, ActorKind.FOLDER)

    @property
    def dates_files(self) -> bool:
        """Return whether ``authored_at`` is when a file was written that this actor brings in, and not when it acts."""
        return self.kind in (ActorKind.IMPORT, ActorKind.FOLDER)
