"""The memory tool as a door: answers, transactions, and what must never come out of it."""

import logging
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection

from memories import store as memory
from memories import tool
from memories.actors import Actor
from memories.commands import Create, ImportFile, Lock
from memories.models import MemoryStore, MemoryVersion, ReadEvent, Receipt
from memories.paths import MemoryPath
from memories.store import reads
from memories.store.writing import Writing
from tests.support.stores import PERSON, assert_sound, files_of

NOTES = MemoryPath("/memories/notes.md")
VIEW = {"command": "view", "path": "/memories/notes.md"}
CREATE = {"command": "create", "path": "/memories/notes.md", "file_text": "tea\n"}
REPLACE = {"command": "str_replace", "path": "/memories/notes.md", "old_str": "tea", "new_str": "tea and tea"}


@pytest.fixture
def run_actor(agent: Actor) -> Actor:
    """Return an agent in a run."""
    return replace(agent, run_id=UUID(int=5), turn=2, tool_use_id="toolu_1", change_set="run:5")


def test_a_result_names_the_versions_it_made_and_what_it_showed(store: MemoryStore, agent: Actor) -> None:
    created = tool.execute(store, CREATE, agent)
    viewed = tool.execute(store, VIEW, agent)

    assert [(version.operation, version.path) for version in created.versions] == [("created", NOTES.text)]
    assert not created.reads
    assert not viewed.versions
    assert [(read.path, read.version, read.seq) for read in viewed.reads] == [(NOTES.text, 1, 1)]


def test_a_file_without_a_dot_and_a_directory_with_one_are_shown_as_what_they_are(
    store: MemoryStore, agent: Actor
) -> None:
    memory.apply(store.pk, Create(MemoryPath("/memories/v1.2/NOTES"), "tea\n"), actor=agent)

    def shown(path: str) -> str:
        return str(tool.execute(store, {"command": "view", "path": path}, agent).content)

    assert shown("/memories/v1.2/NOTES").endswith("     1\ttea")
    assert shown("/memories/v1.2").endswith("4B\t/memories/v1.2\n4B\t/memories/v1.2/NOTES")
    assert shown("/memories").endswith("4B\t/memories\n4B\t/memories/v1.2/\n4B\t/memories/v1.2/NOTES")
    assert "does not exist" in shown("/memories/v1.2/MISSING")


def test_images_that_were_imported_come_back_as_image_blocks(store: MemoryStore, agent: Actor) -> None:
    memory.apply(store.pk, ImportFile(NOTES, b"\x89PNG\r\n\x1a\n\0"), actor=PERSON)

    shown = tool.execute(store, VIEW, agent)
    edited = tool.execute(store, REPLACE, agent)

    assert shown.content == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoA"}}
    ]
    assert not shown.is_error
    assert edited == tool.Result("Error: /memories/notes.md is an image and cannot be edited as text.", is_error=True)


def test_a_store_may_let_create_overwrite_as_a_new_version(store: MemoryStore, agent: Actor) -> None:
    MemoryStore.objects.filter(pk=store.pk).update(create_overwrites=True)
    tool.execute(store, CREATE, agent)

    again = tool.execute(store, {**CREATE, "file_text": "coffee\n"}, agent)

    assert again.content == "File created successfully at: /memories/notes.md"
    assert [version.number for version in again.versions] == [2]
    assert files_of(store) == {NOTES.text: b"coffee\n"}
    assert_sound(store)


class TestLooking:
    def test_it_returns_what_view_returns_and_leaves_no_trace(self, store: MemoryStore, agent: Actor) -> None:
        tool.execute(store, {**CREATE, "file_text": "a\nb\nc\n"}, agent)

        looks = [tool.look(store, "/memories"), tool.look(store, NOTES.text), tool.look(store, NOTES.text, [2, 3])]
        wrong = tool.look(store, "/etc/passwd")
        reads.flush()

        assert not ReadEvent.objects.exists()
        views: list[dict[str, object]] = [
            {"path": "/memories"},
            {"path": NOTES.text},
            {"path": NOTES.text, "view_range": [2, 3]},
        ]
        assert [look.content for look in looks] == [
            tool.execute(store, {"command": "view", **view}, agent).content for view in views
        ]
        assert wrong.is_error


class TestWithin:
    """A call inside a transaction that also holds the caller's own rows."""

    def test_effect_read_and_the_callers_rows_are_one(self, store: MemoryStore, run_actor: Actor) -> None:
        class Cut(Exception):
            pass

        with pytest.raises(Cut), memory.locked(store.pk) as tx:
            tool.execute_within(tx, CREATE, run_actor)
            tool.execute_within(tx, VIEW, run_actor)
            raise Cut

        assert not MemoryVersion.objects.exists()
        assert not ReadEvent.objects.exists()

        with memory.locked(store.pk) as tx:
            tool.execute_within(tx, CREATE, run_actor)
            tool.execute_within(tx, VIEW, run_actor)

        event = ReadEvent.objects.get()
        assert (event.run_id, event.turn, event.tool_use_id, event.version) == (UUID(int=5), 2, "toolu_1", 1)
        assert_sound(store)

    def test_several_calls_see_each_others_effects(self, store: MemoryStore, run_actor: Actor) -> None:
        with memory.locked(store.pk) as tx:
            results = [tool.execute_within(tx, value, run_actor) for value in (CREATE, REPLACE, VIEW, CREATE)]

        assert [result.is_error for result in results] == [False, False, False, True]
        assert "tea and tea" in str(results[2].content)
        assert_sound(store)

    def test_a_refusal_leaves_the_transaction_fit_for_use_and_a_receipt(
        self, store: MemoryStore, run_actor: Actor
    ) -> None:
        call = replace(run_actor, dedupe_key="k")
        with memory.locked(store.pk) as tx:
            refused = tool.execute_within(tx, REPLACE, call)
            tool.execute_within(tx, CREATE, run_actor)
            again = tool.execute_within(tx, REPLACE, call)

        assert refused.is_error
        assert again == refused
        assert files_of(store) == {NOTES.text: b"tea\n"}

    def test_what_the_caller_takes_first_is_taken_before_the_store(self, store: MemoryStore) -> None:
        order = []

        def take_own_row() -> None:
            assert connection.in_atomic_block
            order.append("run")

        with memory.locked(store.pk, before=take_own_row):
            order.append("store")

        assert order == ["run", "store"]

    def test_a_caller_that_lost_its_claim_changes_nothing(self, store: MemoryStore, run_actor: Actor) -> None:
        class LostLease(Exception):
            pass

        def fence() -> None:
            raise LostLease

        with pytest.raises(LostLease), memory.locked(store.pk, before=fence) as tx:
            tool.execute_within(tx, CREATE, run_actor)

        assert files_of(store) == {}


class TestRedelivery:
    @pytest.mark.parametrize("value", [CREATE, REPLACE, VIEW, {"command": "view", "path": "/memories"}])
    def test_a_call_given_again_is_answered_as_the_first_time(
        self, store: MemoryStore, agent: Actor, value: dict[str, Any]
    ) -> None:
        call = replace(agent, dedupe_key="k")
        first = tool.execute(store, value, call)
        tool.execute(store, {"command": "create", "path": "/memories/other.md", "file_text": ""}, agent)
        seen = ReadEvent.objects.count()

        again = tool.execute(store, value, call)

        assert (again.content, again.is_error) == (first.content, first.is_error)
        assert ReadEvent.objects.count() == seen
        assert Receipt.objects.filter(store=store).count() == 1

    def test_an_image_is_given_again_as_the_same_blocks(self, store: MemoryStore, agent: Actor) -> None:
        memory.apply(store.pk, ImportFile(NOTES, b"\xff\xd8\xff"), actor=PERSON)
        call = replace(agent, dedupe_key="k")

        assert tool.execute(store, VIEW, call).content == tool.execute(store, VIEW, call).content

    def test_the_same_key_with_another_input_is_an_error_without_a_write(
        self, store: MemoryStore, agent: Actor
    ) -> None:
        call = replace(agent, dedupe_key="k")
        tool.execute(store, CREATE, call)

        other = tool.execute(store, {**CREATE, "path": "/memories/other.md"}, call)

        assert other.is_error
        assert list(files_of(store)) == [NOTES.text]


class TestFailures:
    @pytest.fixture
    def failing(self, monkeypatch: pytest.MonkeyPatch) -> Exception:
        """Make every write fail half-way, as a fault of our own would."""
        fault = ValueError("db password=hunter2")

        def fail(self: Writing) -> None:
            raise fault

        monkeypatch.setattr(Writing, "_flush", fail)
        return fault

    def test_an_unexpected_error_is_answered_with_a_reference_that_the_log_has_too(
        self, store: MemoryStore, agent: Actor, failing: Exception, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR, "memories.tool"):
            result = tool.execute(store, CREATE, agent)

        assert result.is_error
        reference = (
            str(result.content).removeprefix("Error: internal error (ref ").removesuffix("); nothing was changed.")
        )
        assert len(reference) == 4
        assert reference in caplog.text
        assert_sound(store)
        assert files_of(store) == {}

    def test_within_a_transaction_nothing_of_it_is_left_and_the_rest_is_kept(
        self, store: MemoryStore, agent: Actor, failing: Exception
    ) -> None:
        with memory.locked(store.pk) as tx:
            failed = tool.execute_within(tx, CREATE, agent)
            MemoryStore.objects.filter(pk=store.pk).update(description="kept")

        assert "internal error" in str(failed.content)
        assert files_of(store) == {}
        store.refresh_from_db()
        assert store.description == "kept"

    @pytest.mark.parametrize("error", [OperationalError("server closed the connection"), SoftTimeLimitExceeded()])
    def test_a_lost_database_and_the_end_of_the_tasks_time_are_not_answers(
        self, store: MemoryStore, agent: Actor, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        def fail(self: Writing) -> None:
            raise error

        monkeypatch.setattr(Writing, "_flush", fail)

        with pytest.raises(type(error)):
            tool.execute(store, CREATE, agent)

        assert files_of(store) == {}


class TestLockedFiles:
    @pytest.fixture
    def locked_file(self, store: MemoryStore) -> str:
        """Return the path of a file that a person has locked, in a directory with one that is not."""
        path = MemoryPath("/memories/rules/tone.md")
        memory.apply(store.pk, Create(path, "be kind\n"), actor=PERSON)
        memory.apply(store.pk, Create(MemoryPath("/memories/rules/more.md"), "x\n"), actor=PERSON)
        memory.apply(store.pk, Lock(path), actor=PERSON)
        return path.text

    @pytest.mark.parametrize(
        "value",
        [
            {"command": "str_replace", "path": "/memories/rules/tone.md", "old_str": "kind", "new_str": "rude"},
            {"command": "insert", "path": "/memories/rules/tone.md", "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": "/memories/rules/tone.md"},
            {"command": "delete", "path": "/memories/rules"},
            {"command": "rename", "old_path": "/memories/rules/tone.md", "new_path": "/memories/x.md"},
            {"command": "rename", "old_path": "/memories/rules", "new_path": "/memories/x"},
            {"command": "create", "path": "/memories/rules/tone.md", "file_text": "rude"},
        ],
    )
    def test_agents_cannot_change_them_and_are_told_so(
        self, store: MemoryStore, agent: Actor, locked_file: str, value: dict[str, Any]
    ) -> None:
        MemoryStore.objects.filter(pk=store.pk).update(create_overwrites=True)

        result = tool.execute(store, value, agent)

        assert result.content == (
            f"Error: {locked_file} is locked by a person and cannot be changed. Its content can still be viewed."
        )
        assert result.is_error
        assert set(files_of(store)) == {locked_file, "/memories/rules/more.md"}

    def test_agents_can_view_them_and_change_their_neighbours(
        self, store: MemoryStore, agent: Actor, locked_file: str
    ) -> None:
        assert not tool.execute(store, {"command": "view", "path": locked_file}, agent).is_error
        assert not tool.execute(store, {"command": "delete", "path": "/memories/rules/more.md"}, agent).is_error

    def test_people_can_change_them(self, store: MemoryStore, locked_file: str) -> None:
        value = {"command": "str_replace", "path": locked_file, "old_str": "kind", "new_str": "kinder"}

        assert not tool.execute(store, value, PERSON).is_error
