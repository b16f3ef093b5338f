"""Who caused a change or a look, in words and with a way there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from django.http import HttpRequest

from memdash.web import slots
from memories.actors import ActorKind
from memories.views.places import RunLink

ICONS: Final = {
    ActorKind.AGENT: "agents",
    ActorKind.PERSON: "user",
    ActorKind.TOKEN: "terminal",
    ActorKind.IMPORT: "download",
    ActorKind.FOLDER: "folder",
    ActorKind.SWEEP: "clock",
    ActorKind.SYSTEM: "settings",
}


class Acted(Protocol):
    """A version or a read: what an actor did, perhaps in a turn of a run."""

    @property
    def actor_kind(self) -> str: ...

    @property
    def actor_label(self) -> str: ...

    @property
    def run_id(self) -> UUID | None: ...

    @property
    def turn(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Cause:
    """``who`` acted, and ``label`` for the act: the run's turn, or the actor where there is no run."""

    icon: str
    who: str
    label: str
    url: str = ""
    title: str = ""

    @property
    def in_run(self) -> bool:
        """Say whether the label names a run whose page there is."""
        return bool(self.url)


class Causes:
    """The causes of several acts, read together."""

    def __init__(self, request: HttpRequest, acts: Iterable[Acted]) -> None:
        run_ids = frozenset(act.run_id for act in acts if act.run_id)
        self._runs: dict[UUID, RunLink] = {}
        if run_ids:
            known: Mapping[UUID, RunLink]
            for known in slots.fill("run-links", request, run_ids=run_ids):
                self._runs.update(known)

    def of(self, act: Acted) -> Cause:
        """Return the cause of one of the acts."""
        kind = ActorKind(act.actor_kind)
        icon, who = ICONS[kind], act.actor_label
        turn = f", turn {act.turn}" if act.turn else ""
        run = self._runs.get(act.run_id) if act.run_id else None
        if run is None:
            return Cause(icon, who, who + turn)
        return Cause(icon, who, run.label + turn, run.at(act.turn), run.title)
