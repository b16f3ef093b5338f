"""Three-way merge of texts."""

from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Conflict, merge

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
