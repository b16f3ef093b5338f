"""What taking an act back would do to each file: decided from its trail, changed by nothing but a person's answers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Final

from memories.commands.contents import text_in
from memories.diffs import Conflict, merge
from memories.models import MemoryEntry, MemoryVersion
from memories.undo.trails import Content, Trail

COMPARED: Final = 32 * 1024 * 1024
"""Bytes of text that one plan compares, and lines that it looks through; what lies beyond, a person decides."""

SEGMENTS: Final = 500
"""Rows of its versions that an act may have in one file, with others' versions between, to be taken out one by one."""

WORD = re.compile(r"\w+")


class Verdict(StrEnum):
    GOES_BACK = "back"
    ASKED = "asked"
    KEPT = "kept"
    LATER = "later"
    """It was not there yet; it stays unless somebody wants it to go."""


class Answer(StrEnum):
    """What a person can say about a file that somebody changed after the act."""

    WHOLE = "whole"
    REST = "rest"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Target:
    """What a file shall be: at ``path``, with the content of its version ``before``; no path: in the trash.

    ``text`` is what is saved where only some lines of that version come back.
    """

    path: str = ""
    before: MemoryVersion | None = None
    text: str | None = None


class Reason(StrEnum):
    """Why a file is kept as it is, or only a person can decide."""

    SAME = "same"
    GONE = "gone"
    REWRITTEN = "rewritten"
    BROUGHT_BACK = "brought back"
    BLANKED = "blanked"
    TOO_LARGE = "too large"
    PURGED = "purged"


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What shall become of one file, and why; ``choices`` are the targets by answer where a person is asked."""

    trail: Trail
    verdict: Verdict
    target: Target | None = None
    choices: dict[Answer, Target] = field(default_factory=dict)
    reason: Reason | None = None
    taken: str = ""
    """The path it should have, on which another file lives, or will; it needs another name then."""

    @property
    def entry(self) -> MemoryEntry:
        return self.trail.entry


@dataclass(slots=True)
class Effort:
    """How much a plan may still look at, so that every plan ends."""

    left: int

    def covers(self, cost: int) -> bool:
        """Say whether there is as much left, and take it if so."""
        if cost > self.left:
            return False
        self.left -= cost
        return True


def plan_file(trail: Trail, content: Content, effort: Effort) -> FilePlan:
    """Return what shall become of one file that an act changed.

    Untouched since, it goes back to what the act found. Where others changed it later, their changes stay: the act's
    own are taken out if that is possible without touching theirs, else a person is asked, as where that takes more than
    the ``effort`` left; and a file in which nothing of the act is left is kept.
    """
    whole = Target(trail.before.path, trail.before) if trail.before and trail.was_live else Target()
    if reason := _left_alone(trail, whole, effort):
        return FilePlan(trail, Verdict.KEPT, reason=reason)
    if not trail.last_later:
        return FilePlan(trail, Verdict.GOES_BACK, whole)
    if not whole.before:
        return FilePlan(trail, Verdict.ASKED, choices={Answer.WHOLE: whole})
    return _without_the_act(trail, whole, content, effort)


def fingerprint(plans: Iterable[FilePlan]) -> str:
    """Return a text that changes whenever a file of the plan does, so that what is done is what was shown."""
    seen = ";".join(f"{plan.entry.pk}:{plan.entry.version}:{plan.verdict}:{plan.taken}" for plan in plans)
    return sha256(seen.encode()).hexdigest()


def _left_alone(trail: Trail, whole: Target, effort: Effort) -> Reason | None:
    """Return why nothing is to be done about the file, if so."""
    later = trail.last_later
    reasons: tuple[tuple[Reason, Callable[[], object]], ...] = (
        (Reason.PURGED, lambda: trail.is_purged),
        (Reason.BLANKED, lambda: whole.before is not None and not whole.before.blob_id),
        (Reason.SAME, lambda: not later and not _differs(trail, whole)),
        (Reason.GONE, lambda: later and not trail.is_live),
        (Reason.BROUGHT_BACK, lambda: later and trail.deleted),
        (Reason.REWRITTEN, lambda: later and not whole.before and not _remains(trail, effort)),
    )
    return next((reason for reason, holds in reasons if holds()), None)


def _differs(trail: Trail, target: Target) -> bool:
    if not target.before or not trail.is_live:
        return trail.is_live is (target.before is None)
    # A store keeps equal bytes once.
    return target.path != trail.entry.path or target.before.blob_id != trail.entry.blob_id


def _remains(trail: Trail, effort: Effort) -> bool:
    """Say whether something of the act may be left in the file."""
    return trail.is_image or not effort.covers(trail.lines_since()) or trail.remaining()


def _without_the_act(trail: Trail, whole: Target, content: Content, effort: Effort) -> FilePlan:
    """Return the plan for a file that others changed later: the act's own changes are taken out, if they can be."""
    by_hand = FilePlan(trail, Verdict.ASKED, choices={Answer.WHOLE: whole})
    rows = _rows(trail)
    if not rows or not effort.covers(sum(found.size + last.size + trail.entry.size for found, last in rows)):
        return replace(by_hand, reason=Reason.TOO_LARGE)
    current = text_in(content(trail.entry.blob_id))
    taken_out = _taken_out(rows, current, content)
    if current is None or taken_out is None:
        return by_hand
    text, conflicts = taken_out
    rest = Target(_path_after(trail), whole.before, text)
    changes = text != current or rest.path != trail.entry.path
    if changes and not conflicts:
        return FilePlan(trail, Verdict.GOES_BACK, rest)
    if not conflicts or not (_remains(trail, effort) or any(map(_holds_words, conflicts))):
        return FilePlan(trail, Verdict.KEPT, reason=Reason.REWRITTEN)
    return replace(by_hand, choices=by_hand.choices | ({Answer.REST: rest} if changes else {}))


Row = tuple[MemoryVersion, MemoryVersion]
"""Versions that the act made one after the other: the one it found, and the last of its own."""


def _rows(trail: Trail) -> list[Row]:
    """Return the act's rows of versions, newest first; none where there are too many."""
    segments = trail.segments()
    if len(segments) > SEGMENTS:
        return []
    versions = trail.versions(number for segment in segments for number in segment)
    return [(versions[found], versions[last]) for found, last in segments]


def _taken_out(rows: Sequence[Row], text: str | None, content: Content) -> tuple[str, list[Conflict]] | None:
    """Return the text without the act's changes, and the places where it stays since others changed it as well.

    None where one of the versions holds no text: an image, a deletion, a blanked one.
    """
    conflicts: list[Conflict] = []
    for found, last in rows:
        before, after = _text(found, content), _text(last, content)
        if text is None or before is None or after is None:
            return None
        merged = merge(after, text, before)
        text = merged.text()
        conflicts += merged.conflicts
    return None if text is None else (text, conflicts)


def _text(version: MemoryVersion, content: Content) -> str | None:
    if not version.blob_id or version.redacted_at:
        return None
    return text_in(content(version.blob_id))


def _holds_words(conflict: Conflict) -> bool:
    """Say whether words that the act brought are still where others wrote after it."""
    left_by_act, before, now = (
        set(WORD.findall("".join(side))) for side in (conflict.base, conflict.theirs, conflict.ours)
    )
    return not now.isdisjoint(left_by_act - before)


def _path_after(trail: Trail) -> str:
    """Return where the file shall live: where the act found it, unless it did not move it or others did so since."""
    if not trail.moved or not trail.before or trail.moved_later():
        return trail.entry.path
    return trail.before.path
