"""Memory outlives the program that wrote it: programs with the SDK's runner, one after the other, on one database."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.demo.server import DemoServer
from tests.support.shell import environment, memdash

MAKE_STORE = """
import django
django.setup()
from memories.store import create_store
create_store(name="Support desk", slug="support-desk")
"""


@pytest.fixture
def address() -> Iterator[str]:
    with DemoServer(pace=0) as server:
        yield server.url


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder of its own with a store named support-desk."""
    data = tmp_path_factory.mktemp("installation")
    migrated = memdash("migrate", data=data)
    assert migrated.returncode == 0, migrated.stderr
    python(data, "-c", MAKE_STORE)
    return data


def python(data: Path, *arguments: str) -> str:
    """Run a Python program on the installation to its end and return what it printed."""
    settings = environment(data, DJANGO_SETTINGS_MODULE="memdash.settings")
    ran = subprocess.run(
        [sys.executable, *arguments], env=settings, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def say(installation: Path, address: str, message: str) -> str:
    return python(installation, "-m", "tests.support.own_program", "support-desk", address, message)


def test_the_second_program_answers_from_what_the_first_has_stored(installation: Path, address: str) -> None:
    say(installation, address, "Remember that customer Acme Corp prefers email follow-ups.")

    answer = say(installation, address, "What do you know about Acme Corp?")

    assert answer == ("About Acme Corp my memory holds:\n- Prefers email follow-ups (customers/acme-corp.md, line 3)\n")


def test_work_of_one_program_is_found_and_continued_by_the_next(installation: Path, address: str) -> None:
    ticket = "Reply to ticket 4821 from Globex. The export job fails."

    first = say(installation, address, ticket)
    second = say(installation, address, ticket)

    assert "My memory had no file about Globex" in first
    assert "Ticket 4821: see progress/ticket-4821.md (customers/globex.md, line 3)" in second
