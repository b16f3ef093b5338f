"""A few edits of one file by several processes; ``edit_rounds`` makes as many as one likes."""

import os
import subprocess
import sys

import pytest


def last_line(mode: str, **addresses: str) -> str:
    options = ["--processes=3", "--edits=8", f"--mode={mode}"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    played = subprocess.run(
        [sys.executable, "-m", "tests.reliability.edit_rounds", *options],
        env={**environment, **addresses},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    return played.stdout.splitlines()[-1]


def test_no_edit_of_agents_and_people_is_lost_when_they_edit_one_file_at_once() -> None:
    said = last_line("sqlite")

    assert said.startswith("24 edits of one file by 3 processes (sqlite)")
    assert ": 12 by people, " in said
    assert said.endswith("0 wrong")


@pytest.mark.postgres
def test_nor_on_postgresql(postgres_server: str) -> None:
    said = last_line("postgres", DATABASE_URL=postgres_server)

    assert said.startswith("24 edits of one file by 3 processes (postgres)")
    assert said.endswith("0 wrong")
