"""Labels and notes of files: acts of people that agents never see."""

import pytest

from memories import store as memory
from memories import tool, undo
from memories.actors import Actor
from memories.commands import LABELS, Command, Create, Delete, Label, Note, Rename, Undelete
from memories.models import ChangeSet, FileLabel, FileNote, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, Refused, TooManyLabels, WordsRefused
from memories.text import as_label
from tests.support.stores import AGENT, assert_sound, text_of

pytestmark = pytest.mark.django_db(transaction=True)

A = MemoryPath("/memories/a.md")
B = MemoryPath("/memories/dir/b.md")


@pytest.fixture
def entry(store: MemoryStore, agent: Actor) -> MemoryEntry:
    memory.apply(store.pk, Create(A, "tea\n"), actor=agent)
    return MemoryEntry.objects.get(store=store, path=A.text)


def act(store: MemoryStore, person: Actor, command: Command) -> ChangeSet:
    return ChangeSet.objects.get(uuid=memory.apply(store.pk, command, actor=person).change_set or "")


def labels_of(entry: MemoryEntry) -> list[str]:
    """Return the labels of a file, which its row and theirs tell alike."""
    rows = list(FileLabel.objects.filter(entry=entry).order_by("label").values_list("label", flat=True))
    assert list(MemoryEntry.objects.get(pk=entry.pk).label_list) == rows
    return rows


def note_of(entry: MemoryEntry) -> str:
    return FileNote.objects.filter(entry=entry).values_list("text", flat=True).first() or ""


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("  Needs   Work ", "needs work"),
        ("Gru\u0308n", "gr\u00fcn"),
        ("\u0130", "i\u0307"),
        ("x" * 40, "x" * 40),
        ("\u202eabc", "\u202eabc"),
        ("", ""),
        ("x" * 41, ""),
        ("a,b", ""),
        ("a\x07b", ""),
        ("a\0b", ""),
        ("\ud800", ""),
    ],
)
def test_a_label_is_one_word_however_it_is_typed(typed: str, label: str) -> None:
    assert as_label(typed) == label
    assert as_label(label) == label


def test_labels_and_a_note_stay_through_a_rename_and_the_trash(
    store: MemoryStore, entry: MemoryEntry, agent: Actor, person: Actor
) -> None:
    act(store, person, Label(A, add=("urgent", "billing")))
    act(store, person, Note(A, "  Ask Ann.\r\nTwice. "))
    for command in (Rename(A, B), Delete(B), Undelete(entry.pk, A)):
        memory.apply(store.pk, command, actor=agent)

    assert labels_of(entry) == ["billing", "urgent"]
    assert note_of(entry) == "Ask Ann.\nTwice."
    assert_sound(store)


def test_agents_never_see_them(store: MemoryStore, entry: MemoryEntry, person: Actor) -> None:
    def seen() -> list[str]:
        views = [{"command": "view", "path": path} for path in (A.text, "/memories")]
        return [text_of(tool.execute(store, view, AGENT).content) for view in views]

    before = seen()
    act(store, person, Label(A, add=("urgent",)))
    act(store, person, Note(A, "Ask Ann."))

    assert seen() == before
    assert store.versions.count() == 1


def test_undo_takes_back_what_is_still_as_the_act_left_it(
    store: MemoryStore, entry: MemoryEntry, person: Actor
) -> None:
    act(store, person, Label(A, add=("old",)))
    changed = act(store, person, Label(A, add=("urgent", "billing"), remove=("old",)))
    act(store, person, Label(A, add=("later",), remove=("billing",)))
    noted = act(store, person, Note(A, "one"))
    again = act(store, person, Note(A, "two"))

    undone = undo.undo(changed, actor=person, replies={})
    assert labels_of(entry) == ["later", "old"]
    undo.undo(ChangeSet.objects.get(uuid=undone.change_set), actor=person, replies={})
    assert labels_of(entry) == ["later", "urgent"]

    with pytest.raises(undo.NothingToUndo):
        undo.undo(noted, actor=person, replies={})
    undo.undo(again, actor=person, replies={})
    assert note_of(entry) == "one"


def test_marks_of_older_rows_can_still_be_taken_back(store: MemoryStore, entry: MemoryEntry, person: Actor) -> None:
    made = act(store, person, Label(A, add=("x",)))
    MemoryEntry.objects.filter(pk=entry.pk).update(pinned=True)
    ChangeSet.objects.filter(pk=made.pk).update(marks=[[entry.pk, "pinned", True]])

    undo.undo(ChangeSet.objects.get(pk=made.pk), actor=person, replies={})

    assert not MemoryEntry.objects.get(pk=entry.pk).pinned


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (Label(A, add=tuple(f"l{number}" for number in range(LABELS + 1))), TooManyLabels),
        (Label(A, add=("Not Small",)), WordsRefused),
        (Label(B, add=("x",)), Refused),
        (Note(A, "x" * 2_001), WordsRefused),
        (Note(A, "a\0b"), WordsRefused),
        (Note(A, "mine", shown="another"), ContentChanged),
    ],
)
def test_what_no_file_can_have_is_refused(
    store: MemoryStore, entry: MemoryEntry, person: Actor, command: Command, refusal: type[Refused]
) -> None:
    with pytest.raises(refusal):
        memory.apply(store.pk, command, actor=person)

    assert (labels_of(entry), note_of(entry)) == ([], "")
    assert ChangeSet.objects.count() == 1
