"""The one write path: what it stores, counts and records."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from django.db import IntegrityError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Command, Create, Delete, ImportFile, Insert, Lock, Overwrite, Pin, Rename, StrReplace
from memories.models import Blob, ChangeSet, MemoryEntry, MemoryStore, MemoryVersion, Receipt
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, KeyReused, PathTaken, Refused
from tests.support.stores import AGENT, PERSON, assert_sound, files_of, new_store

NOTES = MemoryPath("/memories/notes.md")
DEEP = MemoryPath("/memories/team/mia/likes.md")


def entry_of(store: MemoryStore, path: MemoryPath) -> MemoryEntry:
    return MemoryEntry.objects.get(store=store, path=path.text, state="live")


def test_a_new_file_is_stored_counted_and_recorded(store: MemoryStore, agent: Actor) -> None:
    outcome = memory.apply(store.pk, Create(DEEP, "tea\ncake\n"), actor=agent)

    (written,) = outcome.versions
    assert outcome.answer == "File created successfully at: /memories/team/mia/likes.md"
    assert (written.operation, written.number, written.seq, written.size) == ("created", 1, 1, 9)
    entry = entry_of(store, DEEP)
    assert (entry.uuid, entry.version, entry.lines, entry.depth) == (written.file, 1, 2, 3)
    assert set(MemoryEntry.objects.filter(store=store, kind="directory").values_list("path", "size", "file_count")) == {
        ("/memories/team", 9, 1),
        ("/memories/team/mia", 9, 1),
    }
    assert_sound(store)


def test_a_version_tells_who_why_when_and_which_lines(store: MemoryStore) -> None:
    written_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    actor = Actor(
        ActorKind.AGENT,
        "support-bot",
        agent_id=7,
        run_id=UUID(int=1),
        turn=3,
        tool_use_id="toolu_1",
        change_set="run:1",
        reason="told to",
        authored_at=written_at,
    )

    memory.apply(store.pk, Create(NOTES, "a\nb\nc\n"), actor=actor)
    memory.apply(store.pk, StrReplace(NOTES, "b", "B\nB2"), actor=actor)

    first, second = MemoryVersion.objects.filter(store=store).order_by("seq")
    assert (second.actor_kind, second.actor_label, second.agent_id) == ("agent", "support-bot", 7)
    assert (second.run_id, second.turn, second.tool_use_id) == (UUID(int=1), 3, "toolu_1")
    assert (first.spans, second.spans, second.summary) == ([[0, 0, 0, 3]], [[1, 1, 1, 2]], "B")
    assert second.authored_at == written_at < second.recorded_at
    assert first.change_set == second.change_set
    assert (first.change_set.key, first.change_set.reason) == ("run:1", "told to")
    assert entry_of(store, NOTES).updated_at == written_at


def test_acts_without_a_shared_key_have_change_sets_of_their_own(store: MemoryStore, person: Actor) -> None:
    for number in range(3):
        memory.apply(store.pk, Create(MemoryPath(f"/memories/{number}.md"), ""), actor=person)

    assert ChangeSet.objects.filter(store=store, key=None).count() == 3


def test_no_change_adds_no_version(store: MemoryStore, person: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "same"), actor=person)

    outcome = memory.apply(store.pk, Overwrite(NOTES, "same", entry_of(store, NOTES).blob.sha256), actor=person)  # type: ignore[union-attr]

    assert outcome.versions == ()
    assert MemoryVersion.objects.filter(store=store).count() == 1
    assert ChangeSet.objects.filter(store=store).count() == 1


def test_equal_contents_are_kept_once_in_a_store(store: MemoryStore, agent: Actor) -> None:
    for name in ("a", "b"):
        memory.apply(store.pk, Create(MemoryPath(f"/memories/{name}.md"), "x" * 2_000), actor=agent)
    memory.apply(new_store().pk, Create(NOTES, "x" * 2_000), actor=agent)

    blob = Blob.objects.get(store=store)
    assert (blob.encoding, blob.size) == ("zstd", 2_000)
    assert len(blob.data) < 200
    assert_sound(store)


def test_a_deleted_file_keeps_its_content_in_the_trash_and_frees_its_path(store: MemoryStore, agent: Actor) -> None:
    memory.apply(store.pk, Create(DEEP, "tea"), actor=agent)
    file = entry_of(store, DEEP)

    memory.apply(store.pk, Delete(DEEP), actor=agent)

    file.refresh_from_db()
    assert (file.state, file.size, file.version) == ("trash", 3, 2)
    assert file.blob
    assert MemoryVersion.objects.get(entry=file, number=2).blob is None
    assert not MemoryEntry.objects.filter(store=store, kind="directory").exists()
    assert_sound(store)


def test_a_file_made_where_one_was_deleted_is_a_new_one_that_names_it(store: MemoryStore, agent: Actor) -> None:
    for _ in range(2):
        memory.apply(store.pk, Create(NOTES, "tea"), actor=agent)
        memory.apply(store.pk, Delete(NOTES), actor=agent)
    before = MemoryEntry.objects.filter(store=store).order_by("-changed_seq").first()
    memory.apply(store.pk, Create(NOTES, "tea"), actor=agent)

    file = entry_of(store, NOTES)
    assert before
    assert file.predecessor == before.uuid != file.uuid
    assert file.version == 1
    assert_sound(store)


def test_a_file_keeps_its_identity_and_its_marks_through_renames(store: MemoryStore, agent: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "tea"), actor=agent)
    memory.apply(store.pk, Pin(NOTES), actor=PERSON)
    file = entry_of(store, NOTES)

    memory.apply(store.pk, Rename(NOTES, DEEP), actor=agent)

    moved = entry_of(store, DEEP)
    assert (moved.uuid, moved.pinned, moved.version, moved.blob_id) == (file.uuid, True, 2, file.blob_id)
    version = MemoryVersion.objects.get(entry=moved, number=2)
    assert (version.operation, version.path, version.moved_from) == ("renamed", DEEP.text, NOTES.text)
    assert version.spans == []
    assert_sound(store)


def test_a_directory_moves_and_goes_as_one_version_per_file_in_path_order(store: MemoryStore, agent: Actor) -> None:
    # A hyphen sorts before the slash, so that path order and the order of names differ.
    for name in ("b.md", "a/x.md", "a-b/y.md", "c.md"):
        memory.apply(store.pk, Create(MemoryPath(f"/memories/d/{name}"), name), actor=agent)
    kept = MemoryPath("/memories/d2.md")
    memory.apply(store.pk, Create(kept, "stays"), actor=agent)

    moved = memory.apply(store.pk, Rename(MemoryPath("/memories/d"), MemoryPath("/memories/e/f")), actor=agent)
    gone = memory.apply(store.pk, Delete(MemoryPath("/memories/e")), actor=agent)

    assert [version.moved_from.removeprefix("/memories/d/") for version in moved.versions] == [
        "a-b/y.md",
        "a/x.md",
        "b.md",
        "c.md",
    ]
    assert [version.path.removeprefix("/memories/e/f/") for version in gone.versions] == [
        "a-b/y.md",
        "a/x.md",
        "b.md",
        "c.md",
    ]
    deleted = MemoryVersion.objects.filter(store=store, operation="deleted").order_by("seq")
    assert [(version.seq, version.path) for version in deleted] == [(last.seq, last.path) for last in gone.versions]
    assert {(version.number, version.summary, str(version.spans)) for version in deleted} == {
        (3, "deleted", "[[0, 1, 0, 0]]")
    }
    assert list(files_of(store)) == [kept.text]
    sets = MemoryVersion.objects.filter(store=store, operation="deleted").values_list("change_set", flat=True)
    assert len(set(sets)) == 1
    assert_sound(store)


def test_names_that_look_like_patterns_match_only_themselves(store: MemoryStore, agent: Actor) -> None:
    for name in ("a_b", "axb", "A_B", "a%", "a_b0"):
        memory.apply(store.pk, Create(MemoryPath(f"/memories/{name}/f.md"), name), actor=agent)

    memory.apply(store.pk, Delete(MemoryPath("/memories/a_b")), actor=agent)
    memory.apply(store.pk, Delete(MemoryPath("/memories/a%")), actor=agent)

    assert set(files_of(store)) == {"/memories/axb/f.md", "/memories/A_B/f.md", "/memories/a_b0/f.md"}
    assert_sound(store)


def test_an_edit_opened_before_an_agent_wrote_is_refused_and_nothing_is_lost(store: MemoryStore) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=AGENT)
    opened = entry_of(store, NOTES).blob.sha256  # type: ignore[union-attr]
    memory.apply(store.pk, Insert(NOTES, 1, "cake"), actor=AGENT)

    with pytest.raises(ContentChanged):
        memory.apply(store.pk, Overwrite(NOTES, "coffee\n", opened), actor=PERSON)

    assert files_of(store) == {NOTES.text: b"tea\ncake\n"}


def test_imports_keep_every_byte(store: MemoryStore) -> None:
    files = {
        "/memories/crlf.md": b"a\r\nb",
        "/memories/bom.md": b"\xef\xbb\xbfx",
        "/memories/p": b"\x89PNG\r\n\x1a\n\0\xff",
    }
    actor = Actor(ActorKind.IMPORT, "import")

    for path, data in files.items():
        memory.apply(store.pk, ImportFile(MemoryPath(path), data), actor=actor)
        assert memory.apply(store.pk, ImportFile(MemoryPath(path), data), actor=actor).versions == ()

    assert files_of(store) == files
    assert entry_of(store, MemoryPath("/memories/p")).media == "image/png"
    assert_sound(store)


def test_a_clock_that_is_set_back_does_not_set_the_record_back(store: MemoryStore, agent: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "a"), actor=agent)
    with time_machine.travel(datetime.now(UTC) - timedelta(days=3650), tick=False):
        memory.apply(store.pk, StrReplace(NOTES, "a", "b"), actor=agent)

    first, second = MemoryVersion.objects.filter(store=store).order_by("seq")
    assert second.recorded_at == first.recorded_at
    store.refresh_from_db()
    assert store.last_activity_at == first.authored_at


def test_an_older_authored_time_does_not_make_a_store_look_idle(store: MemoryStore, agent: Actor) -> None:
    memory.apply(store.pk, Create(NOTES, "a"), actor=agent)
    store.refresh_from_db()
    active = store.last_activity_at

    old = replace(agent, authored_at=datetime(2020, 1, 1, tzinfo=UTC))
    memory.apply(store.pk, StrReplace(NOTES, "a", "b"), actor=old)

    store.refresh_from_db()
    assert store.last_activity_at == active


class TestDedupeKey:
    def test_a_redelivered_command_changes_memory_once(self, store: MemoryStore, agent: Actor) -> None:
        memory.apply(store.pk, Create(NOTES, "tea"), actor=agent)
        call = replace(agent, dedupe_key="run-1:toolu_01")
        doubling = StrReplace(NOTES, "tea", "tea and cake")

        first = memory.apply(store.pk, doubling, actor=call)
        again = memory.apply(store.pk, doubling, actor=call)

        assert again.answer == first.answer
        assert [(v.file, v.number, v.seq, v.sha256) for v in again.versions] == [
            (v.file, v.number, v.seq, v.sha256) for v in first.versions
        ]
        assert files_of(store) == {NOTES.text: b"tea and cake"}

    def test_a_refusal_is_remembered_too(self, store: MemoryStore, agent: Actor) -> None:
        call = replace(agent, dedupe_key="k")
        memory.apply(store.pk, Create(NOTES, "tea"), actor=agent)
        with pytest.raises(PathTaken):
            memory.apply(store.pk, Create(NOTES, "again"), actor=call)
        memory.apply(store.pk, Delete(NOTES), actor=agent)

        with pytest.raises(Refused, match="already exists"):
            memory.apply(store.pk, Create(NOTES, "again"), actor=call)

        assert files_of(store) == {}

    def test_the_same_key_for_another_command_is_refused_and_writes_nothing(
        self, store: MemoryStore, agent: Actor
    ) -> None:
        call = replace(agent, dedupe_key="k")
        memory.apply(store.pk, Create(NOTES, "tea"), actor=call)

        with pytest.raises(KeyReused):
            memory.apply(store.pk, Delete(NOTES), actor=call)

        assert files_of(store) == {NOTES.text: b"tea"}
        assert Receipt.objects.filter(store=store).count() == 1

    def test_a_key_may_be_long(self, store: MemoryStore, agent: Actor) -> None:
        for text in ("one", "one", "two"):
            call = replace(agent, dedupe_key="k" * 500 + text)
            memory.apply(store.pk, ImportFile(NOTES, text.encode()), actor=call)

        assert MemoryVersion.objects.filter(store=store).count() == 2

    def test_keys_of_two_stores_do_not_meet(self, store: MemoryStore, agent: Actor) -> None:
        other = new_store()
        call = replace(agent, dedupe_key="k")
        memory.apply(store.pk, Create(NOTES, "one"), actor=call)

        memory.apply(other.pk, Create(NOTES, "two"), actor=call)

        assert files_of(other) == {NOTES.text: b"two"}


class TestCreateStore:
    def test_slugs_come_from_names_and_are_told_apart_by_number(self, db: None) -> None:
        slugs = [memory.create_store(name=name).slug for name in ("Mia's Notes", "mias notes", "Mia's Notes", "日本")]

        assert slugs == ["mias-notes", "mias-notes-2", "mias-notes-3", "store"]

    def test_a_slug_that_was_asked_for_and_is_taken_is_an_error(self, store: MemoryStore) -> None:
        with pytest.raises(IntegrityError):
            memory.create_store(name="other", slug=store.slug)


def test_a_store_that_is_not_there_is_no_refusal_for_a_model(db: None, agent: Actor) -> None:
    with pytest.raises(memory.StoreMissing):
        memory.apply(0, Create(NOTES, "x"), actor=agent)


def test_a_look_may_not_change_anything(store: MemoryStore) -> None:
    with pytest.raises(TypeError):
        memory.look(store.pk, Create(NOTES, "x"), actor=None)


paths = st.sampled_from([MemoryPath(f"/memories/{tail}") for tail in ("a", "b", "d/a", "d/b", "d/e/c", "d-1/a", "e")])
places = st.one_of(paths, st.sampled_from([MemoryPath("/memories/d"), MemoryPath("/memories/d/e"), MemoryPath.ROOT]))
texts = st.text("ab\n", max_size=12)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(Create, paths, texts),
    st.builds(StrReplace, paths, st.text("ab\n", min_size=1, max_size=2), texts),
    st.builds(Insert, paths, st.integers(0, 3), texts),
    st.builds(Delete, places),
    st.builds(Rename, places, places),
    st.builds(Pin, paths, st.booleans()),
    st.builds(Lock, paths, st.booleans()),
    st.builds(ImportFile, paths, texts.map(str.encode)),
)


@given(st.lists(st.tuples(commands, st.sampled_from([AGENT, PERSON])), max_size=15))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_commands_the_store_is_sound(db: None, acts: list[tuple[Command, Actor]]) -> None:
    store = new_store()
    for command, actor in acts:
        seq = MemoryStore.objects.get(pk=store.pk).seq
        try:
            outcome = memory.apply(store.pk, command, actor=actor)
        except Refused:
            assert MemoryStore.objects.get(pk=store.pk).seq == seq
        else:
            assert MemoryStore.objects.get(pk=store.pk).seq == seq + len(outcome.versions)
    assert_sound(store)
