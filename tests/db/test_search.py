"""Searches find exactly what looking through every file finds, whatever has become of the files, at every moment."""

import random
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection, transaction

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, Label, Purge, Rename, StrReplace, Undelete
from memories.models import Document, Indexed, MemoryEntry, MemoryStore, MemoryVersion
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.search import finding, index, scanning
from memories.search.engines import engine
from memories.search.filters import Filters
from memories.search.queries import Query
from memories.store import blobs
from tests.support.stores import AGENT, new_store

pytestmark = pytest.mark.django_db

WORDS = (
    "export",
    "timeout",
    "café",
    "Zürich",
    "日本語",
    "test_case",
    "e-mail",
    "2026-12-01",
    "don't",
    "the",
    "of",
    "and",
    "naïve",
    "Straße",
    "x",
)
RARE = "needle"


def at(relative: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{relative}")


def read_again(*stores: MemoryStore) -> list[MemoryStore]:
    return list(MemoryStore.objects.filter(pk__in=[each.pk for each in stores]).select_related("indexed"))


def search(typed: str, *stores: MemoryStore, filters: Filters | None = None) -> dict[str, int]:
    """Return how many live files and how many in the trash match, and how many are listed."""
    query, filters = Query.read(typed), filters or Filters()
    ids = [each.pk for each in stores]
    waiting = finding.pending(read_again(*stores))
    assert not waiting.unseen
    counted = finding.matches(query, ids, filters, waiting)
    listed = finding.newest(query, ids, finding.STATES, filters, counted)
    return {
        "live": counted.count(ids, ["live"]),
        "trash": counted.count(ids, ["trash"]),
        "listed": len({hit.entry_id for hit in listed}),
    }


def brute_force(typed: str, *stores: MemoryStore) -> dict[str, int]:
    """Return the same by looking through every file."""
    query, found = Query.read(typed), {"live": 0, "trash": 0}
    for entry in MemoryEntry.objects.files().filter(store__in=stores).select_related("blob"):
        text = blobs.unpack(entry.blob.encoding, entry.blob.data).decode() if entry.blob else ""
        if entry.state in found:
            found[entry.state] += query.matches(MemoryPath(entry.path).relative, text)
    return {**found, "listed": found["live"] + found["trash"]}


class World:
    """Two stores in which things happen by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stores = [new_store(), new_store()]
        for each in self.stores:
            for number in range(12):
                memory.apply(each.pk, Create(at(f"{self.word()}/{number}-{self.word()}.md"), self.text()), actor=AGENT)

    def word(self) -> str:
        return self.chance.choice(WORDS)

    def text(self) -> str:
        lines = [" ".join(self.word() for _ in range(self.chance.randint(0, 6))) for _ in range(3)]
        return "\n".join([*lines, RARE] if self.chance.random() < 0.03 else lines)

    def typed(self) -> str:
        one, two = self.word(), self.word()
        return self.chance.choice(
            [
                one,
                f"{one} {two}",
                f'"{one} {two}"',
                f"{one} -{two}",
                f"{one[:3]}*",
                f'{one} -"{two} {one}"',
                RARE,
                "absent",
                "md",
            ]
        )

    def happen(self) -> None:
        """Change, rename, delete, restore or blank a file."""
        store = self.chance.choice(self.stores)
        store.refresh_from_db()
        files = list(MemoryEntry.objects.files().filter(store=store).order_by("pk"))
        # Of what was blanked nothing is left to act on.
        live = [file for file in files if file.state == "live" and file.blob_id]
        file = self.chance.choice(live)
        path = MemoryPath(file.path)
        gone = [file for file in files if file.state == "trash" and file.blob_id]
        acts: list[Callable[[], object]] = [
            lambda: memory.apply(store.pk, Rename(path, at(f"moved/{self.word()}-{file.pk}")), actor=AGENT),
            lambda: memory.apply(store.pk, Delete(path), actor=AGENT),
            *[lambda: memory.apply(store.pk, Create(at(f"new/{store.seq}-{len(files)}"), self.text()), actor=AGENT)]
            * 2,
            lambda: self.restore(store, gone),
            lambda: self.blank(file),
            lambda: memory.apply(store.pk, Purge(tuple(each.pk for each in gone[:1])), actor=AGENT),
        ]
        with suppress(Refused):
            self.chance.choice(acts)()

    def restore(self, store: MemoryStore, gone: list[MemoryEntry]) -> None:
        if gone:
            file = self.chance.choice(gone)
            memory.apply(store.pk, Undelete(file.pk, MemoryPath(file.path)), actor=AGENT)

    def blank(self, file: MemoryEntry) -> None:
        """Take the text of a file away without a version, as whoever blanks it does."""
        with transaction.atomic():
            MemoryVersion.objects.filter(entry=file.pk).update(blob=None)
            MemoryEntry.objects.filter(pk=file.pk).update(blob=None)
            index.renew([file.pk])


@pytest.mark.parametrize("indexes", [0, 0.3, 1], ids=["never indexed", "now and then", "always"])
def test_a_search_finds_what_looking_through_every_file_finds(indexes: float) -> None:
    world = World(seed=int(indexes * 10))
    seen = set()

    for _ in range(167):
        typed = world.typed()
        stores = world.chance.choice([world.stores, world.stores[:1]])

        found = search(typed, *stores)

        assert found == brute_force(typed, *stores), typed
        seen.add(min(found["live"], 2))
        if world.chance.random() < 0.4:
            world.happen()
        if world.chance.random() < indexes:
            index.catch_up(60)
    assert seen == {0, 1, 2}


def test_filters_count_alike_in_the_index_and_beside_it() -> None:
    store = new_store()
    memory.apply(store.pk, Create(at("a/one.md"), "tea"), actor=AGENT)
    memory.apply(store.pk, Create(at("ab/two.md"), "tea"), actor=Actor(ActorKind.PERSON, "Mara 100%"))
    memory.apply(store.pk, Label(at("a/one.md"), add=("hot",)), actor=AGENT)
    when = MemoryEntry.objects.get(path="/memories/a/one.md").updated_at
    cases = [
        (Filters(below=at("a")), 1),
        (Filters(actor="mara"), 1),
        (Filters(actor="0%"), 1),
        (Filters(actor="%"), 1),
        (Filters(since=when), 2),
        (Filters(until=when), 0),
        (Filters(below=at("a"), actor="mara"), 0),
        (Filters(label="hot"), 1),
        (Filters(label="ho"), 0),
    ]

    beside = [search("tea", store, filters=filters)["live"] for filters, _ in cases]
    index.catch_up(60)
    within = [search("tea", store, filters=filters)["live"] for filters, _ in cases]

    assert beside == within == [count for _, count in cases]


def test_files_that_were_there_before_the_index_are_indexed_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "BATCH_FILES", 4)
    monkeypatch.setattr(finding, "HELP_SECONDS", 0)
    monkeypatch.setattr(finding, "LOOK_FILES", 3)
    store = new_store()
    for number in range(10):
        memory.apply(store.pk, Create(at(f"{number}.md"), "tea"), actor=AGENT)
    memory.apply(store.pk, StrReplace(at("0.md"), "tea", "tea and tea"), actor=AGENT)

    waiting = finding.pending(read_again(store))
    assert waiting.unseen == 11
    assert index.index_batch(*read_again(store))
    assert Indexed.objects.get().seq == 5
    assert Document.objects.count() == 4
    assert index.catch_up(60)

    assert Indexed.objects.get().seq == 11
    assert search("tea", store) == {"live": 10, "trash": 0, "listed": 10}


def test_a_search_indexes_by_itself_what_is_too_much_to_look_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "LOOK_FILES", 3)
    store = new_store()
    for number in range(10):
        memory.apply(store.pk, Create(at(f"{number}.md"), "tea"), actor=AGENT)

    assert search("tea", store)["live"] == 10
    assert Document.objects.count() == 10


def test_a_batch_that_somebody_else_has_done_is_not_done_again() -> None:
    store = new_store()
    memory.apply(store.pk, Create(at("a.md"), "tea"), actor=AGENT)
    (mine,), (theirs,) = read_again(store), read_again(store)
    assert index.index_batch(theirs)
    memory.apply(store.pk, StrReplace(at("a.md"), "tea", "rum"), actor=AGENT)

    assert not index.index_batch(mine)

    assert search("tea", store)["live"] == 0
    assert search("rum", store)["live"] == 1


@pytest.mark.django_db(transaction=True)
def test_several_indexers_and_writers_at_once_end_in_one_true_index() -> None:
    store = new_store()
    failures: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    def write(name: str) -> None:
        for number in range(15):
            memory.apply(store.pk, Create(at(f"{name}/{number}.md"), "tea"), actor=AGENT)
            index.catch_up(1)

    threads = [threading.Thread(target=guarded, args=[lambda name=name: write(name)]) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.catch_up(60)

    assert search("tea", store) == {"live": 45, "trash": 0, "listed": 45}
    assert Document.objects.count() == 45


def test_a_batch_that_is_cut_off_leaves_nothing_and_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store()
    memory.apply(store.pk, Create(at("a.md"), "tea"), actor=AGENT)
    with monkeypatch.context() as patch:
        patch.setattr(type(engine()), "add", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            index.index_batch(*read_again(store))

    assert not Document.objects.exists()
    assert not Indexed.objects.exists()
    assert index.catch_up(60)
    assert search("tea", store)["live"] == 1


def test_nothing_is_left_in_the_database_of_words_that_were_taken_out() -> None:
    store = new_store()
    for number in range(3):
        memory.apply(store.pk, Create(at(f"{number}.md"), "supersecretword"), actor=AGENT)
        index.catch_up(60)
        memory.apply(store.pk, Delete(at(f"{number}.md")), actor=AGENT)
    index.catch_up(60)
    memory.apply(store.pk, Purge(tuple(MemoryEntry.objects.files().values_list("pk", flat=True))), actor=AGENT)

    assert index.clean_up()
    assert not index.clean_up()

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM memories_words_data WHERE instr(block, CAST('supersecret' AS BLOB)) > 0"
            )
            assert cursor.fetchone()[0] == 0
    assert not Document.objects.exists()


def test_more_different_words_than_an_index_row_holds_are_all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.search.engines.postgresql.TERMS_BYTES", 40)
    store = new_store()
    memory.apply(store.pk, Create(at("a.md"), " ".join(f"word{n:02}" for n in range(40))), actor=AGENT)
    index.catch_up(60)

    found = {
        typed: search(typed, store)["live"]
        for typed in ("word39", "word3*", '"word38 word39"', "word01 -word39", "word99")
    }

    assert found == {"word39": 1, "word3*": 1, '"word38 word39"': 1, "word01 -word39": 0, "word99": 0}


def test_text_itself_is_looked_through_for_parts_of_words_and_for_older_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = new_store()
    for number in range(3):
        memory.apply(store.pk, Create(at(f"{number}.md"), f"the timeout {number}"), actor=AGENT)
        memory.apply(store.pk, StrReplace(at(f"{number}.md"), "timeout", "pause"), actor=AGENT)
    parts, whole = Query.read("imeou", parts=True), Query.read("timeout")

    now = scanning.parts_in_store(Query.read("aus", parts=True), store.pk, Filters())
    older = scanning.older_versions(whole, [store.pk], ["live"], Filters())
    monkeypatch.setattr(scanning, "VERSIONS", 2)
    first = scanning.older_versions(whole, [store.pk], ["live"], Filters())
    rest = scanning.older_versions(whole, [store.pk], ["live"], Filters(), first.after)

    assert [version.path[-4:] for version in now.found] == ["2.md", "1.md", "0.md"]
    assert not scanning.parts_in_store(parts, store.pk, Filters()).found
    assert len(older.found) == 3
    assert older.after is None
    assert (first.looked, rest.looked, rest.after) == (2, 1, None)
    MemoryVersion.objects.update(redacted_at="2026-01-01T00:00Z")
    assert not scanning.older_versions(whole, [store.pk], ["live"], Filters()).found
