"""The versions that wrote a file's lines, as pages name them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memories.actors import ActorKind
from memories.models import MemoryEntry, MemoryVersion
from memories.views.authors import Authors, ages
from memories.views.causes import Cause, Causes

VERBS: Final = {ActorKind.PERSON.value: "Edited by ", ActorKind.IMPORT.value: "Imported by "}


@dataclass(frozen=True, slots=True)
class Source:
    """A version that wrote ``lines`` lines of the file as it is now; ``age`` is its shade, 1 the newest."""

    version: MemoryVersion
    cause: Cause
    lines: int
    age: int

    @property
    def number(self) -> int:
        return self.version.number

    @property
    def label(self) -> str:
        """What the change was about, in short: the run's title, or who made it."""
        return self.cause.title or self.cause.label

    @property
    def title(self) -> str:
        """The same with how it was made where there is no run."""
        return self.cause.title or f"{VERBS.get(self.version.actor_kind, '')}{self.cause.label}"

    @property
    def url(self) -> str:
        """Where its lines are marked among the others, on the file's page."""
        return f"?view=blame&version={self.number}"


class Sources:
    """The versions among ``versions`` that wrote lines of a file; ``causes`` knows what led to each."""

    def __init__(self, authors: Authors, versions: Iterable[MemoryVersion], causes: Causes) -> None:
        self._counts = authors.counts
        self._ages = ages(self._counts)
        self._versions = {version.number: version for version in versions if version.number in self._counts}
        self._causes = causes

    def __iter__(self) -> Iterator[Source]:
        """Yield them, newest first."""
        return (self._of(number) for number in sorted(self._versions, reverse=True))

    def get(self, number: int) -> Source | None:
        """Return one of them by its number; None when it wrote none of the lines or is not kept any more."""
        return self._of(number) if number in self._versions else None

    def _of(self, number: int) -> Source:
        version = self._versions[number]
        return Source(version, self._causes.of(version), self._counts[number], self._ages[number])


def versions_of(entry: MemoryEntry, numbers: Collection[int]) -> list[MemoryVersion]:
    """Return the versions of a file with these numbers, without what they did to lines; one query."""
    return list(MemoryVersion.objects.filter(entry=entry, number__in=numbers).defer("spans"))
