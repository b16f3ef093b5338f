"""Play a file of conformance cases against the memory tool: ``python -m tests.contract.run_cases cases.json``.

``--door`` says by which way the calls come (:mod:`tests.contract.doors`). The database is its own: a SQLite file made
for the purpose or, when DATABASE_URL names a PostgreSQL server, a test database made there and dropped at the end. The
last line says how many cases passed.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.contract.run_cases")
    parser.add_argument("cases", type=Path, metavar="CASES.json")
    parser.add_argument("--door", default="tool", choices=["tool", "client", "http"], help="(default: %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memdash-cases-") as folder:
        os.environ["MEMDASH_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
        return _run(given.cases, given.door, Path(folder))


def _run(file: Path, door: str, folder: Path) -> int:
    import django
    from django.conf import settings

    database = settings.DATABASES["default"]
    database["TEST"] = {"NAME": str(folder / "cases.sqlite3") if "sqlite" in database["ENGINE"] else _name()}
    django.setup()
    from django.test.utils import setup_databases, teardown_databases

    from memories.store.reads import buffer as reads

    old = setup_databases(verbosity=0, interactive=False)
    try:
        return _play_all(file, door, folder)
    finally:
        reads.discard()
        teardown_databases(old, verbosity=0)


def _name() -> str:
    return f"memdash_cases_{os.getpid()}"


def _play_all(file: Path, door: str, folder: Path) -> int:
    from tests.contract.conformance import cases_of, play
    from tests.contract.doors import DOORS

    passed = failed = 0
    with DOORS[door](folder) as new_store:
        for case in cases_of(file):
            try:
                play(case, new_store)
            except Exception as failure:
                failed += 1
                print(f"FAILED {case['id']}: {case['why']}\n    {failure}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
