"""A diff as pages show it: rows, folds, notes, pages."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Diff, Note, compact, compare, counts, line_hunks, opened_lines, split_lines
from memories.diffs.layout import Cell, Fold, Part, Row
from memories.diffs.page import COMPACT_ROWS, COMPARED_LINES, IN_CHARACTERS, PAGE_ROWS
from memories.diffs.room import LINE_CHARACTERS

SLOW_INPUTS = json.loads((Path(__file__).parents[1] / "data/security/slow_inputs.json").read_text(encoding="utf-8"))

texts = st.lists(st.sampled_from(["tea\n", "tea and milk\n", "b\n", "c\n", "\n"]), max_size=40).map("".join) | st.text(
    max_size=60
)
ranges = st.lists(
    st.tuples(st.integers(1, 50), st.integers(0, 20)).map(lambda ends: range(ends[0], sum(ends) + 1)), max_size=3
)


def numbered(count: int, start: int = 1) -> str:
    return "".join(f"line {number}\n" for number in range(start, start + count))


def text_of(cell: Cell) -> str:
    return "".join(segment.text for segment in cell.segments) + ("\n" if cell.ended else "")


def written(row: Row) -> str:
    """Return a unified row as a terminal would show it."""
    assert row.cell
    return f"{row.sign or ' '} {text_of(row.cell)}".rstrip("\n")


def shown(diff: Diff) -> list[str]:
    lines: list[str] = []
    for part in diff.parts:
        lines += [f"... {part.all}"] if isinstance(part, Fold) else [written(row) for row in part.unified]
    return lines


def every_page(old: str, new: str, opened: list[range]) -> list[Diff]:
    first = compare(old, new, opened=opened)
    return [first, *(compare(old, new, opened=opened, page=page) for page in range(2, first.pages + 1))]


@given(texts, texts, ranges)
def test_rows_and_folds_of_all_pages_make_up_both_texts(old: str, new: str, opened: list[range]) -> None:
    old_lines, new_lines = split_lines(old), split_lines(new)
    seen_old: list[str] = []
    seen_new: list[str] = []

    for diff in every_page(old, new, opened) if old != new else []:
        for part in diff.parts:
            if isinstance(part, Fold):
                assert part.count > 1
                same = new_lines[part.first - 1 : part.last]
                assert old_lines[len(seen_old) : len(seen_old) + part.count] == same
                seen_old += same
                seen_new += same
                continue
            for row in part.split:
                if row.old:
                    seen_old.append(text_of(row.old))
                    assert row.old.number == len(seen_old)
                if row.new:
                    seen_new.append(text_of(row.new))
                    assert row.new.number == len(seen_new)

    assert (seen_old, seen_new) == (([], []) if old == new else (old_lines, new_lines))


@given(texts, texts)
def test_one_column_holds_the_same_cells_as_two(old: str, new: str) -> None:
    for part in compare(old, new).parts:
        if isinstance(part, Part):
            assert [row.old for row in part.unified if row.old] == [row.old for row in part.split if row.old]
            assert [row.new for row in part.unified if row.new] == [row.new for row in part.split if row.new]


@given(texts, texts)
def test_the_counts_are_those_of_the_hunks_and_of_the_signs(old: str, new: str) -> None:
    diff = compare(old, new)
    signs = [
        row.sign
        for page in every_page(old, new, [])
        for part in page.parts
        if isinstance(part, Part)
        for row in part.unified
    ]

    assert (diff.added, diff.removed) == counts(line_hunks(old, new))
    assert (diff.added, diff.removed) == (signs.count("+"), signs.count("−"))


def test_a_change_is_shown_with_three_lines_around_it_and_the_rest_folded() -> None:
    old = numbered(40)
    new = old.replace("line 20\n", "line twenty\n")

    assert shown(compare(old, new)) == [
        "... 1-16",
        "  line 17",
        "  line 18",
        "  line 19",
        "− line 20",
        "+ line twenty",
        "  line 21",
        "  line 22",
        "  line 23",
        "... 24-40",
    ]


def test_a_fold_that_would_hide_one_line_shows_it() -> None:
    old = numbered(5)
    new = old.replace("line 5", "the end")

    assert shown(compare(old, new))[0] == "  line 1"


def test_a_fold_offers_the_lines_next_to_the_change_first() -> None:
    old = numbered(200)
    new = old.replace("line 100\n", "line hundred\n")
    above, below = (part for part in compare(old, new).parts if isinstance(part, Fold))

    assert (above.count, above.all, above.step) == (96, "1-96", "77-96")
    assert (below.count, below.all, below.step) == (97, "104-200", "104-123")


def test_opened_lines_are_shown_and_travel_in_the_address() -> None:
    old = numbered(200)
    new = old.replace("line 100\n", "line hundred\n")

    diff = compare(old, new, opened=opened_lines("77-96"))

    assert shown(diff)[:3] == ["... 1-76", "  line 77", "  line 78"]
    assert diff.opened == "77-96"
    assert compare(old, new, opened=opened_lines(diff.opened)) == diff
    assert not any(isinstance(part, Fold) for part in compare(old, new, opened=opened_lines("1-200")).parts)


@pytest.mark.parametrize("value", ["", "x", "5-3", "0-4", "1-", "-", "1-99999999", "٣-٤", "1 - 2", "<b>"])
def test_an_address_that_names_no_lines_opens_none(value: str) -> None:
    assert opened_lines(value) == []


def test_an_address_opens_a_limited_number_of_stretches() -> None:
    assert opened_lines(",6-25,,40-40,bad,7-8") == [range(6, 26), range(40, 41), range(7, 9)]
    assert len(opened_lines(",".join(["1-2"] * 1_000))) == 50


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        ("a\n", "a\n", (Note.SAME,)),
        ("a b\n", "a  b\n", (Note.WHITESPACE,)),
        ("a\n", "a\n\n", (Note.WHITESPACE,)),
        ("a\r\n", "a\n", (Note.WHITESPACE,)),
        ("a", "a\n", (Note.NEWLINE_ADDED,)),
        ("a\n", "a", (Note.NEWLINE_REMOVED,)),
        ("a\n", "a b", (Note.NEWLINE_REMOVED,)),
        ("a b", "ab\n", (Note.WHITESPACE, Note.NEWLINE_ADDED)),
        ("", "a", ()),
        ("a", "", ()),
        ("a\n", "b\n", ()),
        ("a", "b", ()),
    ],
)
def test_a_note_says_what_rows_do_not_show(old: str, new: str, notes: tuple[Note, ...]) -> None:
    assert compare(old, new).notes == notes


def test_a_rename_that_kept_the_text_says_so() -> None:
    assert compare("a\n", "a\n", renamed=True) == Diff(0, 0, (Note.RENAMED,))
    assert compare("a\n", "b\n", renamed=True).notes == ()


def test_a_last_line_without_newline_is_told_apart() -> None:
    (part,) = compare("a", "a\n").parts
    assert isinstance(part, Part)
    (row,) = part.split

    assert row.old and not row.old.ended
    assert row.new and row.new.ended


def test_more_than_two_thousand_changed_lines_are_counted_and_not_shown() -> None:
    fits, too_many = compare("", numbered(2_000)), compare("", numbered(2_001))

    assert fits.parts and not fits.too_large
    assert (too_many.added, too_many.removed, too_many.parts, too_many.too_large) == (2_001, 0, (), True)


def test_texts_that_differ_over_more_than_twenty_thousand_lines_are_not_compared() -> None:
    old = "first\n" + numbered(COMPARED_LINES) + "last\n"

    assert compare(old, "1\n" + old[6:-5] + "2\n").added is None
    assert compare(old, old[:-5] + "2\n").added == 1


def test_a_long_change_comes_in_pages_that_hold_all_of_it() -> None:
    old = numbered(900)
    new = numbered(900, start=5_000)
    pages = every_page(old, new, [])

    assert [diff.page for diff in pages] == list(range(1, len(pages) + 1))
    assert all(len(shown(diff)) <= PAGE_ROWS for diff in pages)
    assert sum(len(shown(diff)) for diff in pages) == 1_800
    assert (pages[0].previous_page, pages[0].next_page) == (None, 2)
    assert (pages[-1].previous_page, pages[-1].next_page) == (len(pages) - 1, None)


def test_a_page_that_does_not_exist_is_the_nearest_that_does() -> None:
    assert compare("a\n", "b\n", page=99) == compare("a\n", "b\n", page=-1) == compare("a\n", "b\n")


def test_a_long_line_is_cut_around_the_change() -> None:
    old, new = "x" * 5_000 + "old" + "y" * 5_000, "x" * 5_000 + "new" + "y" * 5_000
    (part,) = compare(old + "\n", new + "\n").parts
    assert isinstance(part, Part)
    (row,) = part.split

    assert row.old and row.new
    assert "old" in text_of(row.old) and "new" in text_of(row.new)
    assert len(text_of(row.new)) == LINE_CHARACTERS + 1
    assert row.new.cut_before + LINE_CHARACTERS + row.new.cut_after == len(new)


def test_a_compact_diff_holds_changed_lines_and_the_folds_between_them() -> None:
    old = numbered(40)
    new = old.replace("line 9\n", "line nine\n") + "line 41\n"

    diff = compact(old, new)

    assert shown(diff) == ["− line 9", "+ line nine", "... 10-40", "+ line 41"]
    assert diff.next_page is None


def test_a_compact_diff_of_a_long_change_shows_its_beginning_and_says_that_there_is_more() -> None:
    diff = compact("", numbered(COMPACT_ROWS * 3))

    assert shown(diff) == [f"+ line {number}" for number in range(1, COMPACT_ROWS + 1)]
    assert diff.next_page


@pytest.mark.parametrize("row", SLOW_INPUTS, ids=lambda row: row["id"])
def test_inputs_made_to_be_slow_give_pages_of_bounded_size(row: dict[str, str | int]) -> None:
    unit, repeat, suffix = str(row["unit"]), int(row["repeat"]), str(row["suffix"])
    text = unit * repeat + suffix
    other = f"first\n{text[:1_000]}x{text[1_000:]}\nlast\n"

    for diff in (compare(text, other), compare("", "\n".join([text] * 3)), compact(other, text)):
        cells = [
            cell
            for part in diff.parts
            if isinstance(part, Part)
            for row in part.split
            for cell in (row.old, row.new)
            if cell
        ]
        assert sum(len(text_of(cell)) for cell in cells) <= IN_CHARACTERS.page + len(cells)
