"""Pages, workers and beat as processes of their own, over a real PostgreSQL and a real Redis."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.support.runs import eventually
from tests.support.server import LINK, Process, Server
from tests.support.shell import environment, memdash

pytestmark = pytest.mark.postgres

START_A_RUN = """
import django; django.setup()
from django.contrib.auth.models import User
import memdash.celery
from agents import runs
from agents.making import create_agent
agent = create_agent(name="Support desk", model="demo/support-desk")
print(runs.start(agent, "Acme Ltd prefers mail on Tuesdays.", user=User.objects.get()).pk)
"""


class Installation:
    """A data folder and the settings that all its processes share."""

    def __init__(self, data: Path, database: str, broker: str = "") -> None:
        self.data = data
        self.settings = {
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "MEMDASH_RECONCILE_SECONDS": "1",
            "MEMDASH_DEMO_PACE": "0",
        }

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return memdash(*arguments, data=self.data, stdin=stdin, **self.settings)

    @contextmanager
    def started(self, *arguments: str) -> Iterator[Process]:
        kind = Server if arguments[0] in {"web", "up"} else Process
        process = kind(arguments, self.data, self.settings)
        try:
            yield process
        finally:
            process.kill()

    def start_a_run(self) -> None:
        django = environment(self.data, DJANGO_SETTINGS_MODULE="memdash.settings", **self.settings)
        subprocess.run([sys.executable, "-c", START_A_RUN], env=django, timeout=60, check=True)

    def value(self, query: str) -> object:
        with psycopg.connect(self.settings["DATABASE_URL"]) as connection:
            row = connection.execute(query).fetchone()
        return row[0] if row else None


@pytest.fixture
def installation(tmp_path: Path, postgres_url: str, redis_url: str) -> Installation:
    return Installation(tmp_path / "data", postgres_url, redis_url)


@pytest.mark.redis
def test_web_refuses_a_database_without_migrations_and_names_the_command(installation: Installation) -> None:
    said = installation.run("web", "--port", "0")

    assert said.returncode == 1
    assert said.stderr == "memdash: The database has not had the migrations of this version. Run memdash migrate.\n"


@pytest.mark.redis
def test_a_worker_waits_for_the_migrations_and_says_so(installation: Installation) -> None:
    with installation.started("worker", "-Q", "default") as worker:
        worker.wait_for(re.compile(r"Waiting\. The database .* Run memdash migrate\."))
        installation.run("migrate")
        worker.wait_for(re.compile("Working on the queue default"))

        code, _ = worker.stop(signal.SIGTERM)

    assert code == 0


@pytest.mark.redis
def test_web_workers_and_beat_do_together_what_up_does_alone(installation: Installation) -> None:
    installation.run("migrate")
    installation.run("createuser", "mia", "--operator", stdin="correct horse battery\n")
    with ExitStack() as stack:
        commands = (("web", "--port", "0"), ("worker", "-Q", "runs"), ("worker", "-Q", "default"), ("beat",))
        web, *others = [stack.enter_context(installation.started(*command)) for command in commands]
        assert isinstance(web, Server)
        link = installation.run("login-link", "mia").stdout.strip()
        assert web.browser.sign_in(web.address + link[link.index("/sign-in/") :])[0] == 200

        installation.start_a_run()
        eventually(lambda: installation.value("SELECT state FROM agents_run") == "done", patience=30)
        eventually(lambda: installation.value("SELECT COUNT(*) FROM agents_jobslot"), patience=30)
        doctor = installation.run("doctor")
        status, page = web.browser.get("/runs/")
        stopped = [process.stop(signal.SIGTERM) for process in (web, *others)]

    assert (status, "Acme Ltd prefers mail on Tuesdays." in page) == (200, True)
    assert doctor.returncode == 0, doctor.stdout
    assert [line.split()[0] for line in doctor.stdout.splitlines()].count("ok") == 6
    assert [code for code, _ in stopped] == [0, 0, 0, 0]
    for process in (web, *others):
        assert "Traceback" not in process.rest
        assert not LINK.search(process.rest)


def test_up_with_postgresql_alone_works_in_its_own_process(tmp_path: Path, postgres_url: str) -> None:
    installation = Installation(tmp_path / "data", postgres_url)
    with installation.started("up", "--port", "0") as process:
        assert isinstance(process, Server)
        assert process.sign_in()[0] == 200
        installation.start_a_run()
        eventually(lambda: installation.value("SELECT state FROM agents_run") == "done", patience=30)
        code, seconds = process.stop()

    assert code == 0
    assert seconds < 5
    assert not (installation.data / "memdash.sqlite3").exists()
