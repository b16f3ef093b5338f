"""A few rounds of killing the worker; ``kill_rounds`` plays as many as one likes."""

import os
import subprocess
import sys

import pytest


def last_line(mode: str, rounds: int, **addresses: str) -> str:
    program = [sys.executable, "-m", "tests.reliability.kill_rounds"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    played = subprocess.run(
        [*program, f"--mode={mode}", f"--rounds={rounds}", "--seed=7"],
        env={**environment, **addresses},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    return played.stdout.splitlines()[-1]


def test_runs_of_a_killed_process_end_as_undisturbed_ones_do() -> None:
    said = last_line("embedded", 3)

    assert said.startswith("3 rounds (embedded): 6 runs")
    assert said.endswith("0 ended otherwise than undisturbed ones")


@pytest.mark.postgres
@pytest.mark.redis
def test_runs_of_a_killed_worker_end_as_undisturbed_ones_do(postgres_server: str, redis_url: str) -> None:
    said = last_line("redis", 2, DATABASE_URL=postgres_server, REDIS_URL=redis_url)

    assert said.endswith("0 ended otherwise than undisturbed ones")
