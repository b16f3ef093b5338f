"""A page of a diff takes no more than it has room for, and still shows all of the change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Diff, Room, compare, split_lines
from memories.diffs.layout import Cell, Fold, Part

HEAVY = 7


def weigh(text: str) -> int:
    """Weigh an "h" seven times as much as another character."""
    return len(text) + (HEAVY - 1) * text.count("h")


ROOM = Room(weigh=weigh, page=400, line=60, row=10, cut=5, mark=3, fold=20)

lines = st.text(alphabet="ahb ", max_size=30).map(lambda text: f"{text}\n")
texts = st.lists(lines, max_size=40).map("".join)


def every_page(old: str, new: str, room: Room) -> list[Diff]:
    first = compare(old, new, room=room)
    return [first, *(compare(old, new, room=room, page=page) for page in range(2, first.pages + 1))]


def cells_of(diff: Diff) -> list[tuple[Cell | None, Cell | None]]:
    return [(row.old, row.new) for part in diff.parts if isinstance(part, Part) for row in part.split]


def taken_by(diff: Diff) -> int:
    return sum(ROOM.fold if isinstance(part, Fold) else part.weight(ROOM) for part in diff.parts)


@given(texts, texts)
def test_no_page_takes_more_than_it_has_room_for(old: str, new: str) -> None:
    assert all(taken_by(diff) <= ROOM.page for diff in every_page(old, new, ROOM))


@given(texts, texts)
def test_all_pages_together_hold_every_line_or_a_piece_of_it(old: str, new: str) -> None:
    seen_old, seen_new = 0, 0
    old_lines, new_lines = split_lines(old), split_lines(new)

    for diff in every_page(old, new, ROOM) if old != new else []:
        for part in diff.parts:
            if isinstance(part, Fold):
                seen_old, seen_new = seen_old + part.count, seen_new + part.count
                continue
            for row in part.split:
                for cell, whole in ((row.old, old_lines), (row.new, new_lines)):
                    if cell:
                        shown = "".join(segment.text for segment in cell.segments)
                        line = whole[cell.number - 1].removesuffix("\n")
                        assert line[cell.cut_before : cell.cut_before + len(shown)] == shown
                        assert cell.cut_before + len(shown) + cell.cut_after == len(line)
                seen_old, seen_new = seen_old + bool(row.old), seen_new + bool(row.new)

    assert (seen_old, seen_new) == ((0, 0) if old == new else (len(old_lines), len(new_lines)))


def test_a_heavy_line_is_cut_around_the_change() -> None:
    old, new = "h" * 100 + "old" + "h" * 100 + "\n", "h" * 100 + "new" + "h" * 100 + "\n"

    ((before, after),) = cells_of(compare(old, new, room=ROOM))

    for cell, word in ((before, "old"), (after, "new")):
        assert cell and word in cell.segments[0].text
        assert weigh(cell.segments[0].text) <= ROOM.line
        assert cell.cut_before and cell.cut_after


@pytest.mark.parametrize(("page", "marked"), [(200, True), (130, False)])
def test_words_are_marked_where_there_is_room(page: int, marked: bool) -> None:
    room = Room(page=page, row=10, mark=10)

    ((before, after),) = cells_of(compare("one a two b three c four d\n", "one A two B three C four D\n", room=room))

    assert before and after
    assert any(segment.marked for segment in (*before.segments, *after.segments)) is marked
