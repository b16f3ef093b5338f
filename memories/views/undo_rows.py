"""What the page that takes an act back says about each file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.http import HttpRequest

from memories import diffs, undo
from memories.commands.contents import text_in
from memories.models import ChangeSet, MemoryVersion, ReadEvent, State
from memories.paths import MemoryPath
from memories.undo import Answer, FilePlan, Reason, Replies, Reply, Target, Verdict
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.contents import data_of
from memories.views.diff_room import COMPACT

ROOM: Final = {Verdict.ASKED: 22_000, Verdict.GOES_BACK: 14_000, Verdict.LATER: 10_000, Verdict.KEPT: 8_000}
"""Bytes that the list of one kind may take, the differences aside; files beyond are counted."""

ROW: Final = 1_200
PATH: Final = 6
"""Bytes that a row takes, and each byte of its path and of one that is taken, as addresses, text and fields."""

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
    Reason.PURGED: "it is gone for good",
    Reason.TOO_LARGE: "there is too much text to take out only what this changed",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that a person can give, in words, and whether it was given; one may need another name."""

    answer: Answer
    words: str
    is_given: bool
    asks_name: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A file: what would become of it, in words, and the difference that makes, where there is room to show it.

    ``stays`` says that somebody has left its box empty; ``name`` is offered where its path is taken.
    """

    plan: FilePlan
    words: str
    later: Cause | None
    later_version: MemoryVersion | None
    choices: tuple[Choice, ...]
    diff: diffs.Diff | None
    url: str
    stays: bool
    name: str
    is_ticked: bool = True
    since: tuple[Cause, ...] = ()
    """Who changed it since a moment, the last first, and how many more did."""

    more_since: int = 0

    @property
    def path(self) -> str:
        return MemoryPath(self.plan.entry.path).relative


@dataclass(frozen=True, slots=True)
class Readers:
    """Who was shown text of the act by now: the newest, and how many there are in all."""

    shown: tuple[tuple[Cause, ReadEvent], ...]
    total: int


def listed(plans: Sequence[FilePlan], verdict: Verdict) -> list[FilePlan]:
    """Return the first plans, all of one kind, for which the page has room; one at least."""
    room = ROOM[verdict]
    for count, made in enumerate(plans):
        room -= ROW + PATH * len((made.entry.path + made.taken).encode())
        if room < 0 and count:
            return list(plans[:count])
    return list(plans)


def rows_of(request: HttpRequest, slug: str, plans: Sequence[FilePlan], replies: Replies) -> list[Row]:
    """Return a row for each plan, with what was replied already; the changes of the first few are compared."""
    later = _later(plans)
    causes = Causes(request, later.values())
    rows, compared = [], 0
    for made in plans:
        reply = replies.get(made.entry.uuid)
        diff = _diff(made) if compared < COMPARED and made.verdict not in (Verdict.KEPT, Verdict.LATER) else None
        compared += diff is not None
        last = later.get(made.entry.pk)
        # A deleted file's path may be another one's by now.
        own = {} if made.entry.state == State.LIVE else {"file": made.entry.uuid}
        row = Row(
            plan=made,
            words=_words(made),
            later=causes.of(last) if last else None,
            later_version=last,
            choices=_choices(made, reply),
            diff=diff,
            url=addresses.history(slug, made.entry.path, **own),
            stays=bool(reply and reply.answer is Answer.KEEP),
            name=_name(made, reply),
            is_ticked=_is_ticked(made, reply),
        )
        rows.append(row)
    return rows


def _is_ticked(made: FilePlan, reply: Reply | None) -> bool:
    return reply.answer is Answer.WHOLE if reply else made.verdict is not Verdict.LATER


def _later(plans: Sequence[FilePlan]) -> dict[int, MemoryVersion]:
    """Return the newest versions that others made after the act, by file; one query."""
    wanted = [Q(entry=made.entry, number=made.trail.last_later) for made in plans if made.trail.last_later]
    found = MemoryVersion.objects.filter(Q(*wanted, _connector=Q.OR)).defer("spans") if wanted else ()
    return {version.entry_id: version for version in found}


def _name(made: FilePlan, reply: Reply | None) -> str:
    """Return the name that was given and is free, else one beside that which is taken."""
    if reply and reply.path and reply.path.text != made.taken:
        return reply.path.relative
    stem, dot, suffix = MemoryPath(made.taken).relative.rpartition(".")
    return f"{stem}-restored.{suffix}" if dot and "/" not in suffix else f"{suffix}-restored"


def readers_of(request: HttpRequest, change_set: ChangeSet, plans: Sequence[FilePlan]) -> Readers:
    """Return who else was shown a file as the act had left it; three queries."""
    first = {made.entry.pk: made.trail.made[0] for made in plans[:READ]}
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
    if made.verdict is Verdict.LATER:
        return "it was not there yet"
    if made.taken:
        return f"{MemoryPath(made.taken).relative} is another file’s path now"
    if made.reason:
        return WHY[made.reason]
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


def _choices(made: FilePlan, reply: Reply | None) -> tuple[Choice, ...]:
    if made.verdict is not Verdict.ASKED:
        return ()
    if made.target:
        words = {Answer.WHOLE: "Put it back under this name", Answer.KEEP: "Leave it as it is"}
    else:
        offered = {
            Answer.WHOLE: _whole_words(made.choices[Answer.WHOLE]),
            Answer.REST: "Put back only what nobody has changed since",
        }
        words = {answer: offered[answer] for answer in made.choices} | {Answer.KEEP: "Keep the file as it is"}
    moving = [answer for answer, target in made.choices.items() if made.taken and _arrives(made, target)]
    return tuple(
        Choice(answer, said, bool(reply and reply.answer is answer), answer in moving[-1:])
        for answer, said in words.items()
    )


def _arrives(made: FilePlan, target: Target) -> bool:
    return bool(target.path) and (made.entry.state != State.LIVE or target.path != made.entry.path)


def _whole_words(target: Target) -> str:
    if not target.before:
        return "Put the whole file into the trash, later changes too"
    return f"Put back the whole file as it was in version {target.before.number}, without the later changes"


def _diff(made: FilePlan) -> diffs.Diff | None:
    target = made.target or made.choices.get(Answer.REST) or made.choices.get(Answer.WHOLE)
    if target is None or max(made.entry.size, target.before.size if target.before else 0) > DIFFED_BYTES:
        return None
    now = text_in(data_of(made.entry.blob)) if made.entry.state == State.LIVE else ""
    then = target.text
    if then is None:
        then = text_in(data_of(target.before.blob)) if target.before else ""
    return None if now is None or then is None else diffs.compact(now, then, room=COMPACT)


def counted(plans: Sequence[FilePlan]) -> dict[str, int]:
    """Return how many files go back, are kept, and need an answer."""
    return {verdict.value: sum(made.verdict is verdict for made in plans) for verdict in undo.Verdict}
