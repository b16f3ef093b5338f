"""Which files that are gone came back under another path, and how many may go at once."""

from agents.folders.matching import Fresh, Known, akin, moves, too_many


def test_one_file_gone_and_one_new_with_the_same_bytes_is_a_move() -> None:
    found = moves({"/memories/a": Known("x", "1")}, [Fresh("/memories/b", "x", "9")])

    assert found.moved == {"/memories/b": "/memories/a"}
    assert found.perhaps == {}


def test_of_several_files_with_the_same_bytes_the_inode_tells_which_is_which() -> None:
    gone = {"/memories/a": Known("x", "1"), "/memories/b": Known("x", "2"), "/memories/c": Known("x", "3")}

    found = moves(gone, [Fresh("/memories/d/a", "x", "1"), Fresh("/memories/d/b", "x", "2")])

    assert found.moved == {"/memories/d/a": "/memories/a", "/memories/d/b": "/memories/b"}


def test_copies_that_nothing_tells_apart_are_no_moves() -> None:
    gone = {"/memories/a": Known("x", "1"), "/memories/b": Known("x", "2")}

    found = moves(gone, [Fresh("/memories/c", "x", "8"), Fresh("/memories/d", "x", "9")])

    assert found.moved == found.perhaps == {}


def test_the_same_inode_with_other_bytes_is_left_to_the_texts() -> None:
    gone = {"/memories/a": Known("x", "1"), "/memories/b": Known("y", "2")}

    found = moves(gone, [Fresh("/memories/c", "z", "1"), Fresh("/memories/d", "y", "7")])

    assert found.moved == {"/memories/d": "/memories/b"}
    assert found.perhaps == {"/memories/c": "/memories/a"}


def test_an_edited_text_keeps_half_of_its_lines() -> None:
    assert akin("tea\nmilk\n", "tea\nsugar\n")
    assert akin("tea\n", "tea\nmilk\nsugar\nwater\n")
    assert not akin("tea\nmilk\nsugar\n", "tea\nwater\nrice\n")
    assert not akin("", "tea\n")
    assert not akin("\n\n", "\n\n")


def test_all_of_several_or_more_than_half_of_many_are_too_many() -> None:
    assert not too_many(0, 0)
    assert not too_many(1, 1)
    assert too_many(2, 2)
    assert not too_many(9, 12)
    assert too_many(10, 19)
    assert not too_many(10, 20)
    assert not too_many(400, 1000)
