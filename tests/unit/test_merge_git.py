"""Merges compared with those of ``git merge-file``; what differs, docs/decisions/merging-texts.md explains."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from memories.diffs import line_hunks, merge
from memories.diffs.hunks import ended
from memories.diffs.merge import sharpened
from tests.support.servers import missing

CASES = 60

FEW = ("tea", "milk", "", "- a")
WORDS = {
    "told apart": (),
    "repeating": FEW,
    "moved": (),
    "crlf": (),
    "no final newline": FEW,
    "unicode": ("é", "日本", "\U0001f389 x", "e\u0301", "\u2028", "a\u0085b"),
    "empty": (),
}
"""Kinds of texts, with the lines that they are made of; where there are none, no line stands twice."""


class Git:
    """The merges and the diffs of git, in a folder for its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def merged(self, base: str, ours: str, theirs: str, *options: str) -> tuple[int, str]:
        """Return how many conflicts ``git merge-file`` finds, and the text it makes."""
        done = self._run(("merge-file", "-p", *options), ours, base, theirs)
        assert 0 <= done.returncode < 128, done.stderr
        return done.returncode, done.stdout.decode()

    def hunks(self, old: str, new: str) -> list[tuple[int, ...]]:
        """Return the changes that git merges by, as :class:`Hunk` counts lines."""
        options = ("diff", "--no-index", "-U0", "--text", "--no-indent-heuristic", "--diff-algorithm=myers")
        found = re.findall(
            rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", self._run(options, old, new).stdout, re.MULTILINE
        )
        counts = [(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in found]
        return [(a - (b > 0), b, c - (d > 0), d) for a, b, c, d in counts]

    def _run(self, command: Sequence[str], *texts: str) -> "subprocess.CompletedProcess[bytes]":
        paths = [self.folder / str(number) for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode())
        return subprocess.run(["git", *command, *paths], capture_output=True, check=False)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Return git, where it is installed."""
    if not shutil.which("git"):
        missing("git", "git is not installed")
    return Git(tmp_path)


@pytest.mark.parametrize("kind", WORDS)
def test_merges_are_those_of_git_but_where_the_decisions_say_otherwise(git: Git, kind: str) -> None:
    seen: Counter[str] = Counter()
    for number in range(CASES):
        texts = generated(Random(f"{kind} {number}"), kind)
        merged = sharpened(merge(*texts))
        # A missing final newline is a change of its own here, and for git one of the last line.
        base, ours, theirs = map(ended, texts)
        whole = sharpened(merge(base, ours, theirs))
        assert [part.__class__ for part in merged.parts] == [part.__class__ for part in whole.parts]
        assert merged.text() == (whole.text().removesuffix("\n") if ends_open(*texts) else whole.text())

        conflicts, text = git.merged(base, ours, theirs)

        if not same_changes(git, base, ours, theirs):
            # With lines that stand more than once, each may see another of them as the one that stayed.
            assert WORDS[kind], texts
            seen["seen otherwise"] += 1
        elif whole.conflicts:
            # Whatever is asked here, git asks as well, and about the same lines where changes keep apart.
            assert conflicts, texts
            if not touching(base, ours, theirs):
                assert git.merged(base, ours, theirs, "--ours")[1] == whole.text(), texts
                assert git.merged(base, ours, theirs, "--theirs")[1] == whole.text(theirs=True), texts
            seen["asked"] += 1
        elif conflicts:
            # Git asks where changes of different lines touch each other.
            assert touching(base, ours, theirs), texts
            seen["touching"] += 1
        else:
            assert text == whole.text(), texts
            seen["alike"] += 1
    assert seen["alike"] > CASES / 3, seen
    assert seen["asked"], seen
    assert seen["touching"] or kind == "empty", seen


def generated(random: Random, kind: str) -> tuple[str, str, str]:
    """Return a text and what two sides made of it."""
    words = WORDS[kind]
    base = [f"{random.choice(words or 'abc')}{'' if words else number}\n" for number in range(random.randrange(3, 14))]
    other = "theirs" if random.random() < 0.8 else "ours"
    sides = (base, changed(random, base, kind, "ours"), changed(random, base, kind, other))
    base_text, ours, theirs = (ending(random, "".join(lines), kind) for lines in sides)
    return base_text, ours, theirs


def changed(random: Random, base: Sequence[str], kind: str, side: str) -> list[str]:
    """Return the lines after up to two changes."""
    lines = list(base)
    for number in range(random.randrange(3)):
        at, count = random.randrange(len(lines) + 1), random.randrange(1, 3)
        fresh = [f"{random.choice(WORDS[kind] or [f'{side} {number}.{n}'])}\n" for n in range(count)]
        match random.choice(["move", "move", "insert"] if kind == "moved" else ["replace", "delete", "insert", "move"]):
            case "move":
                block, lines[at : at + count] = lines[at : at + count], []
                to = random.randrange(len(lines) + 1)
                lines[to:to] = block
            case "insert":
                lines[at:at] = fresh
            case "delete":
                del lines[at : at + count]
            case _:
                lines[at : at + count] = fresh
    return lines


def ending(random: Random, text: str, kind: str) -> str:
    if kind == "crlf" and random.random() < 0.7:
        return text.replace("\n", "\r\n")
    if kind == "no final newline" and random.random() < 0.6:
        return text.removesuffix("\n")
    if kind == "empty" and random.random() < 0.4:
        return random.choice(["", "\n"])
    return text


def ends_open(base: str, ours: str, theirs: str) -> bool:
    """Say whether the merge has no final newline: as the side wants that changed it, theirs before ours."""
    was = base[-1:] not in ("", "\n")
    changed = [text[-1] != "\n" for text in (theirs, ours) if text and (text[-1] != "\n") is not was]
    return changed[0] if changed else was


def same_changes(git: Git, base: str, ours: str, theirs: str) -> bool:
    """Say whether git sees the same lines changed on both sides."""
    return all([hunk[:4] for hunk in line_hunks(base, side)] == git.hunks(base, side) for side in (ours, theirs))


def touching(base: str, ours: str, theirs: str) -> bool:
    """Say whether a change of one side begins where one of the other side's ends."""
    left, right = line_hunks(base, ours), line_hunks(base, theirs)
    return any(mine.old_end == other.old_start or other.old_end == mine.old_start for mine in left for other in right)
