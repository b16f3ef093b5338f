"""``python -m tests.benchmarks [NAME …]`` measures, prints a line for each bar, and fails when one is missed."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import api, diffs, moments, pages, search, start, texts, watch
from tests.benchmarks.measure import Line
from tests.benchmarks.subject import product
from tests.benchmarks.tool import PlainFiles, comparison, grown


def tool() -> Iterator[Line]:
    """Compare the memory tool with plain files, and a small store with a large one."""
    with TemporaryDirectory(prefix="memdash-benchmark-") as name:
        folder = Path(name)
        subject = product(folder / "memdash")
        print(f"durable: {subject.durable}")
        yield from comparison(subject, PlainFiles(folder / "plain"))
        subject.close()
        small, large = product(folder / "small"), product(folder / "large")
        yield from grown(small, large)
        small.close()
        large.close()


BENCHMARKS: dict[str, Callable[[], Iterable[Line]]] = {
    "tool": tool,
    "diffs": diffs.lines,
    "texts": texts.lines,
    "pages": pages.lines,
    "moments": moments.lines,
    "search": search.lines,
    "api": api.lines,
    "start": start.lines,
    "watch": watch.lines,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    known = ", ".join(BENCHMARKS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {known}; everything by default")
    names = parser.parse_args().names or [*BENCHMARKS]
    if unknown := sorted({*names} - {*BENCHMARKS}):
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {known}")
    missed = 0
    for name in names:
        for line in BENCHMARKS[name]():
            print(line, flush=True)
            missed += not line.passed
    print(f"{missed} bars missed")
    return min(missed, 1)


sys.exit(main())
