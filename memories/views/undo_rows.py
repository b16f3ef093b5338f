"""What the page that takes an act back says about each file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

from memories import diffs, undo
from memories.models import ChangeSet, ReadEvent, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.undo import Answer, FilePlan, Reason, Target, Verdict
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.contents import text_of
from memories.views.diff_room import COMPACT

ROOM: Final = {Verdict.ASKED: 22_000, Verdict.GOES_BACK: 14_000, Verdict.KEPT: 8_000}
"""Bytes that the list of one kind may take, the differences aside; files beyond are counted."""

ROW: Final = 1_200
PATH: Final = 6
"""Bytes that a row takes, and each byte of its path, which stands there as an address and as text."""

COMPARED: Final = 3
"""Files of one kind whose changes are shown in place."""

READ: Final = 200
"""Files whose readers are looked for."""

DIFFED_BYTES: Final = 64 * 1024
"""A larger file's change is not shown in place."""

READERS: Final = 5

WHY: Final = {
    Reason.SAME: "it is as it was before",
    Reason.GONE: "it was deleted later",
    Reason.REWRITTEN: "nothing of this is left in it",
    Reason.BROUGHT_BACK: "it was brought back later",
    Reason.BLANKED: "the text it had before was blanked",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that a person can give, in words."""

    answer: Answer
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """A file: what would become of it, in words, and the difference that makes, where there is room to show it."""

    plan: FilePlan
    words: str
    later: Cause | None
    choices: tuple[Choice, ...]
    diff: diffs.Diff | None
    url: str

    @property
    def path(self) -> str:
        return MemoryPath(self.plan.entry.path).relative

    @property
    def free_path(self) -> str:
        """A name beside the one that is taken."""
        stem, dot, suffix = MemoryPath(self.plan.taken).relative.rpartition(".")
        return f"{stem}-restored.{suffix}" if dot and "/" not in suffix else f"{suffix}-restored"


@dataclass(frozen=True, slots=True)
class Readers:
    """Who was shown text of the act by now: the newest, and how many there are in all."""

    shown: tuple[tuple[Cause, ReadEvent], ...]
    total: int


def listed(plans: Sequence[FilePlan], verdict: Verdict) -> list[FilePlan]:
    """Return the first plans, all of one kind, for which the page has room; one at least."""
    room = ROOM[verdict]
    for count, made in enumerate(plans):
        room -= ROW + PATH * len(made.entry.path.encode())
        if room < 0 and count:
            return list(plans[:count])
    return list(plans)


def rows_of(request: HttpRequest, slug: str, plans: Sequence[FilePlan]) -> list[Row]:
    """Return a row for each plan; the changes of the first few are compared."""
    causes = Causes(request, [made.last_later for made in plans if made.last_later])
    rows, compared = [], 0
    for made in plans:
        diff = _diff(made) if compared < COMPARED and made.verdict is not Verdict.KEPT else None
        compared += diff is not None
        later = causes.of(made.last_later) if made.last_later else None
        # A deleted file's path may be another one's by now.
        own = {} if made.entry.state == State.LIVE else {"file": made.entry.uuid}
        url = addresses.history(slug, made.entry.path, **own)
        rows.append(Row(made, _words(made), later, _choices(made), diff, url))
    return rows


def readers_of(request: HttpRequest, change_set: ChangeSet, plans: Sequence[FilePlan]) -> Readers:
    """Return who else was shown a file as the act had left it; three queries."""
    first = {made.entry.pk: made.trail.made[0].number for made in plans[:READ]}
    reads = ReadEvent.objects.filter(entry__in=first, seq__gte=change_set.first_seq or 0).order_by("-read_at", "-pk")
    if change_set.run_id:
        reads = reads.exclude(run_id=change_set.run_id)
    newest: dict[object, ReadEvent] = {}
    for read in reads[:1000]:
        if read.entry_id and (read.version or 0) >= first[read.entry_id]:
            newest.setdefault(read.run_id or read.actor_label, read)
    shown = list(newest.values())[:READERS]
    causes = Causes(request, shown)
    return Readers(tuple((causes.of(read), read) for read in shown), len(newest))


def _words(made: FilePlan) -> str:
    if made.reason:
        return WHY[made.reason]
    if made.taken:
        return "another file has its path now"
    return _target_words(made, made.target) if made.target else ""


def _target_words(made: FilePlan, target: Target) -> str:
    if not target.path:
        return "goes to the trash"
    if made.entry.state != State.LIVE:
        return "comes out of the trash"
    moves = f"moves back to {MemoryPath(target.path).relative}" if target.path != made.entry.path else ""
    if target.text is not None:
        return "later changes by others stay" if not moves else f"{moves}; later changes by others stay"
    return moves or (f"as in version {target.before.number}" if target.before else "")


def _choices(made: FilePlan) -> tuple[Choice, ...]:
    if made.verdict is not Verdict.ASKED:
        return ()
    if made.taken:
        return (Choice(Answer.WHOLE, "Put it back under this name"), Choice(Answer.KEEP, "Leave it as it is"))
    words = {
        Answer.WHOLE: _whole_words(made.choices[Answer.WHOLE]),
        Answer.REST: "Put back only what nobody has changed since",
    }
    offered = tuple(Choice(answer, words[answer]) for answer in made.choices)
    return (*offered, Choice(Answer.KEEP, "Keep the file as it is"))


def _whole_words(target: Target) -> str:
    if not target.before:
        return "Put the whole file into the trash, later changes too"
    return f"Put back the whole file as it was in version {target.before.number}, without the later changes"


def _diff(made: FilePlan) -> diffs.Diff | None:
    target = made.target or made.choices.get(Answer.REST) or made.choices.get(Answer.WHOLE)
    if target is None or made.entry.media != Media.TEXT:
        return None
    sizes = made.entry.size, target.before.size if target.before else 0
    if max(sizes) > DIFFED_BYTES:
        return None
    now = text_of(made.entry.blob) if made.entry.state == State.LIVE else ""
    then = target.text if target.text is not None else (text_of(target.before.blob) if target.before else "")
    return diffs.compact(now, then, room=COMPACT)


def counted(plans: Sequence[FilePlan]) -> dict[str, int]:
    """Return how many files go back, are kept, and need an answer."""
    return {verdict.value: sum(made.verdict is verdict for made in plans) for verdict in undo.Verdict}
