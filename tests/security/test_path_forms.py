"""Hostile paths in the browser's forms: what a store cannot hold is refused at the field, and nothing else moves."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from memories import tool
from memories.models import MemoryEntry, MemoryStore, Role
from memories.paths import ROOT
from tests.support.people import browser_of, member
from tests.support.stores import AGENT, assert_sound, files_of, new_store

pytestmark = pytest.mark.django_db(transaction=True)

ATTACKS = json.loads((Path(__file__).parent.parent / "data" / "security" / "path_attacks.json").read_text("utf-8"))
# What a form can send; half a character is none of it. The parser itself is tried with all of them elsewhere; each
# form is tried with some, of every kind.
TYPED = [
    row["value"]
    for row in ATTACKS
    if row["verdict"] == "reject" and isinstance(row["value"], str) and not re.search("[\ud800-\udfff]", row["value"])
]


@pytest.fixture
def stores() -> tuple[MemoryStore, MemoryStore]:
    """Return two stores with one file each, the first of which is the person's."""
    own, other = new_store(), new_store()
    for store, name in ((own, "own"), (other, "secrets")):
        tool.execute(store, {"command": "create", "path": f"/memories/{name}.md", "file_text": f"{name}\n"}, AGENT)
    return own, other


@pytest.fixture
def browser(stores: tuple[MemoryStore, MemoryStore]) -> Client:
    """The browser of a curator of the first store."""
    return browser_of(member(stores[0], Role.CURATOR))


def forms(own: MemoryStore) -> dict[str, dict[str, str]]:
    """Return the address and the other fields of each form that takes a path."""
    entry = MemoryEntry.objects.get(store=own, path="/memories/own.md")
    return {f"/stores/{own.slug}/new-file": {"text": "x", "note": ""}, f"/files/{entry.uuid}/rename": {}}


def test_a_whole_path_that_no_store_can_hold_is_refused_at_its_field(
    stores: tuple[MemoryStore, MemoryStore], browser: Client
) -> None:
    own, other = stores
    before = files_of(own), files_of(other)

    statuses = {
        (address, value): browser.post(address, {**fields, "path": value}).status_code
        for address, fields in forms(own).items()
        for value in TYPED[::2]
        # Any other text is taken as a path below the root, without the blanks around it, and may well be one.
        if value.startswith(f"{ROOT}/") and value == value.strip()
    }

    assert len(statuses) > 40
    assert {case: status for case, status in statuses.items() if status != 422} == {}
    assert (files_of(own), files_of(other)) == before


def test_whatever_is_typed_stays_within_the_store(stores: tuple[MemoryStore, MemoryStore], browser: Client) -> None:
    own, other = stores
    before = files_of(other)

    for value in TYPED[::3]:
        answer = browser.post(f"/stores/{own.slug}/new-file", {"text": "x", "note": "", "path": value})
        assert answer.status_code in (302, 422), value

    assert_sound(own)
    assert files_of(other) == before
