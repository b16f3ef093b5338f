"""A short history of agents and people whose past is had back; ``moment_rounds`` plays as long a one as you like."""

import os
import subprocess
import sys

import pytest

DONE = "15 moments rebuilt, 0 wrong"


def last_line(**addresses: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    played = subprocess.run(
        [sys.executable, "-m", "tests.reliability.moment_rounds", "--operations=90", "--moments=15", "--seed=7"],
        env={**environment, **addresses},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    return played.stdout.splitlines()[-1]


def test_the_past_of_a_store_comes_back_byte_for_byte_and_goes_again() -> None:
    assert last_line() == DONE


@pytest.mark.postgres
def test_nor_is_a_byte_lost_on_postgresql(postgres_server: str) -> None:
    assert last_line(DATABASE_URL=postgres_server) == DONE
