"""Writers of one store: none loses another's change, all get their turn, and nobody waits for ever."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections, transaction

from memories import store as memory
from memories import tool
from memories.actors import Actor
from memories.commands import Create, Insert
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.refusals import Busy
from memories.store import locking
from memories.store.turns import FairLock, FileLock
from tests.support.stores import AGENT, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db(transaction=True)

NOTES = MemoryPath("/memories/notes.md")


@pytest.fixture
def shared() -> MemoryStore:
    """Return a committed store that every connection sees, with a file of no lines."""
    store = new_store()
    memory.apply(store.pk, Create(NOTES, ""), actor=AGENT)
    return store


def in_threads(count: int, act: Callable[[int], None]) -> None:
    """Run ``act`` in threads of its own, and give back their connections."""

    def one(number: int) -> None:
        try:
            act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(one, range(count)))


@contextmanager
def elsewhere() -> Iterator[threading.Event]:
    """Hold the store's lock on another connection, as another program might, until the block or the event ends it."""
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            MemoryStore.objects.select_for_update().first()
            MemoryStore.objects.update(description="held")
            holding.set()
            done.wait(10)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert holding.wait(5)
        yield done
    finally:
        done.set()
        thread.join()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait a moment only, here and in the database."""
    monkeypatch.setattr(locking, "PATIENCE", 0.2)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 200")
    yield
    connection.close()


def test_writers_in_many_threads_lose_nothing(shared: MemoryStore) -> None:
    def write(number: int) -> None:
        for line in range(10):
            memory.apply(shared.pk, Insert(NOTES, 0, f"{number}:{line}"), actor=AGENT)

    in_threads(6, write)

    lines = files_of(shared)[NOTES.text].decode().splitlines()
    assert sorted(lines) == sorted(f"{number}:{line}" for number in range(6) for line in range(10))
    assert_sound(shared)


def test_two_programs_that_write_lose_nothing(shared: MemoryStore) -> None:
    program = (
        "import django; django.setup()\n"
        "from memories import store\n"
        "from memories.actors import Actor, ActorKind\n"
        "from memories.commands import Insert\n"
        "from memories.paths import MemoryPath\n"
        "for line in range(20):\n"
        f"    store.apply({shared.pk}, Insert(MemoryPath('{NOTES}'), 0, f'there:{{line}}'),"
        " actor=Actor(ActorKind.TOKEN, 'cli'))\n"
    )
    name = str(connection.settings_dict["NAME"])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.support.other_program", "TEST_DATABASE": name}

    other = subprocess.Popen([sys.executable, "-c", program], env=environment, cwd=settings.BASE_DIR)
    for line in range(20):
        memory.apply(shared.pk, Insert(NOTES, 0, f"here:{line}"), actor=AGENT)
    assert other.wait(60) == 0

    lines = files_of(shared)[NOTES.text].decode().splitlines()
    assert sorted(lines) == sorted(f"{who}:{line}" for who in ("here", "there") for line in range(20))
    assert_sound(shared)


def test_redelivered_calls_that_arrive_together_have_one_effect(shared: MemoryStore) -> None:
    call = Actor(AGENT.kind, AGENT.label, dedupe_key="run-1:toolu_01")
    value = {"command": "insert", "path": NOTES.text, "insert_line": 0, "insert_text": "once"}
    answers = []

    in_threads(6, lambda _: answers.append(tool.execute(shared, value, call).content))

    assert answers == ["The file /memories/notes.md has been edited."] * 6
    assert files_of(shared) == {NOTES.text: b"once\n"}


def test_a_store_that_somebody_else_keeps_is_busy_and_unchanged(shared: MemoryStore, impatient: None) -> None:
    with elsewhere():
        started = time.monotonic()
        answer = tool.execute(shared, {"command": "create", "path": "/memories/new.md", "file_text": ""}, AGENT)
        waited = time.monotonic() - started

    assert answer == tool.Result("Error: the memory store is busy; nothing was changed. Try again.", is_error=True)
    assert 0.1 < waited < 5
    assert list(files_of(shared)) == [NOTES.text]


def test_a_writer_waits_for_one_that_soon_ends(shared: MemoryStore) -> None:
    with elsewhere() as over:
        threading.Timer(0.3, over.set).start()
        started = time.monotonic()
        memory.apply(shared.pk, Insert(NOTES, 0, "patient"), actor=AGENT)

    assert time.monotonic() - started > 0.2
    assert files_of(shared) == {NOTES.text: b"patient\n"}


def test_stores_that_wait_do_not_hold_up_views(shared: MemoryStore) -> None:
    with elsewhere():
        assert not tool.execute(shared, {"command": "view", "path": "/memories"}, AGENT).is_error


def test_a_lock_inside_a_lock_and_inside_a_transaction_is_refused(shared: MemoryStore) -> None:
    with memory.locked(shared.pk), pytest.raises(RuntimeError), memory.locked(shared.pk):
        pass
    with transaction.atomic(), pytest.raises(RuntimeError), memory.locked(shared.pk):
        pass

    memory.apply(shared.pk, Insert(NOTES, 0, "still works"), actor=AGENT)


class TestFairLock:
    def test_it_is_handed_on_in_the_order_of_asking(self) -> None:
        lock, order = FairLock(), []
        lock.acquire(1)
        threads = []

        def wait(number: int) -> None:
            assert lock.acquire(5)
            order.append(number)
            lock.release()

        for number in range(5):
            threads.append(threading.Thread(target=wait, args=(number,)))
            threads[-1].start()
            time.sleep(0.02)
        lock.release()
        for thread in threads:
            thread.join()

        assert order == [0, 1, 2, 3, 4]

    def test_who_gives_up_waiting_is_passed_over(self) -> None:
        lock = FairLock()
        lock.acquire(1)

        assert lock.acquire(0.01) is False
        lock.release()
        assert lock.acquire(0.01) is True


class TestFileLock:
    def test_two_openings_of_the_file_exclude_each_other(self, tmp_path: Path) -> None:
        first, second = FileLock(f"{tmp_path}/lock"), FileLock(f"{tmp_path}/lock")
        first.acquire(time.monotonic())

        with pytest.raises(Busy):
            second.acquire(time.monotonic() + 0.01)
        first.release()
        second.acquire(time.monotonic())

    def test_its_file_is_nobody_elses_business(self, tmp_path: Path) -> None:
        FileLock(f"{tmp_path}/lock")

        assert (tmp_path / "lock").stat().st_mode & 0o077 == 0
