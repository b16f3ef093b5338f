"""``memdash`` as an operator runs it: a process with an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from memdash.cli import main; main()"]
OURS = ("MEMDASH_", "DATABASE_URL", "REDIS_URL", "ANTHROPIC_", "DJANGO_SETTINGS_MODULE")


def environment(data: Path, **settings: str) -> dict[str, str]:
    """Return this process's environment without any setting of ours but the ones given."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**inherited, "MEMDASH_DATA": str(data), **settings}


def memdash(*arguments: str, data: Path, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return what it said."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        env=environment(data, **settings),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
