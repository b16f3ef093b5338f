"""Whatever a model sends: the tool answers, and the store stays sound.

``MEMDASH_TEST_INPUTS`` says how many inputs are tried, 2,000 when it is not set.
"""

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import tool
from memories.diffs import Hunk, carried
from memories.diffs.hunks import ended, split_lines
from memories.models import MemoryStore, MemoryVersion
from tests.support.stores import AGENT, assert_sound, content_of, files_of, new_store, text_of
from tests.support.tool_inputs import tool_inputs

INPUTS = int(os.environ.get("MEMDASH_TEST_INPUTS", "2000"))
INPUTS_OF_A_STORE = 40


@pytest.mark.django_db
def test_no_input_raises_and_every_store_stays_sound() -> None:
    tried: Counter[bool] = Counter()

    @settings(max_examples=INPUTS // INPUTS_OF_A_STORE, suppress_health_check=list(HealthCheck))
    @given(st.lists(tool_inputs, min_size=INPUTS_OF_A_STORE, max_size=INPUTS_OF_A_STORE))
    def holds(inputs: list[Any]) -> None:
        memory = new_store()
        files: dict[str, bytes] = {}
        for value in inputs:
            versions = send(memory, value)
            before, files = files, files_of(memory)
            changed = {path for path in before.keys() | files.keys() if before.get(path) != files.get(path)}
            assert changed == {path for version in versions for path in (version.path, version.moved_from) if path}
            tried[bool(versions)] += 1
        assert_sound(memory)
        assert_versions_tell_everything(memory)

    holds()

    assert tried.total() >= INPUTS
    assert tried[True] >= INPUTS / 10


def send(memory: MemoryStore, value: object) -> list[MemoryVersion]:
    """Send an input, check that it was answered, and return the versions it made."""
    seq = MemoryStore.objects.get(pk=memory.pk).seq

    result = tool.execute(memory, value, AGENT)

    text = text_of(result.content)
    text.encode()
    assert "internal error" not in text
    versions = list(memory.versions.filter(seq__gt=seq).order_by("seq"))
    assert [version.seq for version in versions] == [written.seq for written in result.versions]
    assert not (result.is_error and versions)
    return versions


def assert_versions_tell_everything(memory: MemoryStore) -> None:
    """Check that the versions alone give the tree, and their spans who wrote each line."""
    tree: dict[str, bytes] = {}
    for version in memory.versions.order_by("seq").select_related("blob"):
        if version.moved_from:
            del tree[version.moved_from]
        if version.operation == "deleted":
            del tree[version.path]
        else:
            assert version.blob
            tree[version.path] = content_of(version.blob)
    assert tree == files_of(memory)

    for entry in memory.entries.filter(kind="file"):
        lines: list[str] = []
        for version in entry.versions.exclude(operation="deleted").order_by("number").select_related("blob"):
            new = lines_of(version)
            hunks = [Hunk(*span) for span in version.spans]
            # Spans do not count the final newline: a line that only gained it has no new author.
            assert carried(lines, hunks, new.__getitem__) == new
            lines = new


def lines_of(version: MemoryVersion) -> list[str]:
    assert version.blob
    return split_lines(ended(content_of(version.blob).decode()))
