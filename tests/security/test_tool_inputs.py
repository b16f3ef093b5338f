"""Anything a model can send: it is answered, nothing leaks, nothing is half done."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import tool
from memories.models import MemoryStore
from memories.paths import MemoryPath
from tests.contract.conformance import expand
from tests.support.stores import AGENT, assert_sound, files_of, new_store, text_of

pytestmark = pytest.mark.django_db

ROWS = json.loads((Path(__file__).parent.parent / "data" / "security" / "tool_inputs.json").read_text("utf-8"))
FILES = {"/memories/a.md": b"a\nb\nc\n", "/memories/dir/b.md": b"b\n"}
NEVER = ("Traceback", "Exception", "Error(", "memories_", "psycopg", "sqlite", "/work", "/tmp")


def prepared() -> MemoryStore:
    store = new_store()
    for path, data in FILES.items():
        tool.execute(store, {"command": "create", "path": path, "file_text": data.decode()}, AGENT)
    return store


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_every_listed_input_is_answered_as_marked(row: dict[str, Any]) -> None:
    store = prepared()

    result = tool.execute(store, expand(row["input"]), AGENT)

    if row["is_error"] != "either":
        assert result.is_error is row["is_error"]
    assert text_of(result.content).encode() or not result.is_error
    assert len(result.versions) <= 1
    if result.is_error:
        assert files_of(store) == FILES
        assert not result.versions
        assert not any(word in text_of(result.content) for word in NEVER)
    for path in files_of(store):
        assert str(MemoryPath.parse(path)) == path
    assert_sound(store)


names = st.sampled_from(["a.md", "b", "dir", "dir/b.md", "dir/c/d", "", "..", "A.md", "a.md/x", "é", "e\u0301", "x\0"])
paths = st.one_of(
    names.map(lambda name: f"/memories/{name}"), st.just("/memories"), st.text(st.characters(), max_size=8)
)
texts = st.one_of(st.text("ab\n", max_size=8), st.text(st.characters(), max_size=6))
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
lines = st.integers(-2, 5)


def call(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return inputs of a command in which now and then a field is missing or something else."""
    chosen = {field: st.one_of(value, value, value, value, junk) for field, value in fields.items()}
    whole = st.fixed_dictionaries({"command": st.just(name), **chosen})
    partly = st.fixed_dictionaries({"command": st.just(name)}, optional=chosen)
    return st.one_of(whole, whole, whole, partly)


inputs = st.one_of(
    call("view", path=paths, view_range=st.one_of(st.none(), st.lists(lines, min_size=2, max_size=2))),
    call("create", path=paths, file_text=texts),
    call("str_replace", path=paths, old_str=texts, new_str=texts),
    call("insert", path=paths, insert_line=lines, insert_text=texts),
    call("delete", path=paths),
    call("rename", old_path=paths, new_path=paths),
    junk,
)


@given(st.lists(inputs, min_size=100, max_size=100))
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_ten_thousand_inputs_in_any_order_leave_sound_stores(values: list[Any]) -> None:
    store, seq = prepared(), len(FILES)
    for value in values:
        result = tool.execute(store, value, AGENT)

        assert text_of(result.content).encode() or not result.is_error
        assert "internal error" not in text_of(result.content)
        assert not (result.is_error and result.versions)
        seq += len(result.versions)
    store.refresh_from_db()
    assert store.seq == seq
    assert_sound(store)
