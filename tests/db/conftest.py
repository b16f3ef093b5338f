"""What tests of the database start from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from memories.actors import Actor
from memories.models import MemoryStore
from tests.support.folders import Folder
from tests.support.stores import AGENT, PERSON, assert_sound, new_store

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
def disk(db: None, tmp_path: Path) -> Iterator[Folder]:
    """Return a folder that is followed; what came of it is sound."""
    disk = Folder(tmp_path / "folder")
    yield disk
    assert_sound(disk.memory)


@pytest.fixture
def agent() -> Actor:
    """Return an agent that runs elsewhere, as the author of changes."""
    return AGENT


@pytest.fixture
def person() -> Actor:
    """Return a person as the author of changes."""
    return PERSON
