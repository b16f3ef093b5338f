"""Who may reach what. Every door starts here, and what a person may not see does not exist for them (Http404)."""

from collections.abc import Collection
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404

from memories.models import Member, MemoryEntry, MemoryStore, Role, State
from memories.models.slugs import with_slug


def stores_for(user: User) -> QuerySet[MemoryStore]:
    """Return the stores ``user`` is a member of; the operator reaches all. Stores whose making was undone are gone."""
    return all_stores_for(user).filter(archived_at=None)


def all_stores_for(user: User) -> QuerySet[MemoryStore]:
    """Return the same with the stores whose making was undone, of which nothing is left but their acts."""
    stores = MemoryStore.objects.all()
    return stores if user.is_superuser else stores.filter(pk__in=Member.objects.filter(user=user).values("store"))


def writable_stores_for(user: User) -> QuerySet[MemoryStore]:
    """Return the stores in which ``user`` may change what is there."""
    if user.is_superuser:
        return MemoryStore.objects.all()
    mine = Member.objects.filter(user=user, role__in=(Role.CURATOR, Role.OWNER))
    return MemoryStore.objects.filter(pk__in=mine.values("store"))


def store_for(user: User, slug: str) -> MemoryStore:
    """Return the store if ``user`` may see it; otherwise raise Http404, as if it did not exist."""
    store = with_slug(stores_for(user), slug).first()
    if store is None:
        raise Http404("There is no such store, or you are not a member of it.")
    return store


def file_for(user: User, uuid: UUID) -> MemoryEntry:
    """Return the file, also one in the trash, with its store and bytes if ``user`` may see it; otherwise raise Http404.

    Of one that was purged nothing is left to act on; its history can still be read by its path.
    """
    files = MemoryEntry.objects.files().filter(store__in=stores_for(user)).exclude(state=State.PURGED)
    entry = files.filter(uuid=uuid).select_related("store", "blob").first()
    if entry is None:
        raise Http404("There is no such file, or you are not a member of its store.")
    return entry


def role_of(user: User, store: MemoryStore) -> Role | None:
    """Return the person's role in the store; None for the operator without one, and for everybody else."""
    role = Member.objects.filter(store=store, user=user).values_list("role", flat=True).first()
    return Role(role) if role else None


def may_write(user: User, store: MemoryStore) -> bool:
    """Return whether ``user`` may change what is in the store: its curators, its owners and the operator."""
    return user.is_superuser or role_of(user, store) in (Role.CURATOR, Role.OWNER)


def writable_among(user: User, stores: Collection[MemoryStore]) -> set[int]:
    """Return the ids of those among ``stores`` whose content ``user`` may change; one query at most."""
    ids = {store.pk for store in stores}
    if user.is_superuser or not ids:
        return ids
    members = Member.objects.filter(user=user, store__in=ids, role__in=(Role.CURATOR, Role.OWNER))
    return set(members.values_list("store_id", flat=True))


def may_own(user: User, store: MemoryStore) -> bool:
    """Return whether ``user`` may change the store's settings and members: its owners and the operator."""
    return user.is_superuser or role_of(user, store) is Role.OWNER
