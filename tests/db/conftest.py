"""What tests of the database start from."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from memories.actors import Actor
from memories.models import MemoryStore
from tests.support.stores import AGENT, PERSON, new_store

PASSWORD = "correct horse battery"


@pytest.fixture
def quick_passwords(settings: Any) -> None:
    """Spend no time on hashing: how long it takes matters in one test alone."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def mara(db: None, quick_passwords: None) -> User:
    """Return somebody with a password."""
    return User.objects.create_user("mara", password=PASSWORD)


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
