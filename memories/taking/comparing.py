"""What would make one side like the other, and which of it can be taken."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Final

from memories.models import MemoryEntry, MemoryStore
from memories.moments import FileAt, files_at, files_now
from memories.moments.differences import Difference, Kind, between
from memories.paths import MemoryPath

KEY: Final = 12
"""Digits by which a page names a difference."""


@dataclass(frozen=True, slots=True)
class Side:
    """A store, now or after its change ``seq``."""

    store: MemoryStore
    seq: int | None = None

    @property
    def is_now(self) -> bool:
        return self.seq is None

    def files(self) -> list[FileAt]:
        """Return the files there, in the order of their paths; one query."""
        return files_now(self.store) if self.seq is None else files_at(self.store, self.seq)


@dataclass(frozen=True, slots=True)
class Choice:
    """A difference that can be chosen by its ``key``, which changes with anything that taking it would rely on.

    ``refused`` says why it cannot be taken; empty where it can.
    """

    key: str
    difference: Difference
    refused: str = ""

    @property
    def kind(self) -> Kind:
        return self.difference.kind


@dataclass(frozen=True)
class Comparison:
    """All that differs between two sides, in the order of paths, and how many files are the same."""

    source: Side
    target: Side
    choices: tuple[Choice, ...]
    same: int
    counts: Mapping[Kind, int] = field(default_factory=dict)

    @cached_property
    def by_key(self) -> Mapping[str, Choice]:
        return {choice.key: choice for choice in self.choices}

    def of_kind(self, kind: str) -> list[Choice]:
        """Return the differences of a kind; all of them for none."""
        return [choice for choice in self.choices if not kind or choice.kind == kind]


def compared(source: Side, target: Side) -> Comparison:
    """Return what would make ``target`` like ``source``; three queries."""
    there, here = source.files(), target.files()
    locked = _locked(target.store) if target.is_now else frozenset()
    choices = tuple(
        Choice(key_of(difference), difference, _refused(difference, locked)) for difference in between(here, there)
    )
    counts = {kind: sum(choice.kind is kind for choice in choices) for kind in Kind}
    differing = sum(choice.difference.before is not None for choice in choices)
    return Comparison(source, target, choices, len(here) - differing, counts)


def key_of(difference: Difference) -> str:
    """Return what a page calls the difference by: both files, where they are, and what they hold."""
    before, after = difference
    said = (
        f"{before.entry_id} {before.number} {before.path}" if before else "",
        f"{after.entry_id} {after.sha256} {after.path}" if after else "",
    )
    return sha256("\n".join(said).encode()).hexdigest()[:KEY]


def fingerprint(choices: Iterable[Choice]) -> str:
    """Return a text that changes with any of the differences."""
    return sha256(" ".join(choice.key for choice in choices).encode()).hexdigest()[:KEY]


def _locked(store: MemoryStore) -> frozenset[int]:
    return frozenset(MemoryEntry.objects.filter(store=store, locked=True).live().values_list("pk", flat=True))


def _refused(difference: Difference, locked: Collection[int]) -> str:
    before, after = difference
    if before and before.entry_id in locked:
        return f"{MemoryPath(before.path).relative} is locked"
    return "its text was blanked" if after and after.blob_id is None else ""
