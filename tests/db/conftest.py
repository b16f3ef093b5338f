"""What tests of the database start from."""

import pytest

from memories.actors import Actor
from memories.models import MemoryStore
from tests.support.stores import AGENT, PERSON, new_store


@pytest.fixture
def store(db: None) -> MemoryStore:
    """Return an empty store."""
    return new_store()


@pytest.fixture
def agent() -> Actor:
    """Return an agent that runs elsewhere, as the author of changes."""
    return AGENT


@pytest.fixture
def person() -> Actor:
    """Return a person as the author of changes."""
    return PERSON
