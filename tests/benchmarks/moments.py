"""How long it takes to go back to any moment of a long past, on the database of ``DATABASE_URL`` or on SQLite."""

import os
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

from tests.benchmarks.measure import Line, interleaved

FILES, VERSIONS = 1_000, 20_000
PAGE_MS = 500
ROUNDS = 9
MOMENTS = (1_000, 5_000, 10_000, 15_000, 19_999)


def lines() -> Iterator[Line]:
    """Measure in a process of its own, since this one may hold another database."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.moments"], check=True, stdout=subprocess.PIPE, text=True
    )
    for row in made.stdout.splitlines():
        name, _, taken = row.rpartition("\t")
        yield Line(name, PAGE_MS, float(taken), " ms")


def measure() -> None:
    """Print how long the slowest moment takes: the whole page of a store, that of a file, and a level of its tree."""
    import django
    from django.conf import settings

    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    django.setup()
    settings.ALLOWED_HOSTS = ["*"]
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = f"{os.environ['MEMDASH_DATA']}/moments.sqlite3"
    connection.creation.create_test_db(verbosity=0)
    try:
        _measured(connection.vendor)
    finally:
        connection.creation.destroy_test_db(":memory:", verbosity=0)


def _measured(vendor: str) -> None:
    from django.contrib.auth import get_user_model
    from django.db import connection
    from django.test import Client

    from memories import moments, store
    from memories.actors import Actor, ActorKind
    from memories.views import addresses
    from tests.support.long_history import with_history

    memory = store.create_store(name="long past")
    with_history(memory, Actor(ActorKind.TOKEN, "benchmark", change_set="all"), files=FILES, versions=VERSIONS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    browser = Client(headers={"Host": "localhost"})
    browser.force_login(get_user_model().objects.create_superuser("operator"))
    # A request on SQLite only computes; a server's work is seen on the wall alone.
    clock = thread_time if vendor == "sqlite" else perf_counter
    worst = {"page of the store": 0.0, "page of a file": 0.0, "a level of the tree": 0.0}
    for seq in MOMENTS:
        file = moments.files_at(memory, seq)[FILES // 2]
        pages = [
            (addresses.time(memory.slug, "/memories", at=seq), {}),
            (addresses.time(memory.slug, file.path, at=seq), {}),
            (addresses.time_tree(memory.slug, file.memory_path.parent.text, at=seq), {"HX-Request": "true"}),
        ]
        for url, headers in pages:
            assert browser.get(url, headers=headers).status_code == 200
        steps = [lambda _, url=url, headers=headers: browser.get(url, headers=headers) for url, headers in pages]
        for name, seconds in zip(worst, interleaved(steps, ROUNDS, clock=clock), strict=True):
            worst[name] = max(worst[name], seconds * 1e3)
    for name, taken in worst.items():
        print(f"{FILES:,} files, {VERSIONS:,} versions, {vendor}: {name}\t{taken:.1f}")


if __name__ == "__main__":
    with TemporaryDirectory(prefix="memdash-moments-") as folder:
        os.environ["MEMDASH_DATA"] = folder
        measure()
