"""What streams of an answer before it is stored whole: text, thoughts, the tool call that is being written."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agents.models import Run, RunEvent
from agents.runs.events import CHUNKS, Kind

_ASKED = re.compile(r'"(command|path|old_path)"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the answer as far as it has come; of a tool call, its command and path once they are written."""

    kind: str
    text: str
    verb: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The part of an answer that has streamed."""

    turn: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class More:
    """Text to be added at the end of a draft that the page shows already."""

    turn: int
    text: str


def draft_of(run: Run) -> Draft | None:
    """Return what has streamed of the run's next answer up to its last event, or None if nothing has."""
    return _draft(_chunks(run).filter(seq__lte=run.last_event))


def draft_since(run: Run, cursor: int) -> Draft | More | None:
    """Return what has streamed since event ``cursor``: text alone where it goes on, else the draft as it stands."""
    chunks = list(_chunks(run).filter(seq__lte=run.last_event))
    new = [chunk for chunk in chunks if chunk.seq > cursor]
    if not new:
        return None
    known = chunks[: len(chunks) - len(new)]
    if known and all(_is_alike(known[-1], chunk) for chunk in new):
        return More(new[0].data["turn"], "".join(chunk.data["text"] for chunk in new))
    return _draft(chunks)


def _chunks(run: Run) -> Any:
    return RunEvent.objects.filter(run=run, kind__in=CHUNKS).order_by("seq")


def _is_alike(one: RunEvent, other: RunEvent) -> bool:
    """Return whether both are text of one block."""
    return one.kind == other.kind == Kind.TEXT and one.data["block"] == other.data["block"]


def _draft(chunks: Iterable[RunEvent]) -> Draft | None:
    blocks: dict[int, tuple[str, str, list[str]]] = {}
    turn = 0
    for chunk in chunks:
        turn = chunk.data["turn"]
        _, _, texts = blocks.setdefault(chunk.data["block"], (chunk.kind, chunk.data.get("name", ""), []))
        texts.append(chunk.data["text"])
    parts = tuple(_part(kind, name, "".join(texts)) for kind, name, texts in blocks.values())
    return Draft(turn, parts) if parts else None


def _part(kind: str, name: str, text: str) -> Part:
    if kind != Kind.TOOL:
        return Part(kind, text)
    asked = {key: json.loads(value) for key, value in _ASKED.findall(text)}
    return Part(kind, "", asked.get("command", name), asked.get("path") or asked.get("old_path", ""))
