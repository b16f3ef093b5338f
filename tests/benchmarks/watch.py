"""What following a folder costs while nothing happens in it, and how soon a change in it is a version."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Line
from tests.support.watching import Watched

FILES = 9_990
PER_DIRECTORY = 100
IDLE_PERCENT = 2
IDLE_SECONDS = 30
SETTLE_SECONDS = 5
SECONDS = 2
CHANGES = 9


def lines() -> Iterator[Line]:
    """Follow a folder of 10,000 files with a process of its own."""
    with TemporaryDirectory(prefix="memdash-watch-") as name:
        watched = Watched(Path(name))
        for number in range(FILES):
            watched.put(f"{number // PER_DIRECTORY:03}/file-{number:05}.md", f"- tea, number {number}\n")
        began = time.perf_counter()
        with watched.watching() as process:
            took = time.perf_counter() - began
            time.sleep(SETTLE_SECONDS)
            before, began = _processor_seconds(process.popen.pid), time.perf_counter()
            time.sleep(IDLE_SECONDS)
            used = _processor_seconds(process.popen.pid) - before
            share = 100 * used / (time.perf_counter() - began)
            detail = f"{used * 1000:,.0f} ms in {IDLE_SECONDS} s; the first look took {took:.0f} s"
            yield Line("following 10,000 files at rest, share of a core", IDLE_PERCENT, share, " %", detail)
            waits = [_wait(watched, number) for number in range(CHANGES)]
        yield Line(
            "a change among 10,000 files becomes a version", SECONDS, median(waits), " s", f"worst {max(waits):.2f}"
        )


def _wait(watched: Watched, number: int) -> float:
    """Return how long after it was written a change of a file is in the store."""
    text = f"changed for the {number}th time\n"
    asked = f"SELECT count(*) FROM memories_memoryversion WHERE size = {len(text)} AND number > 1"
    ((before,),) = watched.ask(asked)
    watched.put(f"{number:03}/file-{number * PER_DIRECTORY:05}.md", text)
    return watched.soon(lambda: watched.ask(asked) == [(before + 1,)])


def _processor_seconds(process: int) -> float:
    """Return the seconds of processor time, its own and the system's for it, that a process has used."""
    facts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")
