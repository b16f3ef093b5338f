"""A few rounds of ending the worker; ``kill_rounds`` plays as many as one likes."""

import os
import subprocess
import sys

import pytest


def last_line(*options: str, **addresses: str) -> str:
    program = [sys.executable, "-m", "tests.reliability.kill_rounds"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    played = subprocess.run(
        [*program, "--seed=7", *options],
        env={**environment, **addresses},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    return played.stdout.splitlines()[-1]


def test_runs_of_a_killed_process_end_as_undisturbed_ones_do() -> None:
    said = last_line("--mode=embedded", "--rounds=3")

    assert said.startswith("3 rounds (embedded): 6 runs")
    assert said.endswith("0 ended otherwise than undisturbed ones")


@pytest.mark.postgres
@pytest.mark.redis
def test_runs_of_a_worker_that_is_killed_or_told_to_stop_end_as_undisturbed_ones_do(
    postgres_server: str, redis_url: str
) -> None:
    for number in ("KILL", "TERM"):
        options = ("--mode=redis", "--rounds=1", f"--signal={number}")
        said = last_line(*options, DATABASE_URL=postgres_server, REDIS_URL=redis_url)

        assert said.endswith("0 ended otherwise than undisturbed ones")
