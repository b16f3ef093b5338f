"""The path grammar: what is a path, and how paths relate to each other."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.paths import DEPTH, NAME_BYTES, PATH_BYTES, MemoryPath
from memories.refusals import PathRefused

ATTACKS = json.loads((Path(__file__).parent.parent / "data" / "security" / "path_attacks.json").read_text("utf-8"))

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
anything = st.one_of(
    st.text(),
    st.lists(names, max_size=6).map(lambda parts: "/memories/" + "/".join(parts)),
    st.text("abAB.%2fFeEcC0/\\;& \u202e\ufe0f\u00e9e\u0301", max_size=40).map(lambda tail: "/memories/" + tail),
)


@pytest.mark.parametrize("attack", [pytest.param(row, id=row["id"]) for row in ATTACKS])
def test_every_listed_path_is_judged_as_marked(attack: dict[str, Any]) -> None:
    if attack["verdict"] == "accept":
        assert str(MemoryPath.parse(attack["value"])) == attack["canonical"]
    else:
        with pytest.raises(PathRefused) as refusal:
            MemoryPath.parse(attack["value"])
        assert str(refusal.value).startswith("Error: ")
        assert str(refusal.value).encode()


@given(anything)
def test_what_is_accepted_is_canonical_and_within_the_limits(value: str) -> None:
    try:
        path = MemoryPath.parse(value)
    except PathRefused as refusal:
        assert "\n" not in str(refusal)
        assert len(str(refusal)) < 500
        return

    assert MemoryPath.parse(str(path)) == path
    assert unicodedata.is_normalized("NFC", path.text)
    assert path.text == "/memories" or path.text.startswith("/memories/")
    assert path.depth <= DEPTH
    assert len(path.text.encode()) <= PATH_BYTES
    assert not {"", ".", ".."} & set(path.text.split("/")[1:])


@given(anything)
def test_a_final_slash_is_dropped_or_refused_as_asked(value: str) -> None:
    try:
        path = MemoryPath.parse(value.rstrip("/"))
    except PathRefused:
        return

    assert MemoryPath.parse(f"{path}/") == path
    with pytest.raises(PathRefused, match="slash"):
        MemoryPath.parse(f"{path}/", final_slash=False)


@pytest.mark.parametrize("value", [None, 1, True, b"/memories/a", ["/memories/a"], {"path": "/memories/a"}])
def test_only_strings_are_paths(value: object) -> None:
    with pytest.raises(PathRefused):
        MemoryPath.parse(value)


def test_limits_are_reached_and_not_passed() -> None:
    longest_name = "/memories/" + "é" * 127 + "a"
    deepest = "/memories" + "/d" * DEPTH
    longest = "/memories" + ("/" + "x" * 200) * 5
    longest += "y" * (PATH_BYTES - len(longest))

    assert len(MemoryPath.parse(longest_name).name.encode()) == NAME_BYTES
    assert MemoryPath.parse(deepest).depth == DEPTH
    assert len(MemoryPath.parse(longest).text.encode()) == PATH_BYTES
    for one_too_many in (longest_name + "a", deepest + "/d", longest + "y"):
        with pytest.raises(PathRefused):
            MemoryPath.parse(one_too_many)


def test_both_spellings_of_a_letter_are_one_path() -> None:
    assert MemoryPath.parse("/memories/cafe\u0301.md") == MemoryPath.parse("/memories/caf\u00e9.md")


def test_a_path_knows_its_place() -> None:
    path = MemoryPath.parse("/memories/users/mia/likes.md")

    assert path.name == "likes.md"
    assert path.parent == MemoryPath("/memories/users/mia")
    assert path.relative == "users/mia/likes.md"
    assert path.depth == 3
    assert list(path.ancestors()) == [MemoryPath("/memories/users/mia"), MemoryPath("/memories/users"), MemoryPath.ROOT]


def test_the_root_has_nothing_above_it() -> None:
    root = MemoryPath.ROOT

    assert (root.depth, root.relative, root.parent, list(root.ancestors())) == (0, "", root, [])
    assert root.is_root


def test_a_directory_holds_what_lies_below_it_and_not_its_neighbours() -> None:
    directory = MemoryPath("/memories/a")

    assert directory.holds(MemoryPath("/memories/a/b"))
    assert directory.holds(MemoryPath("/memories/a/b/c"))
    assert not directory.holds(directory)
    assert not directory.holds(MemoryPath("/memories/ab"))
    assert not directory.holds(MemoryPath("/memories/A/b"))


def test_a_move_changes_the_beginning_only_and_keeps_the_limits() -> None:
    file = MemoryPath("/memories/a/x/a.md")

    assert file.moved(MemoryPath("/memories/a"), MemoryPath("/memories/b/c")) == MemoryPath("/memories/b/c/x/a.md")
    with pytest.raises(PathRefused, match="levels deep"):
        file.moved(MemoryPath("/memories/a"), MemoryPath("/memories" + "/d" * 31))
