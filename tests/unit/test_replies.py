"""The sentences that models and people read, where no conformance case asks for them."""

from memories import replies
from memories.paths import MemoryPath

A = MemoryPath("/memories/a.md")


def test_a_locked_file_says_that_it_can_still_be_viewed() -> None:
    assert replies.locked(A) == (
        "Error: /memories/a.md is locked by a person and cannot be changed. Its content can still be viewed."
    )


def test_a_held_change_says_to_go_on_without_it() -> None:
    assert replies.held(A) == (
        "The change to /memories/a.md is waiting for review and is not visible yet. Continue without it."
    )


def test_limits_are_named_in_the_answer() -> None:
    assert "1,048,577 bytes" in replies.too_large(A, 1_048_577, 1_048_576)
    assert "at most 1,048,576" in replies.too_large(A, 1_048_577, 1_048_576)
    assert "at most 10,000" in replies.too_many_files(10_001, 10_000)
    assert "at most 104,857,600" in replies.too_many_bytes(104_857_601, 104_857_600)


def test_a_very_long_old_str_is_quoted_in_part() -> None:
    assert len(replies.replace_not_found(A, "x" * 100_000)) < 1_200
    assert f"`{'x' * 1_000}`" in replies.replace_not_found(A, "x" * 1_000)


def test_an_internal_error_gives_a_reference_and_nothing_else() -> None:
    assert replies.internal_error("ab12") == "Error: internal error (ref ab12); nothing was changed."
