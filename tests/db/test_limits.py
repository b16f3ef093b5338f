"""Limits of a store: they are reached, not passed, by every way in, and the answer names them."""

from typing import Any

import pytest

from memories import store as memory
from memories import tool
from memories.actors import Actor
from memories.commands import Command, Create, ImportFile, Overwrite
from memories.models import MemoryEntry, MemoryStore
from memories.models.stores import FILE_BYTES
from memories.paths import MemoryPath
from memories.refusals import Refused, StoreFull, TooLarge
from tests.support.stores import PERSON, assert_sound, files_of

NOTES = MemoryPath("/memories/notes.md")


def limit(store: MemoryStore, **limits: int) -> None:
    MemoryStore.objects.filter(pk=store.pk).update(**limits)


@pytest.mark.parametrize("command", [Create(NOTES, "x" * FILE_BYTES), ImportFile(NOTES, b"x" * FILE_BYTES)])
def test_a_file_of_just_a_mebibyte_is_stored(store: MemoryStore, command: Command) -> None:
    memory.apply(store.pk, command, actor=PERSON)

    assert len(files_of(store)[NOTES.text]) == FILE_BYTES
    assert_sound(store)


@pytest.mark.parametrize(
    "value",
    [
        {"command": "create", "path": "/memories/new.md", "file_text": "é" * (FILE_BYTES // 2) + "x"},
        {"command": "insert", "path": "/memories/notes.md", "insert_line": 0, "insert_text": "x" * (FILE_BYTES - 4)},
        {"command": "str_replace", "path": "/memories/notes.md", "old_str": "tea", "new_str": "x" * FILE_BYTES},
    ],
)
def test_a_byte_more_is_refused_by_every_command_and_the_limit_is_named(
    store: MemoryStore, agent: Actor, value: dict[str, Any]
) -> None:
    memory.apply(store.pk, Create(NOTES, "tea\n"), actor=agent)

    result = tool.execute(store, value, agent)

    assert result.is_error
    assert "1,048,577 bytes; a file of this store may have at most 1,048,576" in str(result.content)
    assert files_of(store) == {NOTES.text: b"tea\n"}


@pytest.mark.parametrize("command", [Create(NOTES, "x" * (FILE_BYTES + 1)), ImportFile(NOTES, b"x" * (FILE_BYTES + 1))])
def test_people_and_imports_have_the_same_limit(store: MemoryStore, command: Command) -> None:
    with pytest.raises(TooLarge):
        memory.apply(store.pk, command, actor=PERSON)


def test_one_file_too_many_is_refused_until_one_is_gone(store: MemoryStore, agent: Actor) -> None:
    limit(store, max_files=2)
    for name in ("a", "b"):
        tool.execute(store, {"command": "create", "path": f"/memories/d/{name}", "file_text": ""}, agent)
    third = {"command": "create", "path": "/memories/c", "file_text": ""}

    refused = tool.execute(store, third, agent)
    tool.execute(store, {"command": "delete", "path": "/memories/d/a"}, agent)
    accepted = tool.execute(store, third, agent)

    assert "would hold 3 files; it may hold at most 2" in str(refused.content)
    assert not accepted.is_error
    assert_sound(store)


def test_the_sum_of_bytes_is_limited(store: MemoryStore, agent: Actor) -> None:
    limit(store, max_bytes=10)
    memory.apply(store.pk, Create(NOTES, "x" * 10), actor=agent)

    with pytest.raises(StoreFull, match="at most 10"):
        memory.apply(store.pk, Create(MemoryPath("/memories/b"), "y"), actor=agent)

    assert_sound(store)


def test_what_is_above_a_lowered_limit_can_still_be_made_smaller(store: MemoryStore) -> None:
    memory.apply(store.pk, Create(NOTES, "x" * 100), actor=PERSON)
    limit(store, max_file_bytes=10, max_bytes=10, max_files=0)
    entry = MemoryEntry.objects.select_related("blob").get(store=store, path=NOTES.text)
    assert entry.blob

    memory.apply(store.pk, Overwrite(NOTES, "x" * 50, entry.blob.sha256), actor=PERSON)

    assert_sound(store)
    with pytest.raises(Refused):
        memory.apply(store.pk, Create(MemoryPath("/memories/b"), "y"), actor=PERSON)
