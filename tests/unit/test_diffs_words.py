"""Word marks and pairs of lines."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Segment, word_marks
from memories.diffs.words import MARKED_CHARACTERS, pairs

phrases = st.lists(
    st.sampled_from(
        ["tea", "and", "milk", "12", "May", ",", ";", "- ", "é", "e\u0301", "👨\u200d👩\u200d👧", "今日", "\t"]
    ),
    max_size=12,
)
lines = phrases.map(" ".join) | phrases.map("".join) | st.text(max_size=40)


def written(segments: list[Segment]) -> str:
    """Return segments as people write them: marked ones in brackets."""
    return "".join(f"[{segment.text}]" if segment.marked else segment.text for segment in segments)


def unmarked(segments: list[Segment]) -> str:
    return "".join(segment.text for segment in segments if not segment.marked)


@given(lines, lines)
def test_marks_change_no_character_and_leave_what_both_lines_share(old: str, new: str) -> None:
    old_segments, new_segments = word_marks(old, new)

    assert "".join(segment.text for segment in old_segments) == old
    assert "".join(segment.text for segment in new_segments) == new
    if any(segment.marked for segment in old_segments + new_segments):
        assert unmarked(old_segments) == unmarked(new_segments)


@given(lines, lines)
def test_segments_are_never_empty_and_marked_ones_never_touch(old: str, new: str) -> None:
    for segments in word_marks(old, new):
        assert all(segment.text for segment in segments)
        assert all(one.marked != other.marked for one, other in itertools.pairwise(segments))


@pytest.mark.parametrize(
    ("old", "new", "old_written", "new_written"),
    [
        (
            "- SSO renewal: certificate expires 12 December",
            "- SSO certificate expires 12 December; renewal steps sent 1 December",
            "- SSO [renewal: ]certificate expires 12 December",
            "- SSO certificate expires 12 December[; renewal steps sent 1 December]",
        ),
        ("replies before 17:00", "replies before 18:00", "replies before [17]:00", "replies before [18]:00"),
        ("tea", "tea and milk", "tea", "tea[ and milk]"),
        ("call Ana on Monday", "call Bo next Monday", "call [Ana on] Monday", "call [Bo next] Monday"),
        ("a  b", "a b", "a[  ]b", "a[ ]b"),
        ("今日は晴れ", "明日は晴れ", "[今]日は晴れ", "[明]日は晴れ"),
        ("go 👨\u200d👩\u200d👧 now", "go 👨\u200d👩 now", "go [👨\u200d👩\u200d👧] now", "go [👨\u200d👩] now"),
        ("le cafe\u0301 noir", "le cafe noir", "le [cafe\u0301] noir", "le [cafe] noir"),
        ("nothing alike here", "some other words", "nothing alike here", "some other words"),
        ("same", "same", "same", "same"),
        ("", "new", "", "new"),
    ],
)
def test_marks_cover_the_words_that_changed(old: str, new: str, old_written: str, new_written: str) -> None:
    old_segments, new_segments = word_marks(old, new)

    assert (written(old_segments), written(new_segments)) == (old_written, new_written)


def test_a_line_over_the_limit_is_not_marked() -> None:
    old, new = "word " * (MARKED_CHARACTERS // 5), "word " * (MARKED_CHARACTERS // 5) + "x"

    assert word_marks(old, new) == ([Segment(old)], [Segment(new)])
    assert written(word_marks(old, old[:-5] + "last ")[1]).endswith("[last] ")


@given(st.lists(lines, max_size=8), st.lists(lines, max_size=8))
def test_pairs_name_every_line_once_and_in_order(old: list[str], new: list[str]) -> None:
    sides = pairs(old, new)

    assert [number for number, _ in sides if number is not None] == list(range(len(old)))
    assert [number for _, number in sides if number is not None] == list(range(len(new)))
    assert (None, None) not in sides


def test_a_changed_line_stands_beside_its_new_form_although_a_line_was_put_above_it() -> None:
    old = ["- ship on Friday\n", "- ask Ana for the key\n"]
    new = ["- nothing like it\n", "- ship on Monday\n", "- ask Ana and Bo for the key\n"]

    assert pairs(old, new) == [(None, 0), (0, 1), (1, 2)]


def test_lines_with_nothing_in_common_stand_beside_each_other_as_they_fall() -> None:
    assert pairs(["a\n", "b\n", "c\n"], ["x\n"]) == [(0, 0), (1, None), (2, None)]
