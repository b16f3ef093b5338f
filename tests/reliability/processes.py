"""An installation whose worker can be killed and started again."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from psycopg import sql

from tests.support.shell import PROGRAM, environment, memdash

DATABASE_URL = os.environ.get("DATABASE_URL") or "postgresql://postgres@127.0.0.1:5432/postgres"
REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/9"


@contextmanager
def database(mode: str, name: str) -> Iterator[dict[str, str]]:
    """Yield the settings that lead to an empty database of this process, which goes away afterwards.

    ``mode`` is "sqlite" or "postgres", where the database is on the server of DATABASE_URL, else of this machine.
    """
    if mode == "sqlite":
        yield {}
        return
    own = f"memdash_{name}_{os.getpid()}"
    with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(own)))
        try:
            yield {"DATABASE_URL": f"{DATABASE_URL.rpartition('/')[0]}/{own}"}
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(own)))


class Installation:
    """A data folder with the processes on it, all of which end with the block; the worker is the one to be killed."""

    worker: tuple[str, ...]
    others: tuple[tuple[str, ...], ...] = ()

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self.settings = settings
        self.log = folder / "log"
        self._worker: subprocess.Popen[bytes] | None = None
        self._others: list[subprocess.Popen[bytes]] = []

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of its processes."""
        return environment(self.folder, **self.settings)

    def __enter__(self) -> Self:
        migrated = memdash("migrate", data=self.folder, **self.settings)
        assert migrated.returncode == 0, migrated.stderr
        self._others = [self._run(*arguments) for arguments in self.others]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._worker is not None and self._worker.poll() is None:
            self.end(signal.SIGKILL)
        for process in self._others:
            process.kill()
            process.wait()

    def start(self) -> None:
        """Start the worker; it may not be ready yet."""
        self._worker = self._run(*self.worker)

    def end(self, number: signal.Signals) -> None:
        """End the worker with a signal: SIGKILL gives it no chance to clean up, SIGTERM is what a deploy sends."""
        assert self._worker
        assert self._worker.poll() is None, f"the worker ended by itself with {self._worker.returncode}"
        os.killpg(self._worker.pid, number)
        self._worker.wait(20)

    def _run(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*PROGRAM, *arguments], env=self.environment, stdout=log, stderr=log, start_new_session=True
            )


class Embedded(Installation):
    """All in one process, on SQLite."""

    worker = ("up", "--port", "0")


class Separate(Installation):
    """Worker, beat and the worker of short jobs as processes of their own, on PostgreSQL and Redis."""

    worker = ("worker", "-Q", "runs")
    others = (("worker", "-Q", "default"), ("beat",))

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self._database = f"memdash_kill_{os.getpid()}"
        url = f"{DATABASE_URL.rpartition('/')[0]}/{self._database}"
        super().__init__(folder, {**settings, "DATABASE_URL": url, "REDIS_URL": REDIS_URL})

    def __enter__(self) -> Self:
        self._ask("CREATE DATABASE {}")
        return super().__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        super().__exit__(kind, error, at)
        self._ask("DROP DATABASE {} WITH (FORCE)")

    def _ask(self, statement: str) -> None:
        with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(self._database)))
