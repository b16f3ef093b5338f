"""Have many processes edit one file at once, agents and people in turn, and count what came of each edit::

    uv run python -m tests.reliability.edit_rounds --processes 8 --edits 200 --mode sqlite
    uv run python -m tests.reliability.edit_rounds --processes 8 --edits 200 --mode postgres

Each process makes half of its edits as an agent, through the memory tool, and half as a person, through the editor's
page. Every edit raises the number in the file's first line and adds a line of its own, so that an edit made of a text
that is no longer there would take another one away. What is refused is counted by its reason and tried again on the
text as it is then. ``postgres`` makes a database of its own on the server of DATABASE_URL, else of this machine, and
drops it.

The last line sums it up; the exit code is 1 if an edit was lost, doubled or refused without a reason.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from uuid import UUID

from tests.reliability.processes import database
from tests.support.shell import environment, memdash

PATIENCE = 300.0
"""Seconds an edit may take with all its refusals."""

PATH = "/memories/shared.md"


def main() -> int:
    """Play, or be one of the processes, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.edit_rounds", description="Edit one file.")
    parser.add_argument("--processes", type=int, default=8, help="how many edit at once (default: %(default)s)")
    parser.add_argument("--edits", type=int, default=200, help="how many edits each makes (default: %(default)s)")
    parser.add_argument("--mode", choices=("sqlite", "postgres"), default="sqlite", help="(default: %(default)s)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    if given.worker:
        print(json.dumps(edit(given.worker, given.edits)))
        return 0
    with tempfile.TemporaryDirectory(prefix="memdash-edits-") as folder, database(given.mode, "edits") as settings:
        assert memdash("migrate", data=Path(folder), **settings).returncode == 0
        os.environ.update(environment(Path(folder), **settings))
        return play(given.processes, given.edits, given.mode)


def play(processes: int, edits: int, mode: str) -> int:
    """Have the processes edit, and compare what they say with what is stored."""
    import django

    django.setup()
    from django.contrib.auth.models import User

    from memories import store
    from memories.commands import Create
    from memories.models import MemoryVersion
    from memories.paths import MemoryPath
    from tests.support.stores import AGENT, assert_sound, files_of, new_store

    memory = new_store()
    store.apply(memory.pk, Create(MemoryPath(PATH), "count: 0\n"), actor=AGENT)
    for number in range(processes):
        User.objects.create_superuser(f"person-{number}")
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.reliability.edit_rounds", "--edits", str(edits), "--worker"]
    workers = [
        subprocess.Popen([*command, str(number)], stdout=subprocess.PIPE, text=True) for number in range(processes)
    ]
    said = [json.loads(worker.communicate()[0] or "{}") for worker in workers]
    seconds = time.monotonic() - began

    assert_sound(memory)
    text = files_of(memory)[PATH].decode()
    made = MemoryVersion.objects.filter(store=memory, number__gt=1)
    wanted = sorted(f"{number}-{edit}" for number in range(processes) for edit in range(edits))
    refused = sum((Counter(each.get("refused", {})) for each in said), Counter())
    wrong = [
        *(f"process {number} failed" for number, each in enumerate(said) if not each),
        *(["the number is not that of the edits"] if not text.startswith(f"count: {len(wanted)}\n") else []),
        *(["lines are lost or doubled"] if sorted(text.splitlines()[1:]) != wanted else []),
        *(
            f"{made.filter(actor_kind=kind).count()} versions by {kind}, {sum(each[kind] for each in said)} accepted"
            for kind in ("agent", "person")
            if all(said) and made.filter(actor_kind=kind).count() != sum(each[kind] for each in said)
        ),
        *(f"refused without a reason: {reason}" for reason in refused if reason not in REASONS),
    ]
    print("\n".join([*wrong, *(f"{count} times: {reason}" for reason, count in refused.items())]))
    print(
        f"{made.count()} edits of one file by {processes} processes ({mode}) in {seconds:.0f} s:"
        f" {made.filter(actor_kind='person').count()} by people, {refused.total()} refused and tried again,"
        f" {len(wrong)} wrong"
    )
    return 1 if wrong else 0


STALE, GONE, BUSY = "changed since it was opened", "did not appear verbatim", "busy"
REASONS = (STALE, GONE, BUSY)


def edit(worker: str, edits: int) -> dict[str, object]:
    """Make the edits of one process; return how many of each kind were accepted, and how often each refusal came."""
    import django

    django.setup()
    from django.contrib.auth.models import User

    from memories.models import MemoryEntry
    from tests.support.people import browser_of

    entry = MemoryEntry.objects.select_related("store").get(path=PATH)
    browser = browser_of(User.objects.get(username=f"person-{worker}"))
    browser.defaults["SERVER_NAME"] = "localhost"
    refused: Counter[str] = Counter()
    for number in range(edits):
        line, deadline = f"{worker}-{number}", time.monotonic() + PATIENCE
        while reason := (as_person(browser, entry.uuid, line) if number % 2 else as_agent(entry, line)):
            refused[reason] += 1
            assert time.monotonic() < deadline, f"edit {line} was refused for {PATIENCE} s"
    return {"agent": edits - edits // 2, "person": edits // 2, "refused": refused}


def as_agent(entry: object, line: str) -> str:
    """View the first line and replace it; return why that was refused, or an empty text."""
    from memories import tool
    from memories.models import MemoryEntry
    from tests.support.stores import AGENT, text_of

    assert isinstance(entry, MemoryEntry)
    seen = tool.execute(entry.store, {"command": "view", "path": PATH, "view_range": [1, 1]}, AGENT)
    found = re.search(r"count: (\d+)", text_of(seen.content))
    assert found
    call = {
        "command": "str_replace",
        "path": PATH,
        "old_str": f"{found[0]}\n",
        "new_str": f"count: {int(found[1]) + 1}\n{line}\n",
    }
    done = tool.execute(entry.store, call, AGENT)
    return why(text_of(done.content)) if done.is_error else ""


def as_person(browser: object, file: UUID, line: str) -> str:
    """Open the editor and save; return why that was refused, or an empty text."""
    from django.test import Client

    from memories.models import MemoryEntry
    from tests.support.editors import opened, shown

    assert isinstance(browser, Client)
    editor = opened(browser, MemoryEntry(uuid=file))
    first, _, rest = editor.text.partition("\n")
    answer = editor.send(f"count: {int(first.removeprefix('count: ')) + 1}\n{line}\n{rest}")
    if answer.status_code == 302:
        return ""
    if answer.status_code == 409:
        # The next try begins with the file as it is, not with what could not be saved.
        shown(answer).send(to=f"/files/{file}/draft/discard")
        return STALE
    return why(answer.content.decode())


def why(words: str) -> str:
    """Return which reason the words give, or the words themselves."""
    return next((reason for reason in REASONS if reason in words), words[:200])


if __name__ == "__main__":
    sys.exit(main())
