"""Three-way merge of texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.diffs import Conflict, merge, split_lines
from memories.diffs.hunks import ended
from memories.diffs.merge import Agreed, Merge, apart, sharpened

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
    assert merge("a", "", "a\nb").text() == merge("a", "a\nb", "").text() == "b"


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


FEW_LINES = st.lists(st.sampled_from(["a", "b", "", "a\r", "\u2028"]), max_size=14)
REPEATING = st.builds(lambda lines, end: "\n".join(lines) + end, FEW_LINES, st.sampled_from(["", "\n"]))


def side_in(merged: Merge, side: str) -> str:
    """Return the text of a side as it can be put together again from what the merge says and shows of it."""
    lines: list[str] = []
    for part in merged.parts:
        if isinstance(part, Conflict):
            lines += part.ours if side == "ours" else part.theirs
        else:
            lines += part.lines if part.by in (side, "both", "none") else part.base
    return "".join(lines)


@settings(max_examples=300)
@given(REPEATING, REPEATING, REPEATING)
def test_each_side_stands_whole_in_the_merge_however_its_lines_repeat(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)

    for each in (merged, sharpened(merged)):
        # A line of a side is in the result, or in a conflict, or the other side alone replaced it.
        assert side_in(each, "ours") == ended(ours)
        assert side_in(each, "theirs") == ended(theirs)
    assert "".join(line for part in merged.parts for line in part.base) == ended(base)
