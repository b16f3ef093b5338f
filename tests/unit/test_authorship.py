"""Who wrote each line, from the hunks of all versions."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Hunk, attributed, from_origin, line_spans, traced
from memories.diffs.authorship import FEW, Step

LINES = st.lists(st.sampled_from("abcdef"), max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


def test_a_line_belongs_to_the_version_that_brought_it() -> None:
    steps = [Step(1, (Hunk(0, 0, 0, 3),)), Step(2, (Hunk(1, 1, 1, 2),)), Step(3, (Hunk(0, 1, 0, 0),))]

    assert attributed(steps) == [2, 2, 1]


def test_a_line_that_came_back_belongs_to_who_wrote_it_then() -> None:
    steps = [
        Step(1, (Hunk(0, 0, 0, 2),)),
        Step(2, (Hunk(1, 1, 1, 1),)),
        Step(3, (Hunk(0, 2, 0, 0),)),
        Step(4, (Hunk(0, 0, 0, 2, 0),), origin=2),
    ]

    assert attributed(steps) == [1, 2]


def test_a_version_that_takes_only_some_lines_back_owns_the_others() -> None:
    hunks = from_origin((Hunk(0, 1, 0, 3),), "new\nold\nalso new\n", "first\nold\n")

    assert hunks == (Hunk(0, 1, 0, 1), Hunk(1, 0, 1, 1, 1), Hunk(1, 0, 2, 1))


def test_a_line_is_traced_to_its_place_in_every_version_that_had_it() -> None:
    steps = [
        Step(1, (Hunk(0, 0, 0, 3),)),
        Step(2, (Hunk(0, 0, 0, 2),)),
        Step(3, ()),
        Step(4, (Hunk(4, 1, 4, 0),)),
        Step(5, (Hunk(4, 0, 4, 1, 4),), origin=3),
    ]

    assert traced(steps, 4) == {5: 4, 3: 4, 2: 4, 1: 2}
    assert traced(steps, 0) == {5: 0, 4: 0, 3: 0, 2: 0}


def test_a_line_is_also_traced_through_versions_after_the_one_it_came_back_from() -> None:
    steps = [
        Step(1, (Hunk(0, 0, 0, 2),)),
        Step(2, (Hunk(0, 0, 0, 3),)),
        Step(3, (Hunk(3, 2, 3, 0),)),
        Step(4, (Hunk(3, 0, 3, 1, 1),), origin=1),
    ]

    assert traced(steps, 3) == {1: 1, 2: 4, 4: 3}


def test_thousands_of_lines_put_in_all_over_a_long_text_are_followed_in_time() -> None:
    count = 500_000
    steps = [Step(1, (Hunk(0, 0, 0, count),))]
    for number in range(2, 6):
        # What comes in does not stand where what came in before does.
        hunks = tuple(Hunk(20 * n + number, 0, 21 * n + number, 1) for n in range(25_000))
        steps.append(Step(number, hunks))

    began = process_time()
    authors = attributed(steps)

    assert process_time() - began < 2
    assert len(authors) == count + 4 * 25_000
    assert {number: authors.count(number) for number in range(2, 6)} == dict.fromkeys(range(2, 6), 25_000)


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_few_changes_and_many_are_told_alike(count: int) -> None:
    hunks = tuple(Hunk(3 * n, 1, 4 * n, 2, n if n % 2 else None) for n in range(count))
    steps = [Step(1, (Hunk(0, 0, 0, 3 * count),)), Step(2, hunks, origin=1)]

    assert attributed(steps) == [author for n in range(count) for author in ([1, 1] if n % 2 else [2, 2]) + [1, 1]]


@given(LINES, LINES, LINES)
def test_what_is_said_to_come_from_the_origin_stands_there(old: str, new: str, origin: str) -> None:
    spans = line_spans(old, new)

    parts = from_origin(spans, new, origin)

    there = origin.splitlines()
    for part in parts:
        if part.source is not None:
            assert new.splitlines()[part.new_start : part.new_end] == there[part.source : part.source + part.new_count]
    assert sum(part.new_count for part in parts) == sum(hunk.new_count for hunk in spans)
    assert sum(part.old_count for part in parts) == sum(hunk.old_count for hunk in spans)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_each_line_stands_in_the_version_it_belongs_to(texts: list[str]) -> None:
    steps, before = [], ""
    for number, text in enumerate(texts, 1):
        steps.append(Step(number, tuple(line_spans(before, text))))
        before = text

    authors = attributed(steps)

    assert len(authors) == len(before.splitlines())
    for line, number in enumerate(authors):
        places = traced(steps, line)
        assert min(places) == number
        assert all(
            texts[version - 1].splitlines()[place] == before.splitlines()[line] for version, place in places.items()
        )
