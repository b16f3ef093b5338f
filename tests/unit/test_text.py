"""How text is counted, cut and shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.text import (
    ECHO,
    VIEW,
    count_lines,
    decoded_lines,
    echo,
    filesize,
    fitting,
    lines_between,
    lines_of,
    numbered,
    storable,
)

texts = st.text(st.sampled_from("ab\n\r\t\u2028\u0085é"), max_size=30)


@given(texts)
def test_a_text_has_as_many_lines_as_it_shows(text: str) -> None:
    lines = lines_of(text)

    assert len(lines) == count_lines(text)
    assert "\n".join(lines) == text.removesuffix("\n") or text == ""
    assert not any("\n" in line for line in lines)


@given(texts, st.data())
def test_a_range_is_that_part_of_the_lines(text: str, data: st.DataObject) -> None:
    count = count_lines(text)
    if count:
        first = data.draw(st.integers(1, count))
        last = data.draw(st.integers(first, count))

        assert lines_between(text, first, last) == lines_of(text)[first - 1 : last]
        assert decoded_lines(text.encode(), first, last) == lines_of(text)[first - 1 : last]


def test_a_range_of_a_long_text_is_that_part_of_the_lines() -> None:
    lines = ["é" * (number % 90) for number in range(700)]
    text = "\n".join(lines)

    for first in range(1, 701):
        assert decoded_lines(text.encode(), first, min(first + 2, 700)) == lines[first - 1 : first + 2]


def test_numbers_stand_in_six_columns() -> None:
    assert numbered(["a", ""], 9) == "     9\ta\n    10\t"
    assert numbered(["z"], 1_000_000) == "1000000\tz"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0B"),
        (812, "812B"),
        (1023, "1023B"),
        (1024, "1.0K"),
        (1229, "1.2K"),
        (1536, "1.5K"),
        (1048576, "1.0M"),
        (3 << 30, "3.0G"),
    ],
)
def test_sizes_are_printed_as_the_tool_does(size: int, shown: str) -> None:
    assert filesize(size) == shown


@given(st.lists(st.text("x", max_size=50), min_size=1, max_size=20), st.integers(1, 200))
def test_as_many_whole_lines_fit_as_there_is_room_for(lines: list[str], limit: int) -> None:
    shown = fitting(lines, limit)
    lengths = [len(line) + 1 for line in lines]

    assert 1 <= shown <= len(lines)
    assert shown == 1 or sum(lengths[:shown]) <= limit
    assert shown == len(lines) or sum(lengths[: shown + 1]) > limit


def test_lines_of_just_the_limit_are_shown_whole() -> None:
    assert fitting(["x" * 99] * (VIEW // 100)) == VIEW // 100


@given(st.text(st.characters()))
def test_an_echo_is_short_and_printable(value: str) -> None:
    shown = echo(value)

    assert len(shown) <= ECHO
    assert shown
    assert shown.isprintable()
    assert shown.encode()


@pytest.mark.parametrize(
    ("value", "word"), [(None, "null"), (True, "a boolean"), (1, "a number"), ([1], "a list"), ({}, "an object")]
)
def test_what_is_no_text_is_echoed_as_its_kind(value: object, word: str) -> None:
    assert echo(value) == word


@pytest.mark.parametrize(("text", "can_be"), [("a\u202e\x01é", True), ("a\0b", False), ("\ud800", False)])
def test_text_that_not_every_database_can_store_is_known(text: str, can_be: bool) -> None:
    assert storable(text) is can_be
