"""Kill the worker at random moments, again and again, and compare what comes of its runs with undisturbed ones::

    uv run python -m tests.reliability.kill_rounds --rounds 100 --mode embedded
    uv run python -m tests.reliability.kill_rounds --rounds 100 --mode redis

``embedded`` kills ``memdash up``, the whole process, on SQLite. ``redis`` kills ``memdash worker -Q runs`` beside a
beat and a worker of the other queue, on PostgreSQL and Redis: those of DATABASE_URL and REDIS_URL, else the usual ones
of this machine; it makes a database of its own there and drops it.

In each round every scenario of the demo model begins a run of its own on a store of its own, and SIGKILL (or with
``--signal TERM`` what a deploy sends) comes at a moment drawn from the time that the runs take. A process that starts
afterwards has to bring them to the very same end: the same files and versions, the same reads, and the same
conversation in roles, blocks and tool results.

The last line sums it up; the exit code is 1 if anything was lost, doubled or different.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from agents.demo import MODELS
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
    parser.add_argument(
        "--signal", choices=("KILL", "TERM"), default="KILL", help="what ends it (default: %(default)s)"
    )
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
        number = signal.Signals[f"SIG{given.signal}"]
        try:
            interrupted, wrong = play(installation, given.rounds, random.Random(given.seed), number)
        except AssertionError:
            print(installation.log.read_text()[-4000:], flush=True)
            raise
    print(
        f"{given.rounds} rounds ({given.mode}): {given.rounds * len(MODELS)} runs, {interrupted} of them interrupted,"
        f" {wrong} ended otherwise than undisturbed ones",
        flush=True,
    )
    return 1 if wrong else 0


def play(installation: Installation, rounds: int, chance: random.Random, number: signal.Signals) -> tuple[int, int]:
    """Play ``rounds``; return how many runs the signal met at work, and how many ended otherwise than they should."""
    from tests.reliability.outcomes import Outcome, begin, difference, finished, still_live

    installation.start()
    finished(begin(), patience=PATIENCE)  # the first runs of a process wait for the SDK to be loaded
    began = time.monotonic()
    expected = [Outcome.of(run) for run in finished(begin(), patience=PATIENCE)]
    lasts = time.monotonic() - began
    interrupted, wrong = 0, 0
    for played in range(1, rounds + 1):
        runs = begin()
        time.sleep(chance.uniform(0, lasts))
        installation.end(number)
        interrupted += still_live(runs)
        installation.start()
        found = [
            f"round {played}, {run.agent.name}: {what}"
            for run, outcome in zip(finished(runs, patience=PATIENCE), expected, strict=True)
            if (what := difference(outcome, Outcome.of(run)))
        ]
        wrong += len(found)
        print("\n".join([f"round {played}: {len(runs)} runs ended", *found]), flush=True)
    return interrupted, wrong


if __name__ == "__main__":
    sys.exit(main())
