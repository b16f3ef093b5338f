"""A store put back to a moment: every file, some files, and all of it undone again; and the listing of then."""

from dataclasses import replace
from random import Random
from uuid import UUID, uuid4

import pytest

from memories import moments, tool, undo
from memories import store as memory
from memories.actors import Actor
from memories.commands import Command, Create, Delete, ImportFile, Insert, Rename, StrReplace, Undelete
from memories.models import Blob, ChangeSet, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, Refused
from memories.undo import Answer, Moment, Reply, TooMuch, Verdict
from tests.support.stores import AGENT, PERSON, assert_sound, content_of, files_of

A, B, C = (MemoryPath(f"/memories/{name}") for name in ("a.md", "dir/b.md", "c.md"))
NAMES = ("a.md", "b.md", "dir", "dir/c.md", "dir/d.md", "dir/sub/e.md", "dir0.md", "x/y/z.md", ".hidden/f.md", "new")
ACTORS = [
    *(replace(AGENT, label=f"agent {n}", run_id=uuid4(), change_set=f"run:{n}") for n in range(3)),
    PERSON,
    replace(PERSON, label="jon"),
]


def random_command(random: Random, number: int, store: MemoryStore) -> Command:
    path, other = (MemoryPath(f"/memories/{name}") for name in random.sample(NAMES, 2))
    gone = list(MemoryEntry.objects.filter(store=store, state="trash").order_by("pk").values_list("pk", flat=True)[:9])
    kinds: list[Command] = [
        Create(path, f"line {number}\ncommon\n"),
        ImportFile(path, f"brought {number}\n".encode()),
        StrReplace(path, "common", f"c {number}\ncommon"),
        Insert(path, 0, f"top {number}\n"),
        Rename(path, other),
        Delete(path),
    ]
    if gone:
        kinds.append(Undelete(random.choice(gone), path))
    return random.choice(kinds)


def history(store: MemoryStore, random: Random, operations: int) -> dict[int, dict[str, bytes]]:
    """Let three agents and two people act, and return what the store held after each change."""
    taken = {0: files_of(store)}
    for number in range(operations):
        try:
            memory.apply(store.pk, random_command(random, number, store), actor=random.choice(ACTORS))
        except Refused:
            continue
        store.refresh_from_db()
        taken[store.seq] = files_of(store)
    return taken


def everything(store: MemoryStore, seq: int) -> dict[UUID, Reply]:
    """Tick every file of the preview."""
    return {made.entry.uuid: Reply(Answer.WHOLE) for made in undo.plan(Moment(store.pk, seq))}


def test_any_moment_of_a_long_history_comes_back_and_goes_again_byte_for_byte(store: MemoryStore) -> None:
    random = Random(20)
    taken = history(store, random, 1_000)
    assert len(taken) > 250

    for seq in random.sample(sorted(taken), 50):
        files = moments.files_at(store, seq)
        contents = Blob.objects.in_bulk([file.blob_id for file in files if file.blob_id])
        assert {file.path: content_of(contents[file.blob_id or 0]) for file in files} == taken[seq], seq
    for seq in random.sample(sorted(taken)[:-1], 10):
        now = files_of(store)
        if now == taken[seq]:
            continue
        done = undo.put_back(store, seq, actor=PERSON, replies=everything(store, seq))
        assert files_of(store) == taken[seq], seq
        act = ChangeSet.objects.get(uuid=done.change_set)
        undo.undo(act, actor=PERSON, replies={})
        assert files_of(store) == now, seq
    assert_sound(store)


def test_a_view_of_then_is_what_the_tool_answered_then(store: MemoryStore) -> None:
    random, answers = Random(4), {}
    for number in range(120):
        try:
            memory.apply(store.pk, random_command(random, number, store), actor=random.choice(ACTORS))
        except Refused:
            continue
        store.refresh_from_db()
        for path in ("/memories", "/memories/dir", *random.sample([f"/memories/{name}" for name in NAMES], 2)):
            answers[store.seq, path] = tool.look(store, path)

    for (seq, path), answer in answers.items():
        assert tool.look(store, path, at=seq) == answer, (seq, path)


def test_what_came_later_stays_unless_it_is_ticked(store: MemoryStore, agent: Actor, person: Actor) -> None:
    memory.apply(store.pk, Create(A, "tea\n"), actor=agent)
    memory.apply(store.pk, Create(C, "milk\n"), actor=person)
    memory.apply(store.pk, ImportFile(A, b"coffee\n"), actor=person)

    verdicts = {made.entry.path: made.verdict for made in undo.plan(Moment(store.pk, 1))}
    undo.put_back(store, 1, actor=person, replies={})

    assert verdicts == {A.text: Verdict.GOES_BACK, C.text: Verdict.LATER}
    assert files_of(store) == {A.text: b"tea\n", C.text: b"milk\n"}
    undo.put_back(store, 1, actor=person, replies=everything(store, 1))
    assert files_of(store) == {A.text: b"tea\n"}


def test_a_later_file_on_a_path_of_then_is_asked_about(store: MemoryStore, agent: Actor, person: Actor) -> None:
    memory.apply(store.pk, Create(A, "tea\n"), actor=agent)
    memory.apply(store.pk, Rename(A, B), actor=agent)
    memory.apply(store.pk, Create(A, "another\n"), actor=person)

    asked = [made for made in undo.plan(Moment(store.pk, 1)) if made.verdict is Verdict.ASKED]

    assert [(made.entry.path, made.taken) for made in asked] == [(B.text, A.text)]
    with pytest.raises(undo.AnswerMissing):
        undo.put_back(store, 1, actor=person, replies={})
    assert files_of(store) == {A.text: b"another\n", B.text: b"tea\n"}


def test_chosen_files_go_back_alone_and_changes_of_others_do_not_matter(
    store: MemoryStore, agent: Actor, person: Actor
) -> None:
    for path in (A, B, C):
        memory.apply(store.pk, Create(path, "tea\n"), actor=agent)
    for path in (A, B, C):
        memory.apply(store.pk, Delete(path), actor=agent)
    chosen = frozenset(
        MemoryEntry.objects.filter(path__in=[A.text, B.text], kind="file").values_list("uuid", flat=True)
    )
    shown = undo.fingerprint(undo.plan(Moment(store.pk, 3, chosen)))
    memory.apply(store.pk, Create(C, "new\n"), actor=agent)

    undo.put_back(store, 3, actor=person, replies={}, only=chosen, shown=shown)

    assert files_of(store) == {A.text: b"tea\n", B.text: b"tea\n", C.text: b"new\n"}


def test_what_changed_since_the_preview_is_not_put_back(store: MemoryStore, agent: Actor, person: Actor) -> None:
    memory.apply(store.pk, Create(A, "tea\n"), actor=agent)
    memory.apply(store.pk, ImportFile(A, b"coffee\n"), actor=agent)
    shown = undo.fingerprint(undo.plan(Moment(store.pk, 1)))
    memory.apply(store.pk, ImportFile(A, b"cocoa\n"), actor=person)

    with pytest.raises(ContentChanged):
        undo.put_back(store, 1, actor=person, replies={}, shown=shown)

    assert files_of(store) == {A.text: b"cocoa\n"}


def test_more_files_than_the_limit_are_refused_in_words(
    store: MemoryStore, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.undo.moments.FILES", 2)
    for path in (A, B, C):
        memory.apply(store.pk, Create(path, "tea\n"), actor=agent)

    with pytest.raises(TooMuch, match="one undo takes 2 files at most"):
        undo.plan(Moment(store.pk, 0))
