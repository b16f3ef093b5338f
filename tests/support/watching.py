"""``memdash watch`` as a real process, and what its database holds while it runs."""

import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg

from tests.support.server import Process
from tests.support.shell import memdash

WATCHING = re.compile(r"^Watching\.")
LIVE = """
    SELECT e.path, b.sha256 FROM memories_memoryentry e JOIN memories_blob b ON b.id = e.blob_id
    WHERE e.kind = 'file' AND e.state = 'live'
"""
VERSIONS = "SELECT entry_id, path, operation, actor_kind, sha256 FROM memories_memoryversion ORDER BY seq"


def migrate(data: Path, **settings: str) -> None:
    """Make an installation in a data folder."""
    made = memdash("migrate", data=data, **settings)
    assert made.returncode == 0, made.stderr


class Watched:
    """A folder, an installation, and the processes that follow the one into the other.

    ``migrated`` is the data folder of an installation just made, which is copied; without it one is made.
    """

    def __init__(self, place: Path, migrated: Path | None = None, **settings: str) -> None:
        self.data = place / "data"
        self.folder = place / "folder"
        self.memories = self.folder / "memories"
        self.settings = settings
        self.memories.mkdir(parents=True)
        if migrated:
            shutil.copytree(migrated, self.data)
        else:
            migrate(self.data, **settings)

    @contextmanager
    def watching(self, *options: str) -> Iterator[Process]:
        """Run ``memdash watch`` until the block ends; it has taken what is there when the block begins."""
        process = Process(("watch", str(self.folder), "--agent", "Pipeline", *options), self.data, self.settings)
        try:
            process.wait_for(WATCHING)
            yield process
        finally:
            process.kill()

    def put(self, name: str, text: str) -> Path:
        """Write a file as the simplest of programs does."""
        file = self.memories / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query of the installation's database."""
        if url := self.settings.get("DATABASE_URL"):
            with psycopg.connect(url) as connection:
                return connection.execute(statement.encode()).fetchall()
        with closing(sqlite3.connect(self.data / "memdash.sqlite3", timeout=20)) as database:
            return database.execute(statement).fetchall()

    def stored(self, below: str = "") -> dict[str, str]:
        """Return the live files of the store, or those below a directory: the hash of each by its path."""
        rows = ((path.removeprefix("/memories/"), digest) for path, digest in self.ask(LIVE))
        return {path: digest for path, digest in rows if path.startswith(below)}

    def on_disk(self, below: str = "") -> dict[str, str]:
        """Return the same of the folder."""
        files = [path for path in (self.memories / below).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.memories)): sha256(path.read_bytes()).hexdigest() for path in files}

    def history(self, path: str) -> list[str]:
        """Return what was done to all files that ever lay at a path below the root, in order."""
        return [operation for _, at, operation, *_ in self.ask(VERSIONS) if at == f"/memories/{path}"]

    def soon(self, holds: Callable[[], bool], seconds: float = 15) -> float:
        """Wait until ``holds`` and return for how long; fail when it does not come to pass."""
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < seconds, f"stored {self.stored()}\non disk {self.on_disk()}"
            time.sleep(0.05)
        return time.monotonic() - began
