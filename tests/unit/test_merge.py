"""Three-way merge of texts."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.diffs import Conflict, line_hunks, merge, split_lines
from memories.diffs.merge import Agreed, apart, sharpened
from tests.support.servers import missing

Edits = list[tuple[str, int, int]]

LINES = st.lists(st.sampled_from("abcdef"), max_size=7)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def test_changes_of_different_lines_are_both_taken() -> None:
    merged = merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc\nd\n")

    assert merged.conflicts == ()
    assert merged.text() == "A\nb\nc\nd\n"


def test_changes_that_touch_are_no_conflict() -> None:
    assert merge("a\nb\n", "A\nb\n", "a\nB\n").text() == "A\nB\n"
    assert merge("a\nb\n", "a\nnew\nb\n", "a\nB\n").text() == "a\nnew\nB\n"


def test_changes_of_the_same_lines_are_left_to_a_person() -> None:
    merged = merge("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")

    assert merged.conflicts == (Conflict(("b\n",), ("mine\n",), ("theirs\n",)),)
    assert merged.text() == "a\nmine\nc\n"
    assert merged.text(theirs=True) == "a\ntheirs\nc\n"


def test_two_insertions_at_one_place_are_a_conflict_unless_they_are_equal() -> None:
    assert merge("a\n", "a\nmine\n", "a\ntheirs\n").conflicts
    assert merge("a\n", "a\nboth\n", "a\nboth\n").text() == "a\nboth\n"


def test_a_final_newline_that_one_side_took_away_or_added_is_kept_so() -> None:
    assert merge("a\nb\n", "a\nb", "A\nb\n").text() == "A\nb"
    assert merge("a\nb", "a\nB", "a\nb\n").text() == "a\nB\n"


@given(TEXTS, TEXTS)
def test_a_side_that_left_the_text_alone_yields_to_the_other(base: str, changed: str) -> None:
    assert merge(base, changed, base).text() == changed
    assert merge(base, base, changed).text(theirs=True) == changed
    assert merge(base, changed, changed).text() == changed


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_appears_that_neither_side_has(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)

    known = {*base.splitlines(), *ours.splitlines(), *theirs.splitlines()}
    assert set(merged.text().splitlines()) <= known
    if not merged.conflicts:
        assert merged.text() == merged.text(theirs=True)
        assert merge(base, theirs, ours).conflicts == ()


EDITS = st.lists(
    st.tuples(st.sampled_from(("replace", "delete", "insert")), st.integers(0, 11), st.integers(1, 3)), max_size=4
)


def edited(base: list[str], edits: Edits, side: str) -> str:
    """Return the text after some edits, each line of which can be told from every other."""
    lines = list(base)
    for number, (kind, place_at, count) in enumerate(edits):
        at = min(place_at, len(lines))
        fresh = [f"{side} {number}.{place}\n" for place in range(count)]
        lines[at : at + (0 if kind == "insert" else count)] = [] if kind == "delete" else fresh
    return "".join(lines)


@settings(max_examples=300)
@given(st.integers(0, 12), EDITS, EDITS)
def test_no_text_of_either_side_is_lost_without_a_choice(length: int, left: Edits, right: Edits) -> None:
    base = [f"base {number}\n" for number in range(length)]
    ours, theirs = edited(base, left, "ours"), edited(base, right, "theirs")

    merged = sharpened(merge("".join(base), ours, theirs))

    settled = [line for part in merged.parts if isinstance(part, Agreed) for line in part.lines]
    shown = {line for conflict in merged.conflicts for side in (conflict.ours, conflict.theirs) for line in side}
    for text, other in ((ours, theirs), (theirs, ours)):
        for line in split_lines(text):
            was_deleted = line in base and line not in split_lines(other)
            assert line in settled or line in shown or was_deleted, line
    # What nobody touched stands once, and nothing that both deleted comes back.
    both = set(split_lines(ours)) & set(split_lines(theirs))
    assert all(settled.count(line) == 1 for line in both if line in settled)
    assert not set(settled) - set(split_lines(ours)) - set(split_lines(theirs))
    assert all(conflict.ours != conflict.theirs for conflict in merged.conflicts)
    assert merged.text() == merge("".join(base), ours, theirs).text()


@given(TEXTS, TEXTS, TEXTS)
def test_what_both_sides_of_a_conflict_have_alike_is_settled(base: str, ours: str, theirs: str) -> None:
    whole = merge(base, ours, theirs)
    merged = sharpened(whole)

    assert (merged.text(), merged.text(theirs=True)) == (whole.text(), whole.text(theirs=True))
    for conflict in merged.conflicts:
        assert conflict.ours[:1] != conflict.theirs[:1] and conflict.ours[-1:] != conflict.theirs[-1:]


@given(TEXTS, TEXTS)
def test_texts_of_unknown_origin_give_a_conflict_for_each_difference(ours: str, theirs: str) -> None:
    merged = apart(ours, theirs)

    assert merged.text().removesuffix("\n") == ours.removesuffix("\n")
    assert merged.text(theirs=True).removesuffix("\n") == theirs.removesuffix("\n")


def git_merged(folder: Path, *texts: str) -> tuple[int, str]:
    """Return how many conflicts ``git merge-file`` finds in ours, base and theirs, and the text it makes."""
    paths = [folder / name for name in ("ours", "base", "theirs")]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    done = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, check=False)
    assert 0 <= done.returncode < 128, done.stderr
    return done.returncode, done.stdout.decode()


def test_merges_equal_those_of_git_but_where_the_decisions_say_otherwise(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        missing("git", "git is not installed")
    random = Random(20261203)
    seen: Counter[str] = Counter()
    for _ in range(240):
        base = [f"{random.choice('abc')}{number}\n" for number in range(random.randrange(4, 14))]
        left, right = (
            [
                (random.choice(("replace", "delete", "insert")), random.randrange(12), random.randrange(1, 3))
                for _ in range(2)
            ]
            for _ in range(2)
        )
        ours, theirs = edited(base, left, "ours"), edited(base, right, "theirs" if random.random() < 0.8 else "ours")
        merged = sharpened(merge("".join(base), ours, theirs))

        conflicts, text = git_merged(tmp_path, ours, "".join(base), theirs)

        if not merged.conflicts and not conflicts:
            assert merged.text() == text
            seen["alike"] += 1
        elif not merged.conflicts:
            # Git asks where changes of different lines touch each other.
            assert touching("".join(base), ours, theirs), (base, ours, theirs)
            seen["touching"] += 1
        else:
            # Whatever is asked here, git asks as well.
            assert conflicts, (base, ours, theirs)
            seen["asked"] += 1
    assert min(seen[kind] for kind in ("alike", "touching", "asked")) > 20, seen


def touching(base: str, ours: str, theirs: str) -> bool:
    """Say whether a change of one side begins where one of the other side's ends."""
    left, right = line_hunks(base, ours), line_hunks(base, theirs)
    return any(mine.old_end == other.old_start or other.old_end == mine.old_start for mine in left for other in right)
