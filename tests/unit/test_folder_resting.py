"""When a file has come to rest."""

import time

from agents.folders.resting import QUIET, Resting
from memories.transfer.looking import Facts

JUST_NOW = time.time_ns() + 3600 * 1_000_000_000
"""Later than the clock: only two looks can tell that it rests."""


def facts(size: int = 1, at: int = JUST_NOW) -> Facts:
    return Facts(size, at, at, 1)


def test_a_file_rests_once_two_looks_apart_found_it_the_same() -> None:
    resting = Resting()

    assert resting.at_rest({"a": facts()}, 10.0) == []
    assert resting.at_rest({"a": facts()}, 10.0 + QUIET / 2) == []
    assert resting.at_rest({"a": facts()}, 10.0 + QUIET) == ["a"]


def test_a_file_that_grows_begins_again() -> None:
    resting = Resting()
    resting.at_rest({"a": facts(1)}, 10.0)

    assert resting.at_rest({"a": facts(2)}, 10.0 + QUIET) == []
    assert resting.at_rest({"a": facts(2)}, 10.0 + 2 * QUIET) == ["a"]


def test_a_file_that_was_touched_long_ago_rests_at_the_first_look() -> None:
    assert Resting().at_rest({"a": facts(at=time.time_ns() - 10_000_000_000)}, 10.0) == ["a"]


def test_files_are_gone_once_no_more_are_going() -> None:
    resting = Resting()

    assert not resting.are_gone({"a"}, 10.0)
    assert not resting.are_gone({"a", "b"}, 10.0 + QUIET)
    assert not resting.are_gone({"a", "b"}, 10.0 + 1.5 * QUIET)
    assert resting.are_gone({"a", "b"}, 10.0 + 2 * QUIET)
    assert not resting.are_gone({"b"}, 10.0 + 2 * QUIET)
