"""Taking an act back: the plan, made again under the store's lock, and then the commands it comes to."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from memories import store
from memories.actors import Actor
from memories.commands import Command, Delete, Lock, Pause, Pin, Rename, Restore, Undelete
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, InsideItself, PathTaken, Refused
from memories.undo.plans import Answer, FilePlan, Target, Verdict, blocked, fingerprint, plan_file
from memories.undo.trails import Content, contents_of, trails_of


class NothingToUndo(Refused):
    """Nothing of the act is left that could be taken back."""


class AnswerMissing(Refused):
    """A file was changed by somebody else since, and nobody has said what shall become of it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person said about a file: an answer, or the path at which it shall live since its own is taken."""

    answer: Answer
    path: MemoryPath | None = None


Replies = Mapping[UUID, Reply]
"""By the public id of the file; a file that nobody was asked about may be kept, and no more."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the change set that did it, and how many files went back and were kept."""

    change_set: UUID
    back: int
    kept: int

    @property
    def files(self) -> int:
        """Return how many files the act had changed; none where it set marks only."""
        return self.back + self.kept


def plan(change_set: ChangeSet) -> list[FilePlan]:
    """Return what taking back ``change_set`` would do to each file it changed, in the order of their paths."""
    content = contents_of(change_set.store_id)
    plans = [plan_file(trail, content) for trail in trails_of(change_set)]
    wanted = {path for made in plans if made.target and made.target.path for path in _way_to(made.target.path)}
    entries = MemoryEntry.objects.filter(store=change_set.store_id).at(*wanted)
    return blocked(plans, {entry.path: entry for entry in entries})


def undo(
    change_set: ChangeSet, *, actor: Actor, replies: Replies, others: Answer | None = None, shown: str = ""
) -> Undone:
    """Take ``change_set`` back in one transaction, as a change set that can be taken back itself.

    ``others`` is the answer for files without a reply of their own that are asked about.
    ``shown`` is the fingerprint of the plan that the person saw; ContentChanged is raised once that is no longer the
    plan, AnswerMissing where a file is asked about and ``replies`` has no answer, NothingToUndo when nothing is left to
    do. Nothing was changed then.
    """
    actor = replace(actor, change_set=f"undo:{uuid4()}", undoes=change_set.uuid)
    with store.locked(change_set.store_id) as tx:
        plans = plan(change_set)
        if shown and shown != fingerprint(plans):
            raise ContentChanged("A file changed while you looked; nothing was undone. This is how it stands now.")
        targets = [(made, target) for made in plans if (target := _chosen(made, replies.get(made.entry.uuid), others))]
        _carry_out(tx, targets, actor, contents_of(change_set.store_id))
        for command in _unmarked(change_set):
            tx.apply(command, actor=actor)
        done = ChangeSet.objects.filter(store=change_set.store_id, key=actor.change_set).first()
        if done is None:
            raise NothingToUndo("Nothing of this is left to undo.")
    return Undone(done.uuid, len(targets), len(plans) - len(targets))


def _chosen(made: FilePlan, reply: Reply | None, others: Answer | None) -> Target | None:
    """Return what the file shall be after the reply; None where it stays as it is."""
    if reply is None and made.verdict is Verdict.ASKED and others:
        reply = Reply(others)
    if made.verdict is Verdict.KEPT or (reply and reply.answer is Answer.KEEP):
        return None
    if made.verdict is Verdict.GOES_BACK:
        return made.target
    if made.taken and made.target and reply and reply.path:
        return replace(made.target, path=reply.path.text)
    if reply and reply.answer in made.choices:
        return made.choices[reply.answer]
    raise AnswerMissing(f"{made.entry.path} was changed later; say what shall become of it.")


def _carry_out(tx: store.Transaction, targets: list[tuple[FilePlan, Target]], actor: Actor, content: Content) -> None:
    """Run the commands of all files; one whose path another still holds comes again after the others."""
    waiting = deque(deque(_commands(made.entry, target, content)) for made, target in targets)
    held = 0
    while waiting:
        steps = waiting.popleft()
        if not steps:
            continue
        came = tx.attempt(steps[0], actor=actor)
        if not isinstance(came, Refused):
            steps.popleft()
            held = 0
        elif not isinstance(came, PathTaken | InsideItself):
            raise came
        else:
            held += 1
            if held > len(waiting):
                _step_aside(tx, [steps, *waiting], actor, came)
                held = 0
        waiting.append(steps)


def _step_aside(tx: store.Transaction, waiting: list[deque[Command]], actor: Actor, refusal: Refused) -> None:
    """Move one file out of the way of others that wait for its path while it waits for theirs."""
    for steps in waiting:
        first = steps[0] if steps else None
        if isinstance(first, Rename) and not first.source.text.startswith(_ASIDE):
            aside = MemoryPath(f"{_ASIDE}{uuid4().hex}")
            tx.apply(Rename(first.source, aside), actor=actor)
            steps[0] = Rename(aside, first.target)
            return
    raise refusal


_ASIDE = "/memories/.undo-"


def _commands(entry: MemoryEntry, target: Target, content: Content) -> Iterator[Command]:
    """Yield what makes of a file, as it is now, what it shall be."""
    here, there = MemoryPath(entry.path), MemoryPath(target.path)
    if not target.before:
        yield Delete(here)
        return
    if entry.state != "live":
        yield Undelete(entry.pk, there)
    elif here != there:
        yield Rename(here, there)
    yield Restore(there, target.before.number, content(target.before), target.text)


def _unmarked(change_set: ChangeSet) -> Iterator[Command]:
    """Yield what takes back the marks that are still as the act set them."""
    files = MemoryEntry.objects.live().in_bulk([pk for pk, _, _ in change_set.marks if pk])
    for pk, name, value in reversed(change_set.marks):
        if pk is None:
            if (MemoryStore.objects.get(pk=change_set.store_id).paused_at is not None) is value:
                yield Pause(not value)
        elif (entry := files.get(pk)) and getattr(entry, name) is value:
            yield _MARKS[name](MemoryPath(entry.path), not value)


_MARKS: dict[str, type[Pin] | type[Lock]] = {"pinned": Pin, "locked": Lock}


def _way_to(path: str) -> tuple[MemoryPath, ...]:
    return MemoryPath(path), *MemoryPath(path).ancestors()
