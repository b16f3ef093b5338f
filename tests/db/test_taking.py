"""Taking files across: what was chosen becomes like the source, as one act that can be undone, or nothing happens."""

import random

import pytest

from memories import store as memory_store
from memories import undo
from memories.commands import Command, Create, Delete, Lock, Overwrite, Purge, Rename
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.moments.differences import Kind
from memories.refusals import ContentChanged, Locked, PathTaken, Refused
from memories.taking import Comparison, Side, acting, compared, take
from tests.support.files import at, move, remove, write, write_image
from tests.support.stores import AGENT, PERSON, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db

NAMES = ("a", "b", "c", "a/x", "a/y", "b/x", "d/e/f")


def keys(source: Side, target: Side, *kinds: Kind) -> list[str]:
    """Return the keys of all differences, or of those of these kinds."""
    return [each.key for each in compared(source, target).choices if not kinds or each.kind in kinds]


def live_at(memory: MemoryStore, path: str) -> MemoryEntry:
    """Return the file that lives at a path."""
    return MemoryEntry.objects.live().get(store=memory, path=at(path).text)


def wander(memory: MemoryStore, luck: random.Random, steps: int) -> None:
    """Write, move and delete at random; what is refused is passed over."""
    for step in range(steps):
        path = at(luck.choice(NAMES))
        there = MemoryEntry.objects.live().filter(store=memory, path=path.text).select_related("blob").first()
        text = f"{luck.choice(['tea', 'milk', 'sugar', str(step)])}\n"
        command: Command
        change = luck.choice(["write", "write", "write", "move", "delete"])
        if change == "write":
            sha256 = there.blob.sha256 if there and there.blob else ""
            command = Overwrite(path, text, sha256) if there and there.kind == "file" else Create(path, text)
        else:
            command = Delete(path) if change == "delete" else Rename(path, at(luck.choice(NAMES)))
        try:
            memory_store.apply(memory.pk, command, actor=AGENT)
        except Refused:
            continue


@pytest.mark.parametrize("seed", range(12))
def test_taking_everything_makes_the_target_equal_the_source(seed: int) -> None:
    luck = random.Random(seed)
    source, target = new_store(), new_store()
    wander(source, luck, 12)
    wander(target, luck, 12)
    target.refresh_from_db()
    moment = Side(target, luck.randint(0, target.seq))
    was = {file.path: file.sha256 for file in moment.files()}
    wander(target, luck, 12)

    for side, wanted in ((Side(source), None), (moment, was)):
        before = files_of(target)
        if not (chosen := keys(side, Side(target))):
            continue
        taken = take(side, Side(target), chosen, actor=PERSON)

        now = {file.path: file.sha256 for file in Side(target).files()}
        assert now == (wanted or {file.path: file.sha256 for file in side.files()})
        assert compared(side, Side(target)).choices == ()
        assert_sound(target)
        undo.undo(ChangeSet.objects.get(uuid=taken.change_set), actor=PERSON, replies={})
        assert files_of(target) == before
        assert_sound(target)


def test_moves_keep_the_file_and_its_history(store: MemoryStore) -> None:
    source = new_store()
    write(source, "customers/acme.md", "tea\n")
    file = write(store, "accounts/acme.md", "tea\n")

    (choice,) = compared(Side(source), Side(store)).choices
    taken = take(Side(source), Side(store), [choice.key], actor=PERSON, reason="Taken from staging")

    assert choice.kind is Kind.MOVED
    assert live_at(store, "customers/acme.md").pk == file.pk
    assert ChangeSet.objects.get(uuid=taken.change_set).reason == "Taken from staging"


def test_a_deleted_file_comes_back_as_the_same_one_with_its_authors(store: MemoryStore) -> None:
    file = write(store, "a.md", "one\ntwo\n", actor=AGENT)
    write(store, "kept.md", "x\n")
    store.refresh_from_db()
    seq = store.seq
    write(store, "a.md", "one\n2\n")
    remove(store, "a.md")

    take(Side(store, seq), Side(store), keys(Side(store, seq), Side(store)), actor=PERSON)

    back = live_at(store, "a.md")
    assert back.pk == file.pk
    assert files_of(store)[at("a.md").text] == b"one\ntwo\n"
    assert back.versions.get(number=back.version).origin == 1


def test_only_what_is_chosen_is_taken_and_images_too(store: MemoryStore) -> None:
    source = new_store()
    write_image(source, "chart.png")
    write(source, "new.md", "x")
    write(store, "only.md", "x\ny")

    take(Side(source), Side(store), keys(Side(source), Side(store), Kind.ADDED)[:1], actor=PERSON)

    assert sorted(files_of(store)) == [at("chart.png").text, at("only.md").text]
    assert files_of(store)[at("chart.png").text] == files_of(source)[at("chart.png").text]
    assert live_at(store, "chart.png").media == "image/png"


@pytest.mark.parametrize("changed", ["source", "target", "locked", "blocked", "past", "nothing"])
def test_what_cannot_be_taken_as_shown_changes_nothing(store: MemoryStore, changed: str) -> None:
    source = new_store()
    write(source, "a.md", "there")
    write(source, "new/x.md", "there")
    write(store, "a.md", "here")
    if changed == "blocked":
        write(store, "new", "a file where a directory has to be")
    chosen = keys(Side(source), Side(store), Kind.CHANGED, Kind.ADDED)
    refusal: type[Refused] = ContentChanged
    target = Side(store)
    match changed:
        case "source":
            write(source, "a.md", "there, changed")
        case "target":
            write(store, "a.md", "here, changed")
        case "locked":
            memory_store.apply(store.pk, Lock(at("a.md")), actor=PERSON)
            refusal = Locked
        case "blocked":
            refusal = PathTaken
        case "past":
            target, refusal = Side(store, 1), Refused
        case "nothing":
            chosen, refusal = [], Refused
    before = files_of(store)

    with pytest.raises(refusal) as refused:
        take(Side(source), target, chosen, actor=PERSON)

    assert type(refused.value) is refusal
    assert files_of(store) == before


def test_a_change_elsewhere_in_either_store_stops_nothing(store: MemoryStore) -> None:
    source = new_store()
    write(source, "a.md", "there")
    chosen = keys(Side(source), Side(store))
    write(source, "b.md", "later")
    write(store, "c.md", "later")
    move(store, "c.md", "d.md")

    take(Side(source), Side(store), chosen, actor=PERSON)

    assert sorted(files_of(store)) == [at("a.md").text, at("d.md").text]


def test_what_the_source_purges_at_the_last_moment_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = new_store(), new_store()
    entry = write(source, "a.md", "one\n")
    write(source, "b.md", "two\n")
    chosen = keys(Side(source), Side(target))

    def then_purged(*sides: Side) -> Comparison:
        found = compared(*sides)
        remove(source, "a.md")
        memory_store.apply(source.pk, Purge((entry.pk,)), actor=PERSON)
        return found

    monkeypatch.setattr(acting, "compared", then_purged)
    with pytest.raises(ContentChanged):
        take(Side(source), Side(target), chosen, actor=PERSON)

    assert files_of(target) == {}
    assert_sound(target)
