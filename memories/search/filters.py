"""What a search is narrowed by: each filter as a condition on indexed documents and as one on a file in hand.

A new filter is a field of :class:`Filters` with a line in ``conditions`` and in ``lets_through``.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection

from memories.models import MemoryVersion
from memories.paths import MemoryPath

Condition = tuple[str, list[Any]]
"""SQL about a row ``d`` of documents, and its parameters."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Where a file lies, who changed it last and when, what label it has; what is empty lets everything through."""

    below: MemoryPath | None = None
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None
    label: str = ""

    def __bool__(self) -> bool:
        return self != Filters()

    def without(self, name: str) -> "Filters":
        """Return the filters less the one of this name."""
        nothing: dict[str, Any] = {name: getattr(Filters(), name)}
        return replace(self, **nothing)

    def conditions(self) -> list[Condition]:
        """Return the filters in use as SQL."""
        found: list[Condition] = []
        if self.below:
            path = self.below.text
            found.append(("(d.path = %s OR (d.path > %s AND d.path < %s))", [path, f"{path}/", f"{path}0"]))
        if self.actor:
            found.append(_named(self.actor))
        if self.label:
            found.append(
                (
                    "EXISTS (SELECT 1 FROM memories_filelabel l WHERE l.entry_id = d.entry_id AND l.label = %s)",
                    [self.label],
                )
            )
        for moment, sign in ((self.since, ">="), (self.until, "<")):
            if moment:
                found.append((f"d.changed_at {sign} %s", [connection.ops.adapt_datetimefield_value(moment)]))
        return found

    def lets_through(self, version: MemoryVersion, path: str, changed_at: datetime) -> bool:
        """Say whether they let a file through of which this is the newest version."""
        where = MemoryPath(path)
        return (
            (self.below is None or where == self.below or self.below.holds(where))
            and (not self.label or self.label in (version.entry.labels or "").split("\n"))
            and self.actor.lower() in version.actor_label.lower()
            and (self.since is None or changed_at >= self.since)
            and (self.until is None or changed_at < self.until)
        )


def _named(actor: str) -> Condition:
    """Return the condition that an actor's name holds a text, in small letters or large ones of any script."""
    if connection.vendor == "sqlite" and not actor.isascii():
        # LIKE knows only the small and large letters of ASCII there.
        return "d.actor_label REGEXP %s", [f"(?i){re.escape(actor)}"]
    like = "LIKE" if connection.vendor == "sqlite" else "ILIKE"
    return f"d.actor_label {like} %s ESCAPE '!'", [f"%{_literal(actor)}%"]


def _literal(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
