"""What taking an act back would do to each file: decided from its trail, changed by nothing but a person's answers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256

from memories.diffs import Conflict, merge
from memories.models import Kind, MemoryEntry, MemoryVersion, Operation
from memories.paths import directories
from memories.undo.trails import Content, Trail, is_image, is_text, segments

WORD = re.compile(r"\w+")


class Verdict(StrEnum):
    GOES_BACK = "back"
    ASKED = "asked"
    KEPT = "kept"


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
    """Why a file is kept as it is."""

    SAME = "same"
    GONE = "gone"
    REWRITTEN = "rewritten"
    BROUGHT_BACK = "brought back"
    BLANKED = "blanked"


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What shall become of one file, and why; ``choices`` are the targets by answer where a person is asked."""

    trail: Trail
    verdict: Verdict
    target: Target | None = None
    choices: dict[Answer, Target] = field(default_factory=dict)
    reason: Reason | None = None
    taken: str = ""
    """The path it should go back to, on which another file lives now."""

    @property
    def entry(self) -> MemoryEntry:
        return self.trail.entry

    @property
    def last_later(self) -> MemoryVersion | None:
        """Return the newest version that others made after the act."""
        return self.trail.later[-1] if self.trail.later else None


def plan_file(trail: Trail, content: Content) -> FilePlan:
    """Return what shall become of one file that an act changed.

    Untouched since, it goes back to what the act found. Where others changed it later, their changes stay: the act's
    own are taken out if that is possible without touching theirs, else a person is asked; and a file in which nothing
    of the act is left is kept.
    """
    whole = Target(trail.before.path, trail.before) if trail.before and trail.was_live else Target()
    if reason := _left_alone(trail, whole):
        return FilePlan(trail, Verdict.KEPT, reason=reason)
    if not trail.later:
        return FilePlan(trail, Verdict.GOES_BACK, whole)
    if whole.before and _is_comparable(trail):
        return _without_the_act(trail, whole, content)
    return FilePlan(trail, Verdict.ASKED, choices={Answer.WHOLE: whole})


def blocked(plans: Sequence[FilePlan], live: Mapping[str, MemoryEntry]) -> list[FilePlan]:
    """Return the plans, as questions where something that stays is in the way; ``live`` is what lives, by path."""
    leaving = {plan.entry.pk: plan.entry.path for plan in plans if plan.verdict is Verdict.GOES_BACK}
    return [
        replace(plan, verdict=Verdict.ASKED, taken=plan.target.path)
        if plan.target and plan.target.path and _is_taken(plan.target.path, live, leaving)
        else plan
        for plan in plans
    ]


def fingerprint(plans: Iterable[FilePlan]) -> str:
    """Return a text that changes whenever a file of the plan does, so that what is done is what was shown."""
    seen = ";".join(f"{plan.entry.pk}:{plan.entry.version}:{plan.verdict}:{plan.taken}" for plan in plans)
    return sha256(seen.encode()).hexdigest()


def _left_alone(trail: Trail, whole: Target) -> Reason | None:
    """Return why nothing is to be done about the file, if so."""
    reasons: tuple[tuple[Reason, Callable[[], object]], ...] = (
        (Reason.BLANKED, lambda: whole.before is not None and not whole.before.blob_id),
        (Reason.SAME, lambda: not trail.later and not _differs(trail, whole)),
        (Reason.GONE, lambda: trail.later and not trail.is_live),
        (Reason.BROUGHT_BACK, lambda: trail.later and trail.made[-1].operation == Operation.DELETED),
        (Reason.REWRITTEN, lambda: trail.later and not whole.before and not is_image(trail) and not trail.remaining()),
    )
    return next((reason for reason, holds in reasons if holds()), None)


def _is_comparable(trail: Trail) -> bool:
    return not is_image(trail) and is_text(trail.before, *trail.versions)


def _differs(trail: Trail, target: Target) -> bool:
    if not target.before or not trail.is_live:
        return trail.is_live is (target.before is None)
    return target.path != trail.entry.path or target.before.sha256 != trail.versions[-1].sha256


def _without_the_act(trail: Trail, whole: Target, content: Content) -> FilePlan:
    current = content(trail.versions[-1]).decode()
    text, conflicts = _taken_out(trail, current, content)
    rest = Target(_path_after(trail), whole.before, text)
    changes = text != current or rest.path != trail.entry.path
    if changes and not conflicts:
        return FilePlan(trail, Verdict.GOES_BACK, rest)
    if not conflicts or not (trail.remaining() or any(map(_holds_words, conflicts))):
        return FilePlan(trail, Verdict.KEPT, reason=Reason.REWRITTEN)
    return FilePlan(trail, Verdict.ASKED, choices={Answer.WHOLE: whole, **({Answer.REST: rest} if changes else {})})


def _taken_out(trail: Trail, text: str, content: Content) -> tuple[str, list[Conflict]]:
    """Return the text without the act's changes, and the places where it stays since others changed it as well."""
    conflicts: list[Conflict] = []
    for found, last in segments(trail):
        merged = merge(content(last).decode(), text, content(found).decode())
        text = merged.text()
        conflicts += merged.conflicts
    return text, conflicts


def _holds_words(conflict: Conflict) -> bool:
    """Say whether words that the act brought are still where others wrote after it."""
    left_by_act, before, now = (
        set(WORD.findall("".join(side))) for side in (conflict.base, conflict.theirs, conflict.ours)
    )
    return not now.isdisjoint(left_by_act - before)


def _path_after(trail: Trail) -> str:
    """Return where the file shall live: where the act found it, unless it did not move it or others did so since."""
    moved = any(version.moved_from for version in trail.made)
    if not moved or not trail.before or any(version.moved_from for version in trail.later):
        return trail.entry.path
    return trail.before.path


def _is_taken(path: str, live: Mapping[str, MemoryEntry], leaving: Mapping[int, str]) -> bool:
    """Say whether something lives at the path that does not leave it itself, or a file where a directory has to be."""
    above = (entry for directory in directories(path) if (entry := live.get(directory)))
    if any(entry.kind == Kind.FILE and entry.pk not in leaving for entry in above):
        return True
    holder = live.get(path)
    if holder is None or holder.pk in leaving:
        return False
    if holder.kind == Kind.FILE:
        return True
    return holder.file_count > sum(other.startswith(f"{path}/") for other in leaving.values())
