"""Hunks between texts: true for every input, readable for ordinary ones, bounded for hostile ones."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Hunk, carried, line_hunks, line_spans, split_lines
from memories.diffs.alignment import longest_common, sequence_hunks

SLOW_INPUTS = json.loads((Path(__file__).parents[1] / "data/security/slow_inputs.json").read_text(encoding="utf-8"))

few_lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "one two\n", "a\r\n", "a\u2028b\n"]), max_size=12)
endings = st.sampled_from(["", "a", "last", "\r"])
texts = st.builds(lambda lines, ending: "".join(lines) + ending, few_lines, endings) | st.text(max_size=60)


def applied(old: str, hunks: list[Hunk], new: str) -> str:
    return "".join(carried(split_lines(old), hunks, split_lines(new).__getitem__))


@given(texts)
def test_the_lines_of_a_text_join_to_the_text_and_end_on_the_line_feed_alone(text: str) -> None:
    lines = split_lines(text)

    assert "".join(lines) == text
    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines[:-1])
    assert len(lines) == text.count("\n") + (not text.endswith("\n") if text else 0)


@given(texts, texts)
def test_the_hunks_turn_the_old_text_into_the_new_one(old: str, new: str) -> None:
    assert applied(old, line_hunks(old, new), new) == new


@given(texts, texts)
def test_hunks_stand_in_order_and_apart_and_say_nothing_twice(old: str, new: str) -> None:
    hunks = line_hunks(old, new)
    old_lines, new_lines = split_lines(old), split_lines(new)

    for hunk in hunks:
        assert hunk.old_count or hunk.new_count
        assert old_lines[hunk.old_start : hunk.old_end] != new_lines[hunk.new_start : hunk.new_end]
    for before, after in itertools.pairwise(hunks):
        assert after.old_start - before.old_end == after.new_start - before.new_end > 0


@given(few_lines, few_lines)
def test_the_common_part_of_a_gap_is_as_long_as_one_can_be(old_lines: list[str], new_lines: list[str]) -> None:
    longest = [[0] * (len(new_lines) + 1) for _ in range(len(old_lines) + 1)]
    for i, old in enumerate(old_lines):
        for j, new in enumerate(new_lines):
            longest[i + 1][j + 1] = max(longest[i][j + 1], longest[i + 1][j], longest[i][j] + (old == new))

    old_numbers, new_numbers = longest_common(
        ["x", *old_lines], [*new_lines, "x"], (1, len(old_lines) + 1, 0, len(new_lines))
    )

    assert len(old_numbers) == longest[-1][-1]
    assert [old_lines[number - 1] for number in old_numbers] == [new_lines[number] for number in new_numbers]
    assert list(old_numbers) == sorted(set(old_numbers)) and list(new_numbers) == sorted(set(new_numbers))


@given(texts)
def test_a_text_has_no_hunks_with_itself(text: str) -> None:
    assert line_hunks(text, text) == []


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("", "a\nb\n", [Hunk(0, 0, 0, 2)]),
        ("a\nb\n", "", [Hunk(0, 2, 0, 0)]),
        ("a\nb\nc\n", "a\nB\nc\n", [Hunk(1, 1, 1, 1)]),
        ("a\n", "a\nb\n", [Hunk(1, 0, 1, 1)]),
        ("a", "a\n", [Hunk(0, 1, 0, 1)]),
        ("x\na", "x\na\n", [Hunk(1, 1, 1, 1)]),
        ("a\nb", "b", [Hunk(0, 1, 0, 0)]),
        ("a\n", "\na\n", [Hunk(0, 0, 0, 1)]),
        ("a\r\nb\n", "a\nb\n", [Hunk(0, 1, 0, 1)]),
        ("a\u2028b\n", "a\u2028c\n", [Hunk(0, 1, 0, 1)]),
    ],
)
def test_small_changes_have_the_hunks_a_person_would_name(old: str, new: str, hunks: list[Hunk]) -> None:
    assert line_hunks(old, new) == hunks


def test_a_new_section_is_one_hunk_although_its_lines_stand_elsewhere_too() -> None:
    old = "# A\n\n- tea\n\n# C\n\n- tea\n"
    new = "# A\n\n- tea\n\n# B\n\n- tea\n\n# C\n\n- tea\n"

    assert line_hunks(old, new) == [Hunk(4, 0, 4, 4)]


def test_unique_lines_hold_a_moved_block_together() -> None:
    body = [f"line {number}\n" for number in range(20)]
    moved = ["{\n", "first\n", "}\n"]

    hunks = sequence_hunks(moved + body, body + moved)

    assert hunks == [Hunk(0, 3, 0, 0), Hunk(23, 0, 20, 3)]


@given(texts, texts)
def test_spans_keep_the_author_of_a_line_that_only_gained_its_final_newline(old: str, new: str) -> None:
    def with_end(text: str) -> str:
        return text + "\n" if text and not text.endswith("\n") else text

    assert line_spans(old, new) == line_hunks(with_end(old), with_end(new))
    assert line_spans("a\nb", "a\nb\nc\n") == [Hunk(2, 0, 2, 1)]


def test_carried_says_who_wrote_each_line() -> None:
    old, new = "one\ntwo\nthree\n", "one\n2\nthree\nfour\n"

    assert carried(["ana", "ana", "bo"], line_hunks(old, new), lambda number: "cy") == ["ana", "cy", "bo", "cy"]


@given(few_lines, few_lines, st.integers(0, 300))
def test_hunks_found_with_little_effort_are_larger_and_still_true(old: list[str], new: list[str], effort: int) -> None:
    hunks = sequence_hunks(old, new, effort=effort)

    assert carried(old, hunks, new.__getitem__) == new


class Watched(str):
    """A line that counts how often any line was looked at."""

    __slots__ = ()
    looks = 0

    def __eq__(self, other: object) -> bool:
        Watched.looks += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Watched.looks += 1
        return str.__hash__(self)


def shuffled(count: int) -> list[str]:
    return [str(number * 7_919 % count) for number in range(count)]


def cascade(count: int, filler: str) -> list[str]:
    """Return lines of which one is unique, and only what lies before it makes the next one repeated."""
    return [line for i in range(count // 3) for line in (str(i + 1), str(i), filler)] + [str(count // 3)]


HOSTILE: dict[str, Callable[[int], tuple[list[str], list[str]]]] = {
    "reversed": lambda n: ([str(i) for i in range(n)], [str(i) for i in reversed(range(n))]),
    "shuffled": lambda n: ([str(i) for i in range(n)], shuffled(n)),
    "two lines only": lambda n: (["a", "b", "b"] * (n // 3), ["b", "a"] * (n // 2)),
    "one line only": lambda n: (["a"] * n, ["b", *["a"] * (n // 2), "c"]),
    "each anchor uncovers one more": lambda n: (cascade(n, "x"), cascade(n, "y")),
    "a small gap after each anchor": lambda n: (
        [line for i in range(n // 5) for line in (str(i), "a", "b", "a", "b")],
        [line for i in range(n // 5) for line in (str(i), "b", "a", "c", "a")],
    ),
    "every second line replaced": lambda n: (
        [str(i) for i in range(n)],
        [str(i) if i % 2 else "x" for i in range(n)],
    ),
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_no_shape_of_text_makes_a_comparison_look_at_lines_more_often_than_its_effort_allows(shape: str) -> None:
    lines, effort = 6_000, 20_000
    old, new = HOSTILE[shape](lines)
    Watched.looks = 0

    hunks = sequence_hunks([Watched(line) for line in old], [Watched(line) for line in new], effort=effort)

    # The last gap that is looked into may overdraw the effort by its own size.
    assert Watched.looks <= 8 * (effort + len(old) + len(new))
    assert carried(old, hunks, new.__getitem__) == new


@pytest.mark.parametrize("shape", HOSTILE)
def test_the_looks_at_lines_grow_no_faster_than_the_text(shape: str) -> None:
    looks = []
    for lines in (1_000, 4_000):
        old, new = HOSTILE[shape](lines)
        Watched.looks = 0
        sequence_hunks([Watched(line) for line in old], [Watched(line) for line in new], effort=20 * lines)
        looks.append(Watched.looks)

    assert looks[1] <= 5 * looks[0]


def test_a_gap_without_anchors_that_is_too_large_for_a_common_part_counts_as_rewritten() -> None:
    old, new = ["a", "b", "c"] * 3_000, ["b", "d", "a"] * 3_000

    assert sequence_hunks(old, new) == [Hunk(0, 9_000, 0, 9_000)]
    assert sequence_hunks(old[:900], new[:900], effort=5_000) == [Hunk(0, 900, 0, 900)]
    assert len(sequence_hunks(old[:900], new[:900])) > 1


@pytest.mark.parametrize("row", SLOW_INPUTS, ids=lambda row: row["id"])
def test_inputs_made_to_be_slow_are_compared_truly(row: dict[str, str | int]) -> None:
    unit, repeat, suffix = str(row["unit"]), int(row["repeat"]), str(row["suffix"])
    text = unit * repeat + suffix
    others = [unit * (repeat // 2) + "x" + unit * (repeat // 3) + "\n", text[::-1], "\n".join([unit] * 1_000)]

    for other in others:
        assert applied(text, line_hunks(text, other), other) == other
