"""A diff as a page shows it: counts, notes, and one page of rows."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memories.diffs.alignment import line_hunks, lines_between_equal_ends
from memories.diffs.hunks import Hunk, ended, split_lines
from memories.diffs.layout import Fold, Part, Stretch, stretches
from memories.diffs.room import Room, Weights

COMPARED_LINES = 20_000
"""Texts of which one has more lines between their equal ends are not compared for a page."""

CHANGED_LINES = 2_000
"""A change of more lines is counted and not shown."""

CONTEXT_LINES = 3

PAGE_ROWS = 200
"""What one page holds of rows at most; what they take decides as well."""

PIECE_LINES = 50
"""The most lines of a hunk that stand in one piece; finding which of them belong together takes their square."""

COMPACT_ROWS = 24
"""What a diff among other text shows at most."""

OPENED_RANGES = 50
"""How many opened stretches one address may carry."""


class Note(StrEnum):
    """What a diff cannot say in rows; the value is the sentence a page shows."""

    SAME = "The text is the same."
    RENAMED = "Renamed. The text did not change."
    WHITESPACE = "Only whitespace changed."
    NEWLINE_ADDED = "The last line now ends with a newline."
    NEWLINE_REMOVED = "The last line no longer ends with a newline."
    IMAGE = "Images are not compared line by line."
    TOO_LARGE = "This change is too large to show here."


@dataclass(frozen=True, slots=True)
class Diff:
    """One page of what changed between two texts.

    ``added`` and ``removed`` count the lines of the whole change; they are None where it was not compared. ``opened``
    is how an address names the lines that were unfolded.
    """

    added: int | None = None
    removed: int | None = None
    notes: tuple[Note, ...] = ()
    parts: tuple[Part | Fold, ...] = ()
    page: int = 1
    pages: int = 1
    opened: str = ""

    @property
    def too_large(self) -> bool:
        return Note.TOO_LARGE in self.notes

    @property
    def next_page(self) -> int | None:
        return self.page + 1 if self.page < self.pages else None

    @property
    def previous_page(self) -> int | None:
        return self.page - 1 if self.page > 1 else None


IN_CHARACTERS = Room()

IMAGES = Diff(notes=(Note.IMAGE,))
"""The diff of two versions of which one is an image."""


def compare(
    old: str,
    new: str,
    *,
    renamed: bool = False,
    page: int = 1,
    opened: Sequence[range] = (),
    room: Room = IN_CHARACTERS,
) -> Diff:
    """Return a page of the diff from ``old`` to ``new``: hunks with context, the rest folded but for ``opened``.

    ``page`` counts from 1; one beyond the end gives the last. ``renamed`` says that the path changed as well.
    """
    return _diff(old, new, renamed=renamed, page=page, opened=opened, room=room)


def compact(old: str, new: str, *, room: Room = IN_CHARACTERS) -> Diff:
    """Return the diff for a place among other text: changed lines only, ``next_page`` set where some are left out."""
    return _diff(old, new, context=0, outer=False, page_rows=COMPACT_ROWS, room=room)


def counts(hunks: Iterable[Hunk]) -> tuple[int, int]:
    """Return how many lines the hunks add and remove."""
    listed = list(hunks)
    return sum(hunk.new_count for hunk in listed), sum(hunk.old_count for hunk in listed)


def opened_lines(value: str) -> list[range]:
    """Read what :attr:`Diff.opened` and a fold write (``"6-25,40-40"``); what does not read so is passed over."""
    found = re.findall(r"(?:^|,)([0-9]{1,7})-([0-9]{1,7})(?=,|$)", value)[:OPENED_RANGES]
    return [range(int(first), int(last) + 1) for first, last in found if 0 < int(first) <= int(last)]


def opened_text(opened: Iterable[range]) -> str:
    """Return opened lines as an address carries them."""
    return ",".join(f"{lines.start}-{lines.stop - 1}" for lines in opened)


def _diff(
    old: str,
    new: str,
    *,
    renamed: bool = False,
    page: int = 1,
    opened: Sequence[range] = (),
    context: int = CONTEXT_LINES,
    outer: bool = True,
    page_rows: int = PAGE_ROWS,
    room: Room,
) -> Diff:
    if old == new:
        return Diff(0, 0, (Note.RENAMED if renamed else Note.SAME,))
    if lines_between_equal_ends(old, new) > COMPARED_LINES:
        return Diff(notes=(Note.TOO_LARGE,))
    hunks = line_hunks(old, new)
    added, removed = counts(hunks)
    if added + removed > CHANGED_LINES:
        return Diff(added, removed, (Note.TOO_LARGE,))
    old_lines, new_lines = split_lines(old), split_lines(new)
    whole = stretches(
        hunks,
        len(new_lines),
        Weights(old_lines, new_lines, room),
        context=context,
        opened=opened,
        outer=outer,
        longest=min(PIECE_LINES, page_rows // 2),
    )
    pages = _pages(whole, page_rows, room.page)
    page = max(1, min(page, len(pages)))
    return Diff(
        added,
        removed,
        _notes(old, new),
        _laid_out(pages[page - 1], old_lines, new_lines, room),
        page,
        len(pages),
        opened_text(opened),
    )


def _pages(whole: Iterable[Stretch], most_rows: int, most: int) -> list[list[Stretch]]:
    pages: list[list[Stretch]] = [[]]
    rows = taken = 0
    for stretch in whole:
        rows += stretch.rows()
        taken += stretch.weight
        if pages[-1] and (rows > most_rows or taken > most):
            pages.append([])
            rows, taken = stretch.rows(), stretch.weight
        pages[-1].append(stretch)
    return pages


def _laid_out(
    page: Sequence[Stretch], old_lines: Sequence[str], new_lines: Sequence[str], room: Room
) -> tuple[Part | Fold, ...]:
    """Return the parts of a page, with word marks if there is room for them."""
    parts = tuple(stretch.laid_out(old_lines, new_lines, room, marked=True) for stretch in page)
    if sum(room.fold if isinstance(part, Fold) else part.weight(room) for part in parts) <= room.page:
        return parts
    return tuple(stretch.laid_out(old_lines, new_lines, room, marked=False) for stretch in page)


def _notes(old: str, new: str) -> tuple[Note, ...]:
    """Return what the rows of two different texts do not show."""
    notes = []
    if ended(old) != ended(new) and "".join(old.split()) == "".join(new.split()):
        notes.append(Note.WHITESPACE)
    if old and new and old.endswith("\n") != new.endswith("\n"):
        notes.append(Note.NEWLINE_REMOVED if old.endswith("\n") else Note.NEWLINE_ADDED)
    return tuple(notes)
