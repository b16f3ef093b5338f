"""Inputs of the memory tool as hypothesis draws them: what a model would send, and what nobody should."""

from typing import Any

from hypothesis import strategies as st

NAMES = [
    "a",
    "b.md",
    "notes",
    "A",
    "é",
    "e\u0301",
    ".hidden",
    "node_modules",
    "100%.md",
    "a_b",
    "v1..v2.md",
    "tea (2).md",
]
TEXTS = [
    "",
    "\n",
    "tea",
    "tea\n",
    "tea\nmilk\n",
    "tea\n\nmilk",
    "tea\r\nmilk\r\n",
    "\ufeffü\u2028\n",
    "aXaXa\n",
    "tea tea\n",
]

ODD_PATHS = [
    "", "/", "memories/a", "/memoriesX/a", "/etc/passwd", "/memories/..", "/memories/../a", "/memories/a/../b",
    "/memories//a", "/memories/./a", "/memories/%2e%2e/a", "/memories/a%2fb", "/memories/a\\b", "/memories/a\0b",
    "/memories/a\nb", "/memories/\u202ea", "/memories/a\u200b", "/memories/ a", "/memories/a ", "/memories/\ud800",
    "/memories/" + "x" * 256, "/memories" + "/d" * 33, "/memories/" + "é" * 2_000, "/memories/．．/a", "file:///memories/a",
]  # fmt: skip

paths = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda names: "/".join(["/memories", *names]))
any_paths = st.one_of(
    paths, paths, paths, paths.map(lambda path: path + "/"), st.sampled_from(ODD_PATHS), st.text(max_size=20)
)

few_texts = st.lists(st.sampled_from(TEXTS), max_size=4).map("".join)
any_texts = st.one_of(
    few_texts,
    few_texts,
    st.text(max_size=30),
    st.sampled_from(["\0", "a\0b", "\ud83d", "\udc00\ud800", "x" * 20_000, "tea\n" * 6_000, "é" * 600_000]),
)
numbers = st.one_of(st.integers(-2, 6), st.sampled_from([2.0, 1.5, True, None, "1", 10**30, -(10**400), float("nan")]))

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)

FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "view": {"path": any_paths, "view_range": st.none() | st.lists(numbers, max_size=3) | numbers},
    "create": {"path": any_paths, "file_text": any_texts},
    "str_replace": {"path": any_paths, "old_str": any_texts, "new_str": any_texts},
    "insert": {"path": any_paths, "insert_line": numbers, "insert_text": any_texts},
    "delete": {"path": any_paths},
    "rename": {"old_path": any_paths, "new_path": any_paths},
}


FEW_PATHS = ["/memories/a", "/memories/notes", "/memories/notes/b.md", "/memories/notes/deep/c.md", "/memories/é"]

likely_paths = st.sampled_from(FEW_PATHS)
likely: st.SearchStrategy[Any] = st.one_of(
    st.builds(dict, command=st.just("create"), path=likely_paths, file_text=few_texts),
    st.builds(dict, command=st.just("create"), path=likely_paths, file_text=few_texts),
    st.builds(dict, command=st.just("insert"), path=likely_paths, insert_line=st.integers(0, 2), insert_text=few_texts),
    st.builds(
        dict,
        command=st.just("str_replace"),
        path=likely_paths,
        old_str=st.sampled_from(["tea", "milk", "tea\n", "a\nm", "X", "\n"]),
        new_str=few_texts,
    ),
    st.builds(dict, command=st.just("view"), path=likely_paths | st.just("/memories")),
    st.builds(dict, command=st.just("delete"), path=likely_paths),
    st.builds(dict, command=st.just("rename"), old_path=likely_paths, new_path=likely_paths),
)


@st.composite
def sensible(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an input with every field its command has, in the type it has."""
    command = draw(st.sampled_from(sorted(FIELDS)))
    return {"command": command, **{name: draw(values) for name, values in FIELDS[command].items()}}


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an input in which one field is missing, of another type, or too many."""
    value = draw(sensible())
    name = draw(st.sampled_from([*value, "surplus"]))
    if draw(st.booleans()):
        value.pop(name, None)
    else:
        value[name] = draw(json_values)
    return value


tool_inputs: st.SearchStrategy[Any] = st.one_of(
    likely, likely, likely, likely, sensible(), sensible(), damaged(), json_values
)
