"""How long showing the texts takes that were made to be slow."""

import json
from collections.abc import Callable
from pathlib import Path

from memdash.web.hidden_text import label
from memdash.web.markdown import LONGEST, render
from tests.benchmarks.measure import Line, processor_time

SLOW = json.loads((Path(__file__).parents[1] / "data/security/slow_inputs.json").read_text())
ROUNDS = 3
MEGABYTE_MS = 1_000


def lines() -> list[Line]:
    """Measure the slowest text of each way to show one; all are of 1 MB, and none may take more than a second."""
    texts = [case["unit"] * case["repeat"] + case["suffix"] for case in SLOW]
    return [
        slowest("labels of 1 MB of hostile text", label, texts),
        slowest("hostile Markdown, 1 MB as plain text", render, texts),
        slowest("hostile Markdown, the longest that is parsed", render, [text[:LONGEST] for text in texts]),
    ]


def slowest(name: str, show: Callable[[str], object], texts: list[str]) -> Line:
    """Return the line of the text that takes longest."""

    def measured(text: str) -> Line:
        return processor_time(name, MEGABYTE_MS, lambda _: show(text), ROUNDS)

    return max(map(measured, texts), key=lambda line: line.value)
