"""A store in which three agents and two people do all that can be done to files, at random, and what it held meanwhile.

Every act goes through the same functions as those of the tool and of the pages. What was there after each is kept
apart from the product: the bytes of every file, and what each person has seen of it.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Final
from uuid import UUID, uuid4

from django.contrib.auth.models import User

from memories import store, undo
from memories.actors import Actor, ActorKind
from memories.commands import Command
from memories.models import ChangeSet, MemoryEntry, MemoryStore, MemoryVersion
from memories.moments import seen
from memories.paths import MemoryPath, directories
from memories.refusals import Refused
from memories.undo import Answer, FilePlan, Reply
from tests.support.stores import content_of, new_store

Files = dict[int, tuple[str, bytes]]
"""What a store held: the path and the bytes of each file, by its id."""

FOLDERS: Final = ("", "a/", "a/b/", "a/b/c/", "dir/", "dir0/", ".hidden/", "müsli und tee/", "x/")
NAMES: Final = ("one.md", "two", "a", "b", "dir", "日本.md", "with blanks.md", "x")
LINES: Final = ("tea\n", "tea\n", "milk\n", "sugar\r\n", "\n", "it closes at 17:00\n", "é 🎉\n", "- a\n", "\t\n")
RUN: Final = 25
"""Acts after which an agent may begin another run."""


class Broken(AssertionError):
    """Something is not as it was promised."""


def files_by_id(memory: MemoryStore) -> Files:
    """Return what the store holds."""
    rows = MemoryEntry.objects.live().files().filter(store=memory).select_related("blob")
    return {row.pk: (row.path, content_of(row.blob)) for row in rows if row.blob}


@dataclass
class Person:
    """Somebody with an account, and what they saw last of each file."""

    user: User
    knows: Files = field(default_factory=dict)

    @property
    def actor(self) -> Actor:
        return Actor(ActorKind.PERSON, self.user.username, user_id=self.user.pk)


class History:
    """A store with its past: ``taken`` is what it held after each act, by its ``seq``.

    ``tried`` counts operations; ``refused`` and ``done`` how they went, by kind. ``undone`` are acts that were taken
    back and brought again, ``kept`` the lines of others that were in their way.
    """

    def __init__(self, seed: int) -> None:
        self.luck = Random(seed)
        self.memory = new_store()
        self.people = [
            Person(User.objects.create_superuser(f"{name}-{self.memory.pk}")) for name in ("mara", "jon", "reader")
        ]
        self.agents = [self._in_a_run(f"agent {number}") for number in range(3)]
        self.taken: dict[int, Files] = {0: {}}
        self.done: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.tried = self.undone = self.kept = 0

    @property
    def now(self) -> Files:
        """Return what the store holds now."""
        return self.taken[self.memory.seq]

    def remember(self) -> None:
        """Keep what the store holds now, and let people know what they did themselves."""
        before = self.memory.seq
        self.memory.refresh_from_db()
        if self.memory.seq == before:
            return
        files = self.taken[self.memory.seq] = files_by_id(self.memory)
        made = MemoryVersion.objects.filter(store=self.memory, seq__gt=before)
        for person in self.people:
            for key in made.filter(user_id=person.user.pk).values_list("entry_id", flat=True):
                self._learn(person, key, files)

    def somebody(self) -> Actor:
        """Return one of the five, whichever it is."""
        at = self.luck.randrange(5)
        if at > 2:
            return self.people[at - 3].actor
        if not self.luck.randrange(RUN):
            self.agents[at] = self._in_a_run(f"agent {at}")
        return self.agents[at]

    def person(self) -> Actor:
        """Return one of the two people who act."""
        return self.luck.choice(self.people[:2]).actor

    def apply(self, command: Command, actor: Actor | None = None) -> None:
        store.apply(self.memory.pk, command, actor=actor or self.somebody())

    def path(self) -> MemoryPath:
        """Return a path at which there may or may not be anything."""
        return MemoryPath(f"/memories/{self.luck.choice(FOLDERS)}{self.luck.choice(NAMES)}")

    def file(self) -> MemoryPath:
        """Return where a file lives, if there is any."""
        return MemoryPath(self.luck.choice([path for path, _ in self.now.values()] or [self.path().text]))

    def folder(self) -> MemoryPath:
        """Return where a directory is, if there is any."""
        found = sorted({up for path, _ in self.now.values() for up in directories(path)} - {MemoryPath.ROOT.text})
        return MemoryPath(self.luck.choice(found or [self.path().text]))

    def text(self, number: int) -> str:
        """Return a text, mostly of lines that others have too; the last may have no end, and there may be none."""
        lines = [*self.luck.choices(LINES, k=self.luck.randrange(9)), f"only {number}\n"][: self.luck.randrange(9)]
        return "".join(lines)[: -1 if self.luck.random() < 0.2 else None]

    def moment(self) -> int:
        return self.luck.choice(list(self.taken))

    def trash(self) -> list[int]:
        gone = MemoryEntry.objects.filter(store=self.memory, state="trash").order_by("pk")
        return list(gone.values_list("pk", flat=True))

    def act(self) -> ChangeSet:
        """Return one of the last acts, a run as often as any other."""
        acts = ChangeSet.objects.filter(store=self.memory).order_by("-pk")
        last: list[ChangeSet] = [*acts.filter(run_id=None)[:20], *acts.exclude(run_id=None)[:8]]
        if not last:
            raise Refused("Nothing was done yet.")
        return self.luck.choices(last, [1 if act.run_id is None else 2 for act in last])[0]

    def take_back(self, act: ChangeSet) -> None:
        """Undo an act with answers at random, undo that, and sometimes that once more: every byte comes and goes."""
        start, marks, plans = self.now, self._marks(), undo.plan(act)
        others = self.luck.choice([Answer.KEEP, Answer.KEEP, Answer.WHOLE, Answer.REST])
        kept = self._lines_of_others(plans) if others is Answer.KEEP else {}
        replies = {} if kept else self.replies(plans)
        done = undo.undo(act, actor=self.person(), replies=replies, others=others)
        self.remember()
        there = self.now
        self.kept += sum(map(len, kept.values()))
        for key, lines in kept.items():
            if not lines <= lines_of(there.get(key)):
                raise Broken(f"undo of {act} took lines of others: {different(start, there)}")
        self.undo_again(done, start, f"undo of the undo of {act}")
        if marks != self._marks():
            raise Broken(f"undo of the undo of {act} does not bring the marks back")
        if self.luck.random() < 0.5:
            self.undo_again(self._last(), there, f"undo of the undo of the undo of {act}")
        self.undone += 1

    def undo_again(self, done: undo.Undone | ChangeSet, wanted: Files, what: str) -> None:
        """Undo what was just done, of which nobody has to be asked; Broken unless it leads to what is ``wanted``."""
        act = done if isinstance(done, ChangeSet) else ChangeSet.objects.get(uuid=done.change_set)
        try:
            undo.undo(act, actor=self.person(), replies={})
        except undo.NothingToUndo:
            if self.now != wanted:
                raise Broken(f"{what} finds nothing to do") from None
            return
        except Refused as refusal:
            raise Broken(f"{what} is refused: {refusal}") from None
        self.remember()
        if self.now != wanted:
            raise Broken(f"{what} does not return to the start: {different(wanted, self.now)}")

    def replies(self, plans: list[FilePlan]) -> dict[UUID, Reply]:
        """Answer for some files, with names of their own for some of these."""
        some = [made for made in plans if self.luck.random() < 0.4]
        return {
            made.entry.uuid: Reply(
                self.luck.choice([*made.choices, Answer.KEEP]), self.luck.choice([None, None, self.path()])
            )
            for made in some
        }

    def see(self, _number: int) -> None:
        """Let somebody see the whole store, or a file, and know it; or take that back at once."""
        person = self.luck.choice(self.people)
        way, files = self.luck.random(), self.now
        if way < 0.2:
            if moment := seen.mark(person.user.pk, stores={self.memory.pk: self.memory.seq}):
                seen.take_back(person.user.pk, moment)
        elif way < 0.4:
            seen.mark(person.user.pk, stores={self.memory.pk: self.memory.seq})
            person.knows = dict(files)
        elif files:
            key = self.luck.choice(list(files))
            seen.mark(person.user.pk, files={key: MemoryEntry.objects.get(pk=key).version})
            self._learn(person, key, files)

    def _lines_of_others(self, plans: list[FilePlan]) -> dict[int, set[bytes]]:
        """Return by file the lines that others brought into it since the act, of those that stand nowhere twice."""
        found: dict[int, set[bytes]] = {}
        for trail in (made.trail for made in plans if made.trail.is_live):
            since: dict[bytes, int] = {}
            versions = MemoryVersion.objects.filter(entry=trail.entry, blob__isnull=False).select_related("blob")
            for version in versions.order_by("number"):
                for line in lines_of(("", content_of(version.blob) if version.blob else b"")):
                    since.setdefault(line, version.number)
            own = {line for line, first in since.items() if first > trail.made[0] and first not in trail.made}
            if lines := own & lines_of(self.now.get(trail.entry.pk)):
                found[trail.entry.pk] = lines
        return found

    def _marks(self) -> dict[int, tuple[bool, bool]]:
        """Return which files are pinned and locked."""
        files = MemoryEntry.objects.live().files().filter(store=self.memory)
        return {pk: (pinned, locked) for pk, pinned, locked in files.values_list("pk", "pinned", "locked")}

    def _last(self) -> ChangeSet:
        return ChangeSet.objects.filter(store=self.memory).latest("pk")

    @staticmethod
    def _learn(person: Person, key: int, files: Files) -> None:
        person.knows.pop(key, None)
        if key in files:
            person.knows[key] = files[key]

    @staticmethod
    def _in_a_run(label: str) -> Actor:
        run = uuid4()
        return Actor(ActorKind.AGENT, label, run_id=run, change_set=f"run:{run}")


def lines_of(file: tuple[str, bytes] | None) -> set[bytes]:
    """Return the lines of a file that no other act writes; none of one that is not there."""
    return {line for line in (file[1] if file else b"").splitlines() if line.startswith((b"only ", b"cup "))}


def different(wanted: Files, found: Files) -> str:
    """Return in words what differs, for a person who looks for the reason."""
    keys = [key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)]
    return "; ".join(f"file {key}: {wanted.get(key)} became {found.get(key)}" for key in keys[:4])
