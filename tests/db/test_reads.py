"""Who viewed what: every view is recorded, and only views of files count as access."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from django.db import DatabaseError

from memories import store as memory
from memories import tool
from memories.actors import Actor
from memories.commands import Create
from memories.models import MemoryEntry, MemoryStore, ReadEvent
from memories.paths import MemoryPath
from memories.store import reads
from tests.support.stores import AGENT, PERSON, new_store

NOTES = MemoryPath("/memories/notes.md")
VIEW = {"command": "view", "path": NOTES.text}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def noted(store: MemoryStore) -> MemoryStore:
    """Return a store with one file of three lines."""
    memory.apply(store.pk, Create(NOTES, "a\nb\nc\n"), actor=PERSON)
    return store


def accessed_at(store: MemoryStore) -> datetime | None:
    return MemoryEntry.objects.get(store=store, path=NOTES.text).accessed_at


def test_a_view_is_recorded_with_its_version_lines_and_reader(noted: MemoryStore, agent: Actor) -> None:
    tool.execute(noted, VIEW, agent)
    tool.execute(noted, {**VIEW, "view_range": [2, 9]}, agent)
    reads.flush()

    whole, part = ReadEvent.objects.filter(store=noted).order_by("id")
    assert (whole.entry.path if whole.entry else "", whole.version, whole.seq) == (NOTES.text, 1, 1)
    assert (whole.first_line, whole.last_line) == (None, None)
    assert (part.first_line, part.last_line) == (2, 3)
    assert (part.actor_kind, part.actor_label) == ("agent", "support-bot")
    assert accessed_at(noted) == part.read_at


def test_a_listing_is_one_event_and_no_access(noted: MemoryStore, agent: Actor) -> None:
    tool.execute(noted, {"command": "view", "path": "/memories"}, agent)
    reads.flush()

    event = ReadEvent.objects.get(store=noted)
    assert (event.entry, event.version, event.path, event.seq) == (None, None, "/memories", 1)
    assert accessed_at(noted) is None


def test_a_failed_view_and_a_change_are_no_access(noted: MemoryStore, agent: Actor) -> None:
    tool.execute(noted, {**VIEW, "path": "/memories/none"}, agent)
    tool.execute(noted, {**VIEW, "view_range": [9, 9]}, agent)
    tool.execute(noted, {"command": "insert", "path": NOTES.text, "insert_line": 0, "insert_text": "x"}, agent)
    reads.flush()

    assert not ReadEvent.objects.exists()
    assert accessed_at(noted) is None


def test_a_view_in_a_run_is_recorded_in_its_transaction(noted: MemoryStore, agent: Actor) -> None:
    with memory.locked(noted.pk) as tx:
        tool.execute_within(tx, VIEW, replace(agent, run_id=UUID(int=1)))

    assert ReadEvent.objects.get().run_id == UUID(int=1)
    assert accessed_at(noted) is not None


def test_a_view_by_a_run_outside_a_transaction_is_not_left_waiting(noted: MemoryStore, agent: Actor) -> None:
    tool.execute(noted, VIEW, replace(agent, run_id=UUID(int=1)))

    assert ReadEvent.objects.count() == 1


def test_a_stamp_younger_than_a_minute_is_left_but_the_event_is_not(noted: MemoryStore, agent: Actor) -> None:
    stamps = []
    for seconds in (0, 59, 61):
        with time_machine.travel(NOON + timedelta(seconds=seconds), tick=False):
            tool.execute(noted, VIEW, agent)
            reads.flush()
        stamps.append(accessed_at(noted))

    assert stamps == [NOON, NOON, NOON + timedelta(seconds=61)]
    assert ReadEvent.objects.count() == 3


def test_reads_of_a_store_that_is_gone_hold_up_no_others(noted: MemoryStore, agent: Actor) -> None:
    gone = new_store()
    tool.execute(gone, {"command": "view", "path": "/memories"}, agent)
    gone.delete()
    tool.execute(noted, VIEW, agent)

    reads.flush()

    assert ReadEvent.objects.get().store == noted


def test_what_could_not_be_written_is_kept_for_the_next_time(
    noted: MemoryStore, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(waiting: object) -> None:
        raise DatabaseError("away")

    tool.execute(noted, VIEW, agent)
    with monkeypatch.context() as away:
        away.setattr(reads, "_write", fail)
        with pytest.raises(DatabaseError):
            reads.flush()

    reads.flush()

    assert ReadEvent.objects.count() == 1


@pytest.mark.django_db(transaction=True)
class TestWritingByItself:
    """Without anybody asking for it, from a thread."""

    @pytest.fixture
    def noted(self, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
        monkeypatch.setattr(reads.buffer, "most", 100)
        store = new_store()
        memory.apply(store.pk, Create(NOTES, "a\n"), actor=PERSON)
        return store

    def test_a_view_is_written_after_a_moment(self, noted: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reads.buffer, "seconds", 0.05)

        tool.execute(noted, VIEW, AGENT)

        assert written(1)

    def test_a_hundred_views_are_written_at_once(self, noted: MemoryStore) -> None:
        for _ in range(99):
            tool.execute(noted, VIEW, AGENT)
        assert not ReadEvent.objects.exists()

        tool.execute(noted, VIEW, AGENT)

        assert written(100)

    def test_no_view_waits_for_whoever_writes(self, noted: MemoryStore) -> None:
        with memory.locked(noted.pk):
            for _ in range(100):
                assert not tool.execute(noted, VIEW, AGENT).is_error
            assert not ReadEvent.objects.exists()

        assert written(100)


def written(count: int) -> bool:
    """Wait until so many events are in the database, for some seconds at most."""
    deadline = time.monotonic() + 10
    while ReadEvent.objects.count() < count and time.monotonic() < deadline:
        time.sleep(0.02)
    return ReadEvent.objects.count() == count
