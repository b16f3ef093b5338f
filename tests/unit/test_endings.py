"""Line ends survive a browser, which sends every one of them as CRLF."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import as_written, with_line_feeds

TEXTS = st.text(st.sampled_from("ab\r\n"), max_size=40)


def sent(text: str) -> str:
    """Return what a form sends of a text that is shown in it."""
    return with_line_feeds(text).replace("\n", "\r\n")


@given(TEXTS)
def test_a_text_that_nobody_touched_comes_back_byte_for_byte(text: str) -> None:
    assert as_written(sent(text), text) == text


@given(TEXTS, TEXTS)
def test_whatever_is_made_of_a_text_shows_as_it_was_typed(base: str, typed: str) -> None:
    assert with_line_feeds(as_written(sent(typed), base)) == with_line_feeds(typed)


@pytest.mark.parametrize(
    ("base", "typed", "written"),
    [
        ("a\r\nb\nc\r\n", "a\nB\nc\n", "a\r\nB\nc\r\n"),
        ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\r\nb\r\n", "a\nb\nc", "a\r\nb\r\nc"),
        ("a\r\nb\r\n", "x\na\nb\n", "x\r\na\r\nb\r\n"),
        ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
        ("a\nb\n", "a\nx\nb\n", "a\nx\nb\n"),
        ("one\rline\n", "one\nLINE\n", "one\rLINE\n"),
        ("one\rline\n", "one\nmore\nline\n", "one\rmore\nline\n"),
        ("one\rline\n", "one\n\nline\n", "one\r\r\nline\n"),
        ("a\rX\n\nb\n", "a\n\nb\n", "a\r\r\nb\n"),
        ("", "new\ntext\n", "new\ntext\n"),
        ("\ufeffa\r\nb\r\n", "\ufeffa\nc\n", "\ufeffa\r\nc\r\n"),
    ],
)
def test_lines_that_were_not_edited_keep_their_ends(base: str, typed: str, written: str) -> None:
    assert as_written(sent(typed), base) == written
