"""Kill the worker at random moments, again and again, and compare what comes of its runs with undisturbed ones::

    uv run python -m tests.reliability.kill_rounds --rounds 100 --mode embedded
    uv run python -m tests.reliability.kill_rounds --rounds 100 --mode redis

``embedded`` kills ``memdash up``, the whole process, on SQLite. ``redis`` kills ``memdash worker -Q runs`` beside a
beat and a worker of the other queue, on PostgreSQL and Redis: those of DATABASE_URL and REDIS_URL, else the usual ones
of this machine; it makes a database of its own there and drops it.

In each round every scenario of the demo model begins a run of its own on a store of its own, and SIGKILL comes at a
moment drawn from the time that the runs take. A process that starts afterwards has to bring them to the very same end:
the same files and versions, the same reads, and the same conversation in roles, blocks and tool results.

The last line sums it up; the exit code is 1 if anything was lost, doubled or different.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.reliability.processes import Embedded, Installation, Separate

SETTINGS = {
    "MEMDASH_LEASE_SECONDS": "3",
    "MEMDASH_RENEW_SECONDS": "1",
    "MEMDASH_RECONCILE_SECONDS": "1",
    "MEMDASH_DEMO_PACE": "0.003",
}
PATIENCE = 120.0
MODES = {"embedded": Embedded, "redis": Separate}


def main() -> int:
    """Play the rounds and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.kill_rounds", description="Kill and compare.")
    parser.add_argument("--rounds", type=int, default=100, help="how often to kill (default: %(default)s)")
    parser.add_argument("--mode", choices=sorted(MODES), default="embedded", help="what to kill (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the random moments")
    given = parser.parse_args()
    print(f"{given.rounds} rounds, {given.mode}, seed {given.seed}", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="memdash-kill-") as folder,
        MODES[given.mode](Path(folder), SETTINGS) as installation,
    ):
        os.environ.update(installation.environment)
        os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
        import django

        django.setup()
        return play(installation, given.rounds, random.Random(given.seed), given.mode)


def play(installation: Installation, rounds: int, chance: random.Random, mode: str) -> int:
    """Play ``rounds`` and print what came of them; return 1 if any run ended otherwise than an undisturbed one."""
    from tests.reliability.outcomes import Outcome, begin, difference, finished, still_live

    installation.start()
    finished(begin(), patience=PATIENCE)  # the first runs of a process wait for the SDK to be loaded
    began = time.monotonic()
    expected = [Outcome.of(run) for run in finished(begin(), patience=PATIENCE)]
    lasts = time.monotonic() - began
    interrupted, faults = 0, []
    for number in range(1, rounds + 1):
        runs = begin()
        time.sleep(chance.uniform(0, lasts))
        installation.kill()
        interrupted += still_live(runs)
        installation.start()
        found = [
            f"round {number}, {run.agent.name}: {what}"
            for run, outcome in zip(finished(runs, patience=PATIENCE), expected, strict=True)
            if (what := difference(outcome, Outcome.of(run)))
        ]
        faults += found
        print("\n".join([f"round {number}: {len(runs)} runs ended", *found]), flush=True)
    print(
        f"{rounds} rounds ({mode}): {rounds * len(expected)} runs, {interrupted} of them killed in mid-run,"
        f" {len(faults)} ended otherwise than undisturbed ones",
        flush=True,
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
