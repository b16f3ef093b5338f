"""Who may reach which store and file, asked at the one place that decides."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import Http404

from memories import access
from memories import store as memory
from memories.commands import Create, Delete
from memories.models import Member, MemoryEntry, MemoryStore, Role
from memories.paths import MemoryPath
from tests.support.stores import PERSON, new_store

NOTES = MemoryPath("/memories/d/notes.md")


@pytest.fixture
def file(store: MemoryStore) -> MemoryEntry:
    """Return a file of the store, which lies in a directory."""
    memory.apply(store.pk, Create(NOTES, "tea"), actor=PERSON)
    return MemoryEntry.objects.get(store=store, path=NOTES.text)


def member(store: MemoryStore, role: Role) -> User:
    user = User.objects.create_user(f"{role}-{uuid4().hex[:6]}")
    Member.objects.create(store=store, user=user, role=role)
    return user


@pytest.mark.parametrize("role", Role)
def test_members_reach_their_store_and_no_other(store: MemoryStore, file: MemoryEntry, role: Role) -> None:
    user, other = member(store, role), new_store()

    assert list(access.stores_for(user)) == [store]
    assert access.store_for(user, store.slug) == store
    assert access.file_for(user, file.uuid) == file
    with pytest.raises(Http404):
        access.store_for(user, other.slug)


def test_someone_outside_meets_what_does_not_exist(store: MemoryStore, file: MemoryEntry) -> None:
    outsider = member(new_store(), Role.OWNER)

    for slug in (store.slug, "no-such-store"):
        with pytest.raises(Http404):
            access.store_for(outsider, slug)
    for uuid in (file.uuid, uuid4()):
        with pytest.raises(Http404):
            access.file_for(outsider, uuid)


@pytest.mark.parametrize(
    ("role", "writes", "owns"), [(Role.VIEWER, False, False), (Role.CURATOR, True, False), (Role.OWNER, True, True)]
)
def test_a_role_says_what_its_member_may_do(store: MemoryStore, role: Role, writes: bool, owns: bool) -> None:
    user = member(store, role)

    assert access.may_write(user, store) is writes
    assert access.may_own(user, store) is owns
    assert not access.may_write(user, new_store())


def test_the_operator_reaches_everything(store: MemoryStore, file: MemoryEntry) -> None:
    operator = User.objects.create_superuser("operator")

    assert access.store_for(operator, store.slug) == store
    assert access.file_for(operator, file.uuid) == file
    assert access.may_write(operator, store)
    assert access.may_own(operator, store)


def test_a_deleted_file_can_be_reached_and_a_directory_is_no_file(store: MemoryStore, file: MemoryEntry) -> None:
    user = member(store, Role.VIEWER)
    directory = MemoryEntry.objects.get(store=store, path="/memories/d")

    with pytest.raises(Http404):
        access.file_for(user, directory.uuid)
    memory.apply(store.pk, Delete(NOTES), actor=PERSON)
    assert access.file_for(user, file.uuid).state == "trash"
