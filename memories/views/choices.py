"""What somebody chose for each conflict of a merge, as the form carries it from one answer to the next."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Final

from django.http import QueryDict

from memories import diffs
from memories.diffs import Conflict, Merge
from memories.diffs.hunks import ended, split_lines
from memories.diffs.merge import Lines, apart, sharpened
from memories.views.sheets import Sheet

MOST_CONFLICTS: Final = 100
"""More are not asked about one by one."""

COMPARED_LINES: Final = 20_000
"""Texts that differ from what they were made of over more lines are not merged line by line."""

CHOICE: Final = "choice-"
HAND: Final = "hand-"
"""What the names of a conflict's fields begin with; its key follows."""

KEY_DIGITS: Final = 12


class Choice(StrEnum):
    """What becomes of a conflict; "both" puts the lines of the file before the person's own."""

    THEIRS = "theirs"
    MINE = "mine"
    BOTH = "both"
    HAND = "hand"


@dataclass(frozen=True, slots=True)
class Place:
    """A conflict with what was chosen for it, None so far, and what was typed for it by hand."""

    conflict: Conflict
    key: str
    choice: Choice | None = None
    typed: str | None = None

    @property
    def both(self) -> Lines:
        return self.conflict.theirs + self.conflict.ours

    @property
    def their_lines(self) -> int:
        """How many lines of both, as a browser shows them, are those of the file now."""
        return diffs.with_line_feeds("".join(self.conflict.theirs)).count("\n")

    @property
    def by_hand(self) -> str:
        """What the field for one's own words holds: those, or both sides to begin with."""
        return diffs.with_line_feeds("".join(self.both)) if self.typed is None else self.typed

    @property
    def lines(self) -> Lines | None:
        """The lines that were chosen, each with its end."""
        match self.choice:
            case Choice.THEIRS:
                return self.conflict.theirs
            case Choice.MINE:
                return self.conflict.ours
            case Choice.BOTH:
                return self.both
            case Choice.HAND:
                return tuple(split_lines(ended(diffs.as_written(self.by_hand, "".join(self.both)))))
        return None


@dataclass(frozen=True, slots=True)
class Replies:
    """What a form says: the choices and the words typed by hand, by the keys of the conflicts they were made for."""

    choices: Mapping[str, Choice]
    typed: Mapping[str, str]


NO_REPLIES: Final = Replies({}, {})


@dataclass(frozen=True)
class Settling:
    """The merge of a person's text with the file as it is now, as far as it is settled.

    ``left_over`` are words typed by hand for conflicts that there are no more.
    """

    merge: Merge
    places: tuple[Place, ...]
    left_over: tuple[tuple[str, str], ...]
    is_too_much: bool = False
    knows_base: bool = True

    @cached_property
    def open(self) -> int:
        """How many conflicts still need a choice."""
        return sum(place.choice is None for place in self.places)

    @cached_property
    def result(self) -> str:
        """The merged text; what is open counts as it is in the file now."""
        return self.merge.settled(
            [place.conflict.theirs if (lines := place.lines) is None else lines for place in self.places]
        )

    @property
    def drops_mine(self) -> bool:
        """Say whether lines of the person's own text were decided against."""
        return any(place.choice is Choice.THEIRS and place.conflict.ours for place in self.places)

    def all_of(self, choice: Choice) -> "Settling":
        """Return the same with one choice for every conflict."""
        return replace(self, places=tuple(replace(place, choice=choice) for place in self.places))


def replies_in(form: QueryDict) -> Replies:
    """Return what a form chose and typed; values that mean nothing are passed over."""
    choices = {
        name.removeprefix(CHOICE): Choice(str(value))
        for name, value in form.items()
        if name.startswith(CHOICE) and value in set(Choice)
    }
    typed = {
        name.removeprefix(HAND): diffs.with_line_feeds(str(value).replace("\0", ""))
        for name, value in form.items()
        if name.startswith(HAND)
    }
    return Replies(choices, {key: words for key, words in typed.items() if not _is_untouched(key, words)})


def settling(sheet: Sheet, now: str, replies: Replies) -> Settling:
    """Return the merge of the sheet with the text ``now`` and what ``replies`` settle of it.

    A choice counts for the very same conflict only: the same lines before, now and of the person's own. Where the
    file's side of it has changed, what was typed by hand is offered again, and the choice is open.
    """
    if sheet.knows_base:
        most = max(diffs.lines_between_equal_ends(sheet.base, text) for text in (sheet.text, now))
        merged = None if most > COMPARED_LINES else sharpened(diffs.merge(sheet.base, sheet.text, now))
    else:
        most = diffs.lines_between_equal_ends(sheet.text, now)
        merged = None if most > COMPARED_LINES else apart(sheet.text, now)
    if merged is None or len(merged.conflicts) > MOST_CONFLICTS:
        return Settling(Merge(()), (), tuple(replies.typed.items()), is_too_much=True, knows_base=sheet.knows_base)
    places = _places(merged, replies)
    used = {_own(place.key) for place in places}
    left = tuple((key, words) for key, words in replies.typed.items() if _own(key) not in used and words)
    return Settling(merged, places, left, knows_base=sheet.knows_base)


def _places(merged: Merge, replies: Replies) -> tuple[Place, ...]:
    typed_for = {_own(key): words for key, words in replies.typed.items()}
    seen: Counter[str] = Counter()
    places = []
    for conflict in merged.conflicts:
        own = _digest(conflict.base, conflict.ours)
        seen[own] += 1
        key = f"{own}.{seen[own]}.{_digest((diffs.with_line_feeds(''.join(conflict.theirs + conflict.ours)),))}"
        typed = replies.typed.get(key, typed_for.get(_own(key)))
        places.append(Place(conflict, key, replies.choices.get(key), typed))
    return tuple(places)


def _is_untouched(key: str, words: str) -> bool:
    """Say whether the field for a conflict still holds both its sides, as it began."""
    return key.rpartition(".")[2] == _digest((words,))


def _own(key: str) -> str:
    """Return the part of a key that stays when only the file's side changes."""
    return key.rpartition(".")[0]


def _digest(*sides: Lines) -> str:
    """Return a digest of lines; that they end in line feeds and sides in none keeps different ones apart."""
    return sha256("\0".join("".join(side) for side in sides).encode()).hexdigest()[:KEY_DIGITS]
