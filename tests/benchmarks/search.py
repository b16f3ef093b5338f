"""What a search costs in a store of 100,000 files: the index alone, and how long it takes to make it."""

import os
import random
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

from tests.benchmarks.measure import Line, interleaved
from tests.benchmarks.subject import NO_LIMIT, batches, product

FILES = 100_000
WORDS = 20_000
WORDS_OF_A_FILE = 100
ROUNDS = 20
RARE_MS, COMMON_MS = 20, 50

QUERIES = {
    "a rare word": ("rareword", RARE_MS),
    "a word of every file": ("common", COMMON_MS),
    "a word of every second file": ("half", COMMON_MS),
}


def lines() -> Iterator[Line]:
    """Search a store for words that three files have, half of them, and all of them."""
    url = os.environ.get("MEMDASH_BENCHMARK_DATABASE_URL", "")
    with TemporaryDirectory(prefix="memdash-search-") as name:
        subject = product(Path(name)) if not url else on_server(Path(name), url)
        subject.seed((f"/memories/{n % 100:02}/file-{n:06}.md", text) for n, text in enumerate(texts()))
        yield from measured(url)
        subject.close()


def texts() -> Iterator[str]:
    """Yield texts of words as rare as words are: some in nearly every file, most in few."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(WORDS)]
    weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
    for number in range(FILES):
        some = chance.choices(words, cum_weights=weights, k=WORDS_OF_A_FILE)
        some += ["common", *(["half"] * (number % 2)), *(["rareword"] * (number % 33_333 == 7))]
        yield " ".join(some)


def measured(url: str) -> Iterator[Line]:
    from django.contrib.auth import get_user_model
    from django.db import connection
    from django.test import Client

    from memories.search import index

    started = perf_counter()
    assert index.catch_up(3_600)
    taken = perf_counter() - started
    if url:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE memories_document")
    where = "PostgreSQL" if url else "SQLite"
    yield Line(f"indexing {FILES:,} files, {where}", 600, taken, " s", f"{FILES / taken:,.0f} files a second")
    # SQLite works in this thread, so that others on the machine need not count.
    clock = perf_counter if url else thread_time
    steps: list[Callable[[int], object]] = [searching(typed) for typed, _ in QUERIES.values()]
    for (name, (_, bar)), seconds in zip(QUERIES.items(), interleaved(steps, ROUNDS, clock=clock), strict=True):
        yield Line(f"search for {name}, {where}", bar, seconds * 1e3, " ms", "counts and the newest 1,000")
    browser = Client(headers={"Host": "localhost"})
    browser.force_login(get_user_model().objects.create_superuser("operator"))
    (seconds,) = interleaved([lambda _: browser.get("/search?q=common")], ROUNDS, clock=clock)
    answer = browser.get("/search?q=common")
    assert b"100,000 files" in answer.content
    yield Line(
        f"page of a word of every file, {where}", 150, seconds * 1e3, " ms", f"{len(answer.content) / 1024:.0f} KB"
    )


def searching(typed: str) -> Callable[[int], object]:
    """Return a step that searches as the page does, without showing what it found."""
    from memories.models import MemoryStore
    from memories.search import finding
    from memories.search.filters import Filters
    from memories.search.queries import Query

    def search(_: int) -> None:
        query, filters = Query.read(typed), Filters()
        stores = list(MemoryStore.objects.select_related("indexed"))
        ids = [store.pk for store in stores]
        counted = finding.matches(query, ids, filters, finding.pending(stores))
        assert finding.newest(query, ids, ["live"], filters, counted)

    return search


class OnServer:
    """A store in a database of its own on a server, filled as the other is."""

    def __init__(self) -> None:
        from django.core.management import call_command

        from memories import store
        from memories.models import MemoryStore

        call_command("migrate", verbosity=0)
        self._store = store.create_store(name="benchmark")
        MemoryStore.objects.update(max_file_bytes=NO_LIMIT, max_files=NO_LIMIT, max_bytes=NO_LIMIT)

    def seed(self, files: Iterator[tuple[str, str]]) -> None:
        from memories import store
        from memories.actors import Actor, ActorKind
        from memories.commands import ImportFile
        from memories.paths import MemoryPath

        actor = Actor(ActorKind.TOKEN, "benchmark", change_set="benchmark")
        for batch in batches(files):
            with store.locked(self._store.pk) as tx:
                for path, text in batch:
                    tx.apply(ImportFile(MemoryPath.parse(path), text.encode()), actor=actor)

    def close(self) -> None:
        from django.db import connection

        connection.close()


def on_server(folder: Path, url: str) -> OnServer:
    """Return an empty store in the database that ``url`` names: a new one, which its owner removes again."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    os.environ["MEMDASH_DATA"] = str(folder / "data")
    os.environ["DATABASE_URL"] = url
    django.setup()
    return OnServer()
