"""A thousand acts of agents and people on a dozen files: who wrote each line, checked against a record of its own."""

import random
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

import pytest

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Command, Create, Delete, Insert, Overwrite, Rename, Restore, StrReplace, Undelete
from memories.models import MemoryEntry, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.store.records import Outcome
from memories.views.authors import authors_of
from tests.support.stores import assert_sound, content_of

pytestmark = pytest.mark.django_db

ACTS = 1_000
FILES = 12
AGENTS = ("support-desk", "night-triage", "onboarding")
PEOPLE = ("mara", "jon")
USUAL = ("replace", "replace", "replace", "insert", "insert", "overwrite", "overwrite")
ACTS_TO_CHOOSE = (*USUAL, "create", "rename", "rename_directory", "delete", "undelete", "restore", "restore")


class Line(NamedTuple):
    """A line as the record keeps it: its text, who brought it, and in which act."""

    text: str
    author: str
    act: int


@dataclass
class File:
    """What the record knows of a file: where it is, its lines now, and its lines in every version it had."""

    uuid: UUID
    path: str
    lines: list[Line]
    versions: list[list[Line]] = field(default_factory=list)
    is_live: bool = True

    @property
    def text(self) -> str:
        return "".join(f"{line.text}\n" for line in self.lines)


class Script:
    """Acts at random, writing down what each does to lines from what it asks for, never from what came of it."""

    def __init__(self, store: MemoryStore, seed: int) -> None:
        self.store = store
        self.random = random.Random(seed)
        self.files: list[File] = []
        self.act = 0
        self.words = 0
        self.done: dict[str, int] = {}

    def step(self) -> None:
        """Do one act; one that suits no file is another one."""
        self.act += 1
        name = self.random.choice(ACTS_TO_CHOOSE)
        while not getattr(self, f"_{name}")():
            name = self.random.choice((*USUAL, "create"))
        self.done[name] = self.done.get(name, 0) + 1

    def live(self) -> list[File]:
        return [file for file in self.files if file.is_live]

    def _create(self) -> bool:
        if len(self.live()) >= FILES:
            return False
        path, name = self._free_path(), self._name()
        lines = self._fresh(self.random.randint(1, 12), name)
        outcome = self._apply(Create(MemoryPath(path), "".join(f"{line.text}\n" for line in lines)), name)
        self.files.append(File(outcome.versions[0].file, path, lines, [lines]))
        return True

    def _replace(self) -> bool:
        file = self._some()
        if not file or not file.lines:
            return False
        first = self.random.randrange(len(file.lines))
        last = min(len(file.lines), first + self.random.randint(1, 3))
        name = self._name()
        new = self._fresh(self.random.randint(0, 3), name, at_times_again=file)
        old = file.lines[first:last]
        self._keep(file, [*file.lines[:first], *new, *file.lines[last:]])
        self._apply(
            StrReplace(
                MemoryPath(file.path),
                "".join(f"{line.text}\n" for line in old),
                "".join(f"{line.text}\n" for line in new),
            ),
            name,
        )
        return True

    def _insert(self) -> bool:
        file = self._some()
        if not file:
            return False
        place, name = self.random.randint(0, len(file.lines)), self._name()
        new = self._fresh(self.random.randint(1, 3), name, at_times_again=file)
        self._apply(Insert(MemoryPath(file.path), place, "".join(f"{line.text}\n" for line in new)), name)
        self._keep(file, [*file.lines[:place], *new, *file.lines[place:]])
        return True

    def _overwrite(self) -> bool:
        """Save a text in which the lines that stayed keep their order, so that there is one way to compare them."""
        file = self._some()
        if not file:
            return False
        name = self.random.choice(PEOPLE)
        lines: list[Line] = []
        for line in file.lines:
            chance = self.random.random()
            if chance < 0.2:
                lines += self._fresh(self.random.randint(1, 2), name, at_times_again=file, beside=lines)
            if chance > 0.15:
                lines.append(line)
        lines += self._fresh(1, name)
        digest = MemoryEntry.objects.select_related("blob").get(uuid=file.uuid).blob
        assert digest
        self._keep(file, lines)
        self._apply(Overwrite(MemoryPath(file.path), file.text, digest.sha256), name)
        return True

    def _rename(self) -> bool:
        file, path = self._some(), self._free_path()
        if not file:
            return False
        self._apply(Rename(MemoryPath(file.path), MemoryPath(path)), self._name())
        file.path = path
        file.versions.append(file.lines)
        return True

    def _rename_directory(self) -> bool:
        within = [file for file in self.live() if file.path.startswith("/memories/d0/")]
        if not within:
            return False
        self.words += 1
        target = f"/memories/moved-{self.words}"
        self._apply(Rename(MemoryPath("/memories/d0"), MemoryPath(target)), self._name())
        for file in within:
            file.path = target + file.path.removeprefix("/memories/d0")
            file.versions.append(file.lines)
        return True

    def _delete(self) -> bool:
        file = self._some()
        if not file or len(self.live()) < 4:
            return False
        self._apply(Delete(MemoryPath(file.path)), self._name())
        file.is_live = False
        file.versions.append([])
        return True

    def _undelete(self) -> bool:
        gone = [file for file in self.files if not file.is_live]
        if not gone or len(self.live()) >= FILES:
            return False
        file, path = self.random.choice(gone), self._free_path()
        entry = MemoryEntry.objects.get(uuid=file.uuid)
        self._apply(Undelete(entry.pk, MemoryPath(path)), self.random.choice(PEOPLE))
        file.is_live, file.path = True, path
        file.versions.append(file.lines)
        return True

    def _restore(self) -> bool:
        """Bring back an earlier text whose lines that are still there stand in the same order as now."""
        file = self._some()
        if not file:
            return False
        number = self.random.randint(1, len(file.versions))
        then, now = file.versions[number - 1], file.lines
        kept = {line.text for line in now} & {line.text for line in then}
        same_order = [line.text for line in now if line.text in kept] == [
            line.text for line in then if line.text in kept
        ]
        if not then or not same_order or [line.text for line in now] == [line.text for line in then]:
            return False
        version = MemoryVersion.objects.select_related("blob").get(entry__uuid=file.uuid, number=number)
        assert version.blob
        restore = Restore(MemoryPath(file.path), number, content_of(version.blob))
        self._apply(restore, self.random.choice(PEOPLE))
        stayed = {line.text: line for line in now}
        self._keep(file, [stayed.get(line.text, line) for line in then])
        return True

    def _some(self) -> File | None:
        return self.random.choice(self.live()) if self.live() else None

    def _keep(self, file: File, lines: list[Line]) -> None:
        file.lines = lines
        file.versions.append(lines)

    def _fresh(
        self, count: int, author: str, *, at_times_again: File | None = None, beside: list[Line] | None = None
    ) -> list[Line]:
        """Return new lines, at times with the text of one that the file had before and has no more."""
        lines: list[Line] = []
        for _ in range(count):
            self.words += 1
            text = f"- fact {self.words}"
            if at_times_again and self.random.random() < 0.2:
                there = {line.text for line in (*at_times_again.lines, *(beside or ()), *lines)}
                before = [
                    line.text for version in at_times_again.versions for line in version if line.text not in there
                ]
                text = self.random.choice(before) if before else text
            lines.append(Line(text, author, self.act))
        return lines

    def _free_path(self) -> str:
        self.words += 1
        return f"/memories/d{self.random.randrange(3)}/file-{self.words}.md"

    def _name(self) -> str:
        return self.random.choice((*AGENTS, *PEOPLE))

    def _apply(self, command: Command, name: str) -> Outcome:
        kind = ActorKind.AGENT if name in AGENTS else ActorKind.PERSON
        outcome = memory.apply(self.store.pk, command, actor=Actor(kind, name, turn=self.act))
        assert outcome.versions
        return outcome


def assert_attributed(script: Script) -> int:
    """Compare every line of every live file with the record; return how many there were."""
    compared = 0
    for file in script.live():
        entry = MemoryEntry.objects.get(uuid=file.uuid)
        authors = authors_of(entry)
        assert authors
        versions = {version.number: version for version in MemoryVersion.objects.filter(entry=entry)}
        found = [(versions[number].actor_label, versions[number].turn) for number in authors.lines]
        assert found == [(line.author, line.act) for line in file.lines], file.path
        for place, line in enumerate(file.lines, 1):
            # An equal line that somebody wrote anew is another one: only who brought it tells them apart.
            expected = {number: lines.index(line) + 1 for number, lines in enumerate(file.versions, 1) if line in lines}
            assert authors.places(place) == expected, (file.path, line)
            compared += 1
    return compared


@pytest.mark.parametrize("seed", [1, 2])
def test_every_line_belongs_to_whoever_wrote_it(store: MemoryStore, seed: int) -> None:
    script = Script(store, seed)
    compared = 0

    for act in range(1, ACTS + 1):
        script.step()
        if act % 100 == 0:
            compared += assert_attributed(script)

    assert compared > 500
    assert (
        min(script.done.get(name, 0) for name in ("create", "rename_directory", "delete", "undelete", "restore")) > 10
    )
    for file in script.live():
        blob = MemoryEntry.objects.select_related("blob").get(uuid=file.uuid).blob
        assert blob
        assert content_of(blob).decode() == file.text
    assert_sound(store)
