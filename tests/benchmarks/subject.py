"""The product as something to be measured: a store in a SQLite database of its own."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import django
from django.conf import settings

if TYPE_CHECKING:
    from django.db.backends.sqlite3.base import DatabaseWrapper

SEEDED_AT_ONCE = 5_000
NO_LIMIT = 10**12


def product(folder: Path | str) -> "Product":
    """Return an empty store in ``folder``; several may live in one process."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not settings.configured:
        os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
        os.environ["MEMDASH_DATA"] = str(folder / "data")
        os.environ["MEMDASH_SQLITE_SYNCHRONOUS"] = "FULL"
        os.environ.pop("DATABASE_URL", None)
        os.environ.pop("REDIS_URL", None)
        django.setup()
    return Product(folder)


class Product:
    """A store whose memory tool is called as an agent's would be, outside a run."""

    _current: ClassVar["Product | None"] = None

    def __init__(self, folder: Path) -> None:
        from django.core.management import call_command
        from django.db import connections
        from django.db.utils import load_backend

        from memdash.settings import CONFIG, database
        from memories import store
        from memories.actors import Actor, ActorKind
        from memories.tool import execute

        entry = {**database(CONFIG.model_copy(update={"database_url": ""})), "NAME": folder / "memdash.sqlite3"}
        entry = connections.configure_settings({"default": entry})["default"]
        self._connection: DatabaseWrapper = load_backend(entry["ENGINE"]).DatabaseWrapper(entry, "default")
        self._actor = Actor(ActorKind.TOKEN, "benchmark", change_set="benchmark")
        self._use()
        call_command("migrate", verbosity=0)
        self._store = store.create_store(name="benchmark")
        self._execute = partial(execute, self._store, actor=self._actor)

    @property
    def durable(self) -> str:
        """What has to reach the disk before a change is answered."""
        self._use()
        with self._connection.cursor() as cursor:
            journal, synchronous = (
                cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
            )
        return f"SQLite, journal_mode={journal}, synchronous={['OFF', 'NORMAL', 'FULL', 'EXTRA'][synchronous]}"

    def call(self, raw_input: object) -> str:
        """Return the text that the memory tool answers."""
        if Product._current is not self:
            self._use()
        content = self._execute(raw_input).content
        return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)

    def seed(self, files: Iterable[tuple[str, str]]) -> None:
        """Store files, each as one version, in few transactions; the store has no limits afterwards."""
        from memories import store
        from memories.commands import ImportFile
        from memories.models import MemoryStore
        from memories.paths import MemoryPath

        self._use()
        MemoryStore.objects.filter(pk=self._store.pk).update(
            max_file_bytes=NO_LIMIT, max_files=NO_LIMIT, max_bytes=NO_LIMIT
        )
        for batch in batches(iter(files)):
            with store.locked(self._store.pk) as tx:
                for path, text in batch:
                    tx.apply(ImportFile(MemoryPath.parse(path), text.encode()), actor=self._actor)

    def flush(self) -> None:
        """Write what waits in memory: who has viewed what."""
        from memories.store import reads

        self._use()
        reads.flush()

    def close(self) -> None:
        self.flush()
        self._connection.close()
        Product._current = None

    def _use(self) -> None:
        """Make this store's database the process's; the one that was writes first what it still holds in memory."""
        from django.db import connections

        if Product._current is self:
            return
        if Product._current:
            Product._current.flush()
        Product._current = self
        connections.databases["default"]["NAME"] = self._connection.settings_dict["NAME"]
        connections["default"] = self._connection


def batches(files: Iterator[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    while batch := list(islice(files, SEEDED_AT_ONCE)):
        yield batch
