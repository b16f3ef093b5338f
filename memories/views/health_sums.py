"""What a store costs an agent to read, in numbers and drawn to scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from memdash.web import formats
from memories.health.findings import Kind, Report, Subject
from memories.health.lengths import STARTUP, Length
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.text import VIEW
from memories.views import addresses
from memories.views.figures import about_tokens

LONGEST = 3
WIDTH = 240
CUT = 144
"""Where the cut stands, of a width of 240."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A long file with its bar: up to the cut, and behind it."""

    file: Subject
    length: Length
    url: str
    scale: float

    @property
    def relative(self) -> str:
        return MemoryPath(self.file.path).relative

    @property
    def tokens(self) -> int:
        return about_tokens(self.file.size)

    @property
    def seen(self) -> str:
        return f"{self.length.seen * self.scale:.1f}"

    @property
    def behind(self) -> str:
        return f"{self.length.behind * self.scale:.1f}"

    @property
    def cut(self) -> str:
        """Where its cut stands: behind what is seen of it or, while all is, where a view would end."""
        return f"{(self.length.seen if self.length.behind else VIEW) * self.scale:.1f}"

    @property
    def share(self) -> str:
        """How much of it is seen at first."""
        return formats.share(self.length.seen, self.length.characters)

    @property
    def of_cut(self) -> str:
        """How much of one view it fills."""
        return formats.share(self.length.characters, VIEW)

    @property
    def is_startup(self) -> bool:
        return self.file.path == STARTUP


@dataclass(frozen=True, slots=True)
class Sums:
    """The numbers of a store; those in characters and tokens are of the texts that were looked at."""

    characters: int
    tokens: int
    behind: int
    share_behind: str
    texts: int
    images: int
    left_out: int
    left_out_bytes: int
    longest: tuple[Drawn, ...]
    good: tuple[str, ...]


def sums_of(report: Report, store: MemoryStore) -> Sums:
    """Return what there is to say in numbers about the report of a store, and what was found in good order."""
    files, lengths = report.files, report.lengths
    characters = sum(length.characters for length in lengths.values())
    behind = sum(length.behind for length in lengths.values())
    left_out = [file for file in files.values() if file.is_text and file.id not in lengths]
    longest = by_length(report)[:LONGEST]
    return Sums(
        characters,
        about_tokens(sum(files[key].size for key in lengths)),
        behind,
        formats.share(behind, characters),
        len(lengths),
        sum(not file.is_text for file in files.values()),
        len(left_out),
        sum(file.size for file in left_out),
        drawn(report, store, longest),
        _good(report, left_out=bool(left_out)),
    )


def by_length(report: Report) -> list[int]:
    """Return the ids of the texts that were looked at, the longest first."""
    return sorted(report.lengths, key=lambda key: (-report.lengths[key].characters, report.files[key].path))


def drawn(report: Report, store: MemoryStore, ids: Sequence[int]) -> tuple[Drawn, ...]:
    """Return the texts with these ids, all drawn to the scale that the longest of them needs."""
    files, lengths = report.files, report.lengths
    most = max([VIEW * WIDTH / CUT, *(lengths[key].characters for key in ids)])
    return tuple(
        Drawn(files[key], lengths[key], addresses.files(store.slug, files[key].path), WIDTH / most) for key in ids
    )


def _good(report: Report, *, left_out: bool) -> tuple[str, ...]:
    """Return in sentences what nothing was found wrong with; of what was not all looked at, none."""
    found = {finding.kind for finding in report.findings}
    of_texts = {
        Kind.LONG: "Every file is seen whole in one view",
        Kind.TWINS: "No two files say nearly the same",
        Kind.LINK: "Every link to a memory file leads to one",
        Kind.UNLISTED: f"{MemoryPath(report.index.path).name} names every file or its folder" if report.index else "",
    }
    said = [words for kind, words in of_texts.items() if words and kind not in found and not left_out]
    if not report.twins_complete and Kind.TWINS not in found and of_texts[Kind.TWINS] in said:
        said.remove(of_texts[Kind.TWINS])
    if Kind.UNREAD not in found and not report.unknown:
        said.append("No file has waited long for its first reader")
    if not report.cases_clash:
        said.append("No two names differ only in case")
    return tuple(said)
