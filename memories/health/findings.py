"""What was found, worst first, and what a person set aside."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from memories.health.lengths import Length, length_of
from memories.health.links import Link, Tree, broken, named_in
from memories.health.twins import Twins, twins
from memories.paths import ROOT

INDEXES: Final = (f"{ROOT}/MEMORY.md", f"{ROOT}/index.md", f"{ROOT}/INDEX.md", f"{ROOT}/README.md")
"""Where an index is looked for, in this order."""

UNREAD_DAYS: Final = 30
UNREAD_RUNS: Final = 10
"""A file counts as never read once it is so old, or once so many runs could have read it."""


class Kind(StrEnum):
    """What may be wrong with a file; the worst comes first. The value is what addresses call it."""

    LONG = "too-long"
    TWINS = "near-duplicate"
    LINK = "broken-link"
    UNLISTED = "not-in-index"
    UNREAD = "never-read"

    @property
    def words(self) -> str:
        return _WORDS[self]

    @property
    def aside(self) -> str:
        """The label by which people set it aside for a file."""
        return f"set aside: {self.words.lower()}"


_WORDS: Final = {
    Kind.LONG: "Too long",
    Kind.TWINS: "Near-duplicate",
    Kind.LINK: "Broken link",
    Kind.UNLISTED: "Not in the index",
    Kind.UNREAD: "Never read",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A file as it is examined. ``is_brought`` says that it came from elsewhere, where nobody saw who read it."""

    id: int
    uuid: UUID
    path: str
    size: int
    is_text: bool
    is_locked: bool
    is_brought: bool
    created_at: datetime
    accessed_at: datetime | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend in one file, with what its kind needs to say; ``weight`` orders those of a kind."""

    kind: Kind
    file: Subject
    weight: int
    twins: Twins | None = None
    link: Link | None = None
    length: Length | None = None
    runs: int = 0

    @property
    def is_aside(self) -> bool:
        return self.kind.aside in self.file.labels


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about a store's files.

    ``texts`` are those that were looked at, by the ids of their files, and ``lengths`` theirs. ``findings`` hold what
    is set aside too. ``unknown`` are files of which nobody knows whether an agent read them.
    """

    files: Mapping[int, Subject]
    texts: Mapping[int, str]
    lengths: Mapping[int, Length]
    findings: tuple[Finding, ...]
    unknown: tuple[Subject, ...]
    index: Subject | None
    twins_complete: bool
    cases_clash: bool

    def of(self, kind: Kind | None, *, aside: bool) -> list[Finding]:
        """Return the findings of a kind, or of all, that are set aside or are not."""
        return [each for each in self.findings if each.is_aside is aside and kind in (None, each.kind)]


def examine(
    files: Collection[Subject],
    texts: Mapping[int, str],
    *,
    reads_are_seen: bool,
    runs_since: Callable[[datetime], int],
    now: datetime,
) -> Report:
    """Return what is found in the files of a store, whose texts are given by their ids, as many as were read.

    ``runs_since`` counts the runs that began at a moment or later.
    """
    subjects = {file.id: file for file in files}
    read = [subjects[key] for key in texts]
    lengths = {file.id: length_of(file.path, texts[file.id]) for file in read}
    pairs = twins(texts)
    tree = Tree([file.path for file in files])
    index = next((file for path in INDEXES for file in read if file.path == path), None)
    unread, unknown = _unread(files, reads_are_seen=reads_are_seen, runs_since=runs_since, now=now)
    found = [
        *(
            Finding(Kind.LONG, file, length.behind, length=length)
            for file in read
            if (length := lengths[file.id]).behind
        ),
        *(Finding(Kind.TWINS, subjects[pair.one], pair.same, twins=pair) for pair in pairs.groups),
        *(
            Finding(Kind.LINK, file, -link.line, link=link)
            for file in read
            for link in broken(file.path, texts[file.id], tree)
        ),
        *(_unlisted(files, index, texts[index.id]) if index else ()),
        *unread,
    ]
    order = list(Kind)
    found.sort(
        key=lambda each: (
            order.index(each.kind),
            -each.weight if each.link is None else 0,
            each.file.path,
            -each.weight,
        )
    )
    clash = len({file.path.casefold() for file in files}) < len(files)
    return Report(subjects, texts, lengths, tuple(found), tuple(unknown), index, pairs.complete, clash)


def _unlisted(files: Iterable[Subject], index: Subject, text: str) -> list[Finding]:
    """Return the texts that no line of the index names; agents do not list what begins with a dot."""
    listed = [file for file in files if file.is_text and file is not index and "/." not in file.path]
    named = named_in(text, index.path, [file.path for file in listed])
    return [Finding(Kind.UNLISTED, file, file.size) for file in listed if file.path not in named]


def _unread(
    files: Iterable[Subject], *, reads_are_seen: bool, runs_since: Callable[[datetime], int], now: datetime
) -> tuple[list[Finding], Sequence[Subject]]:
    """Return the files that no agent read though it could have, and those of which nobody knows."""
    found: list[Finding] = []
    unknown: list[Subject] = []
    for file in files:
        if file.accessed_at:
            continue
        if file.is_brought or not reads_are_seen:
            unknown.append(file)
            continue
        runs = runs_since(file.created_at)
        if now - file.created_at >= timedelta(days=UNREAD_DAYS) or runs >= UNREAD_RUNS:
            found.append(Finding(Kind.UNREAD, file, (now - file.created_at).days, runs=runs))
    return found, unknown
