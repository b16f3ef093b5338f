"""The few rules about code that a script can check: words that must not occur, long lines, large changes."""

import re
from dataclasses import dataclass

from agents.demo.reading import Document
from agents.demo.scripts.questions import plain

CODE_READ = 200_000
PLACES_NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says about the code: the rule as it is written, whether it is broken, and the verdict in words."""

    rule: str
    verdict: str
    is_broken: bool = False

    def __str__(self) -> str:
        return f"{self.rule}: {self.verdict}"


def findings(rules: Document | None, code: str) -> list[Finding]:
    """Return what each rule, a list item of its file, says about ``code``; of a diff, the added lines are checked."""
    texts = [plain(line) for line in rules.lines if line.startswith("- ")] if rules else []
    lines = _lines_to_check(code[:CODE_READ])
    return [_finding(text, lines) if code else Finding(text, "no code came with the message") for text in texts]


def _finding(rule: str, lines: list[tuple[int, str]]) -> Finding:
    if match := re.search(r"\b(?:no|never|avoid|without)\b.*?`([^`]+)`", rule, re.IGNORECASE):
        return _by_line(rule, [number for number, line in lines if match[1] in line])
    if match := re.search(r"(\d{1,6}) characters", rule):
        return _by_line(rule, [number for number, line in lines if len(line) > int(match[1])])
    if match := re.search(r"\bat most (\d{1,6}) (?:changed )?lines", rule):
        is_broken = len(lines) > int(match[1])
        return Finding(rule, f"{'broken' if is_broken else 'kept'}, lines here: {len(lines)}", is_broken)
    return Finding(rule, "a script can't tell, please look yourself")


def _by_line(rule: str, numbers: list[int]) -> Finding:
    if not numbers:
        return Finding(rule, "kept")
    return Finding(rule, f"broken in line {', '.join(map(str, numbers[:PLACES_NAMED]))}", is_broken=True)


def _lines_to_check(code: str) -> list[tuple[int, str]]:
    lines = list(enumerate(code.splitlines(), 1))
    if any(line.startswith("@@") for _, line in lines):
        return [(number, line[1:]) for number, line in lines if line.startswith("+") and not line.startswith("+++")]
    return lines
