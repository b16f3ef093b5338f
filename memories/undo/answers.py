"""What people say about the files of a plan, and what shall become of each then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memories.models import MemoryEntry
from memories.paths import MemoryPath, directories
from memories.undo.places import Move, obstructed
from memories.undo.plans import Answer, FilePlan, Target, Verdict
from memories.undo.trails import batches


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person said about a file: an answer, and the path at which it shall live where its own is taken."""

    answer: Answer
    path: MemoryPath | None = None


Replies = Mapping[UUID, Reply]
"""By the public id of the file."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What shall become of the files that are not kept; of the ``open`` ones a person has to say more first."""

    targets: list[tuple[FilePlan, Target]] = field(default_factory=list)
    open: list[FilePlan] = field(default_factory=list)

    def asked(self, plans: Sequence[FilePlan]) -> list[FilePlan]:
        """Return ``plans``, those that are open as questions."""
        questions = {made.entry.pk: made for made in self.open}
        return [questions.get(made.entry.pk, made) for made in plans]


def settle(store_id: int, plans: Sequence[FilePlan], replies: Replies, others: Answer | None = None) -> Settled:
    """Return what becomes of each file by its plan and the replies; a query for each 200 paths.

    ``others`` is the answer for files without a reply that are asked about. A file is open when it is asked about and
    nobody has answered, and when its path, or the one that the reply gives it, is taken.
    """
    wanted = [
        (made, target, reply)
        for made in plans
        if (target := _wanted(made, reply := replies.get(made.entry.uuid, _for_others(made, others))))
    ]
    # Whoever goes where it was comes before whoever may have another name.
    wanted.sort(key=lambda each: (bool(each[2] and each[2].path), each[0].verdict is Verdict.ASKED))
    moves = [move_of(made, target) for made, target, _ in wanted]
    given_up = {made.entry.pk for made, _, _ in wanted if others and made.entry.uuid not in replies}
    stuck = obstructed(moves, living(store_id, moves), given_up)
    settled = Settled()
    for made, target, reply in wanted:
        if made.entry.pk in stuck:
            if made.entry.pk not in given_up:
                choices = made.choices or {Answer.WHOLE: target}
                settled.open.append(replace(made, verdict=Verdict.ASKED, choices=choices, taken=target.path))
        elif made.verdict is Verdict.ASKED and not (reply and reply.answer in made.choices):
            settled.open.append(made)
        else:
            settled.targets.append((made, target))
    return settled


def asked_again(
    store_id: int, plans: Sequence[FilePlan], replies: Replies, others: Answer | None = None
) -> list[FilePlan]:
    """Return the plans with all that is to be asked once these replies were given, answered or not.

    A file that stays, or gets a name, may be in the way of another.
    """
    unnamed = {file: replace(reply, path=None) for file, reply in replies.items()}
    asked = settle(store_id, plans, unnamed, others).asked(plans)
    return settle(store_id, plans, replies, others).asked(asked)


def move_of(made: FilePlan, target: Target) -> Move:
    """Return the move that a file makes on its way to what it shall be."""
    return Move(made.entry.pk, made.entry.path if made.trail.is_live else "", target.path)


def _for_others(made: FilePlan, others: Answer | None) -> Reply | None:
    return Reply(others) if others and made.verdict is Verdict.ASKED else None


def _wanted(made: FilePlan, reply: Reply | None) -> Target | None:
    """Return what the file shall be by the reply, the whole of it until there is one; None where it stays as it is."""
    if made.verdict is Verdict.KEPT or (reply and reply.answer is Answer.KEEP):
        return None
    if made.verdict is Verdict.LATER and not (reply and reply.answer is Answer.WHOLE):
        return None
    target = made.target or made.choices[Answer.WHOLE]
    if reply and reply.answer in made.choices:
        target = made.choices[reply.answer]
    is_elsewhere = not made.trail.is_live or target.path != made.entry.path
    if reply and reply.path and target.path and is_elsewhere:
        return replace(target, path=reply.path.text)
    return target


def living(store_id: int, moves: Sequence[Move]) -> dict[str, MemoryEntry]:
    """Return what lives where files arrive, and above, by path."""
    paths = {path for move in moves if move.arrives for path in (move.to, *directories(move.to))}
    rows = MemoryEntry.objects.filter(store=store_id).only("path", "kind", "file_count")
    return {row.path: row for some in batches(sorted(paths)) for row in rows.at(*map(MemoryPath, some))}
