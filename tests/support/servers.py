"""PostgreSQL and Redis: the ones the environment names, else temporary ones from installed programs, else a skip."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
from psycopg import sql
from redis import Redis

PATIENCE = 20.0
# Read before tests change them: an address that is given is the one to use.
GIVEN_DATABASE = os.environ.get("DATABASE_URL", "")
GIVEN_REDIS = os.environ.get("REDIS_URL", "")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server, with a database on it that is only connected to."""
    if GIVEN_DATABASE:
        yield GIVEN_DATABASE
        return
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        missing("postgres", "no DATABASE_URL is given and PostgreSQL is not installed")
    with _temporary_postgres(programs[-1].parent) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of an empty database, dropped afterwards."""
    server, _, options = postgres_server.partition("?")
    name = f"memdash_{os.getpid()}_{time.monotonic_ns()}"
    url = f"{server.rpartition('/')[0]}/{name}{'?' if options else ''}{options}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield url
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a Redis database."""
    if GIVEN_REDIS:
        yield GIVEN_REDIS
        return
    program = shutil.which("redis-server")
    if not program:
        missing("redis", "no REDIS_URL is given and redis-server is not installed")
    port = _free_port()
    with _running([program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]):
        url = f"redis://127.0.0.1:{port}/0"
        with Redis.from_url(url) as client:
            _answers(client.ping)
        yield url


@contextmanager
def _temporary_postgres(programs: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="memdash-postgres-") as name:
        data, port = Path(name) / "data", _free_port()
        prefix: list[str] = []
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            shutil.chown(name, "postgres", "postgres")
            prefix = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        initdb = [*prefix, str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth", "trust", "--no-sync"]
        subprocess.run(initdb, check=True, capture_output=True, cwd="/", timeout=60)
        server = [*prefix, str(programs / "postgres"), "-D", str(data), "-k", name, "-h", "127.0.0.1", "-p", str(port)]
        server += ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
        with _running(server):
            url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
            _answers(lambda: psycopg.connect(url).close())
            yield url


@contextmanager
def _running(command: list[str]) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/") as server:
        try:
            yield
        finally:
            server.terminate()


def _answers(ask: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            ask()
            return
        except Exception:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def missing(what: str, why: str) -> NoReturn:
    """Skip the test for lack of ``what``, or fail it where MEMDASH_TEST_REQUIRE asks for that."""
    if what in os.environ.get("MEMDASH_TEST_REQUIRE", "").split(","):
        pytest.fail(f"MEMDASH_TEST_REQUIRE asks for {what}, but {why}")
    pytest.skip(why)
