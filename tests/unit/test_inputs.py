"""The raw input of a call: every wrong one is refused with a sentence that names the field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.commands import Create, Delete, Insert, Rename, StrReplace, View
from memories.inputs import command_of
from memories.paths import MemoryPath
from memories.refusals import InputRefused

A = MemoryPath("/memories/a.md")
B = MemoryPath("/memories/b.md")

VALID: list[tuple[dict[Any, Any], object]] = [
    ({"command": "view", "path": "/memories/a.md"}, View(A)),
    ({"command": "view", "path": "/memories/a.md/", "view_range": [1, -1]}, View(A, (1, -1))),
    ({"command": "view", "path": "/memories/a.md", "view_range": None}, View(A)),
    ({"command": "view", "path": "/memories/a.md", "view_range": [2.0, 3]}, View(A, (2, 3))),
    ({"command": "create", "path": "/memories/a.md", "file_text": ""}, Create(A, "", may_overwrite=True)),
    ({"command": "str_replace", "path": "/memories/a.md", "old_str": "a", "new_str": "b"}, StrReplace(A, "a", "b")),
    ({"command": "str_replace", "path": "/memories/a.md", "old_str": "a", "new_str": None}, StrReplace(A, "a", "")),
    ({"command": "str_replace", "path": "/memories/a.md", "old_str": "a"}, StrReplace(A, "a", "")),
    ({"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "x"}, Insert(A, 0, "x")),
    ({"command": "delete", "path": "/memories/a.md"}, Delete(A)),
    ({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"}, Rename(A, B)),
]


@pytest.mark.parametrize(("value", "command"), VALID)
def test_a_right_input_is_its_command_whatever_else_it_holds(value: dict[Any, Any], command: object) -> None:
    assert command_of(value) == command
    assert command_of({**value, "extra": {"deep": [1]}, 7: "seven"}) == command


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (None, "object"),
        ([], "object"),
        ({}, "view, create, str_replace, insert, delete, rename"),
        ({"command": "append"}, "append"),
        ({"command": ["view"]}, "command"),
        ({"command": "view"}, "`path` is missing"),
        ({"command": "view", "path": None}, "Invalid `path`: null"),
        ({"command": "view", "path": "/etc/passwd"}, "Send a valid `path`"),
        ({"command": "create", "path": "/memories/a/", "file_text": "x"}, "slash"),
        ({"command": "create", "path": "/memories/a", "file_text": 42}, "Invalid `file_text`: a number"),
        ({"command": "create", "path": "/memories/a", "file_text": "\0"}, "`file_text` holds a NUL"),
        ({"command": "str_replace", "path": "/memories/a", "old_str": ""}, "`old_str` is empty"),
        ({"command": "str_replace", "path": "/memories/a", "old_str": "a", "new_str": 1}, "`new_str`"),
        ({"command": "insert", "path": "/memories/a", "insert_line": True, "insert_text": ""}, "`insert_line`"),
        ({"command": "insert", "path": "/memories/a", "insert_line": "1", "insert_text": ""}, "`insert_line`"),
        ({"command": "insert", "path": "/memories/a", "insert_line": 10**5000, "insert_text": ""}, "`insert_line`"),
        ({"command": "insert", "path": "/memories/a", "insert_line": 1, "insert_text": None}, "`insert_text`"),
        ({"command": "rename", "old_path": "/memories/a"}, "`new_path` is missing"),
        ({"command": "rename", "old_path": "/memories/..", "new_path": "/memories/a"}, "`old_path`"),
    ],
)
def test_a_wrong_input_is_refused_by_the_name_of_its_field(value: object, named: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        command_of(value)

    assert str(refusal.value).startswith("Error: ")
    assert named in str(refusal.value)


@pytest.mark.parametrize(
    "view_range",
    [
        [],
        [1],
        [1, 2, 3],
        [5, 2],
        [1, -2],
        [0, 0],
        [1.5, 2],
        ["1", "2"],
        [True, False],
        [1, None],
        "1-2",
        {"start": 1},
        3,
    ],
)
def test_a_range_is_two_whole_numbers_in_order(view_range: object) -> None:
    with pytest.raises(InputRefused, match="view_range"):
        command_of({"command": "view", "path": "/memories/a", "view_range": view_range})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
fields = st.dictionaries(
    st.sampled_from(
        ["path", "file_text", "old_str", "new_str", "insert_line", "insert_text", "old_path", "new_path", "view_range"]
    ),
    json_values,
)


@given(json_values | st.builds(lambda name, rest: {"command": name, **rest}, json_values | st.just("view"), fields))
def test_any_json_value_is_a_command_or_a_short_refusal(value: object) -> None:
    try:
        command_of(value)
    except InputRefused as refusal:
        assert len(str(refusal)) < 500
        assert str(refusal).encode()
