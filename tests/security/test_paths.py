"""Hostile paths, through every command: none reaches another place, none is spelled in two ways."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memories import tool
from memories.models import MemoryEntry, MemoryStore, MemoryVersion
from tests.support.stores import AGENT, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db

ATTACKS = json.loads((Path(__file__).parent.parent / "data" / "security" / "path_attacks.json").read_text("utf-8"))
REJECTED = [row for row in ATTACKS if row["verdict"] == "reject"]
ACCEPTED = [row for row in ATTACKS if row["verdict"] == "accept"]

CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "view": lambda path: {"command": "view", "path": path},
    "create": lambda path: {"command": "create", "path": path, "file_text": "x"},
    "str_replace": lambda path: {"command": "str_replace", "path": path, "old_str": "own", "new_str": "x"},
    "insert": lambda path: {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
    "delete": lambda path: {"command": "delete", "path": path},
    "rename from": lambda path: {"command": "rename", "old_path": path, "new_path": "/memories/new.md"},
    "rename to": lambda path: {"command": "rename", "old_path": "/memories/own.md", "new_path": path},
}


@pytest.fixture
def stores() -> tuple[MemoryStore, MemoryStore]:
    """Return two stores with one file each, that of an agent and another one."""
    own, other = new_store(), new_store()
    for store, name in ((own, "own"), (other, "secrets")):
        tool.execute(store, {"command": "create", "path": f"/memories/{name}.md", "file_text": f"{name}\n"}, AGENT)
    return own, other


def everything() -> list[Any]:
    return [list(MemoryEntry.objects.order_by("id").values()), list(MemoryVersion.objects.order_by("id").values())]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_refused_path_changes_nothing_anywhere(
    stores: tuple[MemoryStore, MemoryStore], call: Callable[[str], dict[str, Any]]
) -> None:
    before = everything()

    for row in REJECTED:
        result = tool.execute(stores[0], call(row["value"]), AGENT)

        assert result.is_error, row["id"]
        assert str(result.content).encode(), row["id"]
        assert "secrets\n" not in str(result.content), row["id"]
    assert everything() == before


def test_an_accepted_path_names_one_file_whichever_way_it_is_spelled() -> None:
    for row in ACCEPTED:
        store, canonical = new_store(), row["canonical"]
        if canonical == "/memories":
            assert not tool.execute(store, CALLS["view"](row["value"]), AGENT).is_error
            continue

        created = tool.execute(store, CALLS["create"](row["value"]), AGENT)

        if row["value"].endswith("/"):
            assert created.is_error, row["id"]
            tool.execute(store, CALLS["create"](canonical), AGENT)
        assert files_of(store) == {canonical: b"x"}, row["id"]
        for spelling in (row["value"], canonical):
            assert f"content of {canonical} with" in str(tool.execute(store, CALLS["view"](spelling), AGENT).content)
        assert tool.execute(store, CALLS["create"](canonical), AGENT).is_error
        assert not tool.execute(store, CALLS["delete"](row["value"]), AGENT).is_error, row["id"]
        assert_sound(store)


def test_a_store_is_never_reached_by_a_path(stores: tuple[MemoryStore, MemoryStore]) -> None:
    own, other = stores
    for path in (f"/memories/../{other.slug}/secrets.md", f"/{other.slug}/secrets.md", "/memories/secrets.md"):
        for call in CALLS.values():
            tool.execute(own, call(path), AGENT)

    assert files_of(other) == {"/memories/secrets.md": b"secrets\n"}
