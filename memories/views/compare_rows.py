"""What a comparison says about each difference, and about all that is chosen."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

from memdash.web import formats
from memories.moments.differences import Kind
from memories.paths import MemoryPath
from memories.taking import Choice, Comparison, Side
from memories.views import addresses
from memories.views.asked import Asked
from memories.views.differences import Differences, Shown

ROWS: Final = 30
ROOM: Final = 30_000
ROW: Final = 1_300
PATH: Final = 10
"""Rows of a page, the bytes they may take, their differences aside, what one takes, and each byte of its paths."""

LABELS: Final = {Kind.ADDED: "Added", Kind.CHANGED: "Changed", Kind.REMOVED: "Removed", Kind.MOVED: "Moved"}
TONES: Final = {Kind.ADDED: "ok", Kind.REMOVED: "danger"}
THINGS: Final = {
    Kind.CHANGED: "new version",
    Kind.ADDED: "new file",
    Kind.MOVED: "rename",
    Kind.REMOVED: "file to the trash",
}
"""What taking a difference of each kind makes."""


@dataclass(frozen=True, slots=True)
class Row:
    """A difference: what it is, what taking it does, and whether it is chosen."""

    choice: Choice
    shown: Shown
    is_chosen: bool
    whole: str
    wrote: str
    source: Side
    target: Side

    @property
    def label(self) -> str:
        return LABELS[self.choice.kind]

    @property
    def tone(self) -> str:
        return TONES.get(self.choice.kind, "")

    @property
    def path(self) -> str:
        return MemoryPath(self.choice.difference.path).relative

    @property
    def came_from(self) -> str:
        """The path in the target of a file that moved."""
        before = self.choice.difference.before
        return MemoryPath(before.path).relative if before and self.choice.kind is Kind.MOVED else ""

    @property
    def refused(self) -> str:
        return self.choice.refused

    @property
    def note(self) -> str:
        """What sets the difference apart, in a few words."""
        kind = self.choice.kind
        if kind is Kind.MOVED:
            return "other path, text changed" if self.choice.difference.is_rewritten else "same text, other path"
        if kind is Kind.CHANGED:
            return ""
        return "only at the source" if kind is Kind.ADDED else "only at the target"

    @property
    def does(self) -> str:
        """What taking it does in the target."""
        before, after = self.choice.difference
        if before is None:
            return f"as a new file, {formats.filesize(after.size if after else 0)}"
        if after is None:
            return "by moving it to the trash there"
        if self.choice.kind is Kind.MOVED:
            return f"by renaming {'and changing ' if self.choice.difference.is_rewritten else ''}it there"
        return f"as version {formats.thousands(before.number + 1)}"


def fitting(choices: Sequence[Choice], first: int) -> list[Choice]:
    """Return the differences from ``first`` on for which a page has room; one at least where there are any."""
    room = ROOM
    listed = choices[first : first + ROWS]
    for count, choice in enumerate(listed):
        paths = {side.path for side in choice.difference if side}
        room -= ROW + PATH * sum(len(path.encode()) for path in paths)
        if room < 0 and count:
            return list(listed[:count])
    return list(listed)


def rows_of(
    request: HttpRequest, comparison: Comparison, asked: Asked, listed: Sequence[Choice], chosen: Collection[str]
) -> list[Row]:
    """Return a row for each difference; a query for what all of them hold."""
    differences = Differences(request, [choice.difference for choice in listed])
    rows = []
    for choice in listed:
        shown = differences.shown(choice.difference)
        after = choice.difference.after
        has_authors = after and comparison.source.is_now and not shown.images
        rows.append(
            Row(
                choice=choice,
                shown=shown,
                is_chosen=choice.key in chosen,
                whole=asked.sides().url("memories:compare-file", key=choice.key),
                wrote=addresses.files(comparison.source.store.slug, after.path, view="blame")
                if after and has_authors
                else "",
                source=comparison.source,
                target=comparison.target,
            )
        )
    return rows


def in_words(choices: Iterable[Choice]) -> str:
    """Return what taking the differences makes: "1 new version, 2 new files, 1 rename"."""
    counts = Counter(choice.kind for choice in choices)
    parts = [_counted(counts[kind], kind) for kind in THINGS if counts[kind]]
    return ", ".join(parts)


def _counted(count: int, kind: Kind) -> str:
    if kind is Kind.REMOVED:
        return f"{formats.counted(count, 'file')} to the trash"
    return formats.counted(count, THINGS[kind])
