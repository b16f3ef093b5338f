"""What an act on many files would do to each of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple

from memories.commands import Meant
from memories.refusals import Refused
from memories.undo import trails

MOST: Final = trails.FILES
"""Files that one act takes at most: as many as one undo takes back."""

Ask = Mapping[str, str]
"""What a person said beside the files, such as where they shall go, by the name of its field."""


class AskMissing(Refused):
    """What the act needs to know has not been said, or cannot be; ``field`` is where."""

    def __init__(self, field: str, words: str = "") -> None:
        super().__init__(words)
        self.field = field


class Chosen(NamedTuple):
    """A file that was chosen. What is moved keeps its path below ``base``, which is that of the chosen directory."""

    id: int
    uuid: str
    path: str
    size: int
    version: int
    pinned: bool
    locked: bool
    base: str

    @property
    def meant(self) -> Meant:
        return Meant(self.id, self.path, self.version)


class Verdict(StrEnum):
    CHANGES = "changes"
    SO = "so"
    REFUSED = "refused"


class Row(NamedTuple):
    """What becomes of one file: ``why`` says it where nothing does, ``to`` is the path it gets where it moves."""

    file: Chosen
    verdict: Verdict
    why: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of all files that were chosen; ``shown`` is another text as soon as anything of that is another."""

    verb: str
    rows: tuple[Row, ...]

    def of(self, verdict: Verdict) -> list[Row]:
        return [row for row in self.rows if row.verdict is verdict]

    @property
    def shown(self) -> str:
        seen = sha256(self.verb.encode())
        for file, verdict, why, to in self.rows:
            seen.update(f"\0{file.id}\0{file.version}\0{file.path}\0{verdict}\0{why}\0{to}".encode())
        return seen.hexdigest()


def bytes_of(rows: Iterable[Row]) -> int:
    """Return how many bytes the files hold together."""
    return sum(row.file.size for row in rows)
