"""Play a long history of three agents and two people, and prove that its past can be had back, byte for byte::

    uv run python -m tests.reliability.moment_rounds --operations 1000 --moments 50
    DATABASE_URL=postgresql://postgres@127.0.0.1/postgres uv run python -m tests.reliability.moment_rounds

The operations are all that can be done to files, at random: writing, renaming and deleting files and directories,
restoring, undoing, acts on many files, finding and replacing, taking from a moment, putting back to one, purging. What
the store held after each is kept apart, and compared:

- each of the moments, rebuilt, has every file with its path and its bytes; a purged one has its path alone;
- some of them, put back, leave just these files, and undoing that returns to the start;
- each undo among the operations, undone, returns to where it started from, and one that was told to keep what others
  wrote later keeps their lines;
- the net differences that a person is shown make of the tree they saw last the tree of now.

With a PostgreSQL server in DATABASE_URL a database of its own is made there and dropped; else SQLite is used. The last
line sums it up; the exit code is 1 if anything was wrong. The same ``--seed`` plays the same history.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.reliability.processes import database
from tests.support.shell import environment, memdash

ENOUGH = 1_000
"""Operations in which every kind of act comes about."""

PUT_BACK = 5
"""Of so many moments one is put back as well."""


def main() -> int:
    """Play and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.moment_rounds", description="Rebuild the past.")
    parser.add_argument("--operations", type=int, default=1_000, help="how many acts are tried (default: %(default)s)")
    parser.add_argument("--moments", type=int, default=50, help="how many moments are rebuilt (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which history it is (default: %(default)s)")
    given = parser.parse_args()
    mode = "postgres" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"
    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    with tempfile.TemporaryDirectory(prefix="memdash-moments-") as folder, database(mode, "moments") as settings:
        assert memdash("migrate", data=Path(folder), **settings).returncode == 0
        os.environ.update(environment(Path(folder), MEMDASH_SQLITE_SYNCHRONOUS="NORMAL", **settings))
        return play(given.operations, given.moments, given.seed, mode)


def play(operations: int, moments: int, seed: int, mode: str) -> int:
    """Play the history, look at its past, and return how it went as an exit code."""
    import django

    django.setup()
    from tests.reliability import random_acts
    from tests.reliability.histories import Broken, History
    from tests.reliability.moment_checks import news_wrong, put_back_wrong, rebuilt_wrong
    from tests.support.stores import assert_sound

    began, history = time.monotonic(), History(seed)
    wrong: list[str] = []
    asked = max(operations // moments, 1)
    for number in range(0, operations, asked):
        try:
            random_acts.play(history, min(asked, operations - number))
        except Broken as fault:
            wrong.append(str(fault))
            history.remember()
        wrong += news_wrong(history)
    if operations >= ENOUGH:
        wrong += [f"no act of this kind came about: {kind}" for kind in random_acts.ACTS if not history.done[kind]]
    chosen = sorted(history.luck.sample(list(history.taken), min(moments, len(history.taken))))
    wrong += rebuilt_wrong(history, chosen)
    wrong += put_back_wrong(history, chosen[::PUT_BACK])
    assert_sound(history.memory)
    done, refused = history.done.total(), history.refused.total()
    print("\n".join(wrong))
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(history.done.items())))
    print(
        f"{operations} operations (seed {seed}, {mode}) in {time.monotonic() - began:.0f} s: {done} done, {refused}"
        f" refused, {history.undone} undone and brought again among {history.kept} later lines of others,"
        f" {history.memory.seq} changes, {len(history.now)} files at the end,"
        f" {len(chosen[::PUT_BACK])} moments put back"
    )
    print(f"{len(chosen)} moments rebuilt, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
