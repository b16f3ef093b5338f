"""The memory tool answers to the letter of its specification to programs elsewhere too."""

import subprocess
import sys

from tests.contract.conformance import CASES, cases_of


def test_every_case_holds_through_the_client_and_a_server_process() -> None:
    command = [sys.executable, "-m", "tests.contract.run_cases", str(CASES), "--door", "client"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert ran.stdout.splitlines()[-1:] == [f"{len(cases_of(CASES))} passed, 0 failed"], ran.stdout + ran.stderr
