"""Making stores."""

from django.db import transaction
from django.utils import timezone

from memories.models import MemoryStore
from memories.models.slugs import with_free_slug


def create_store(*, name: str, slug: str | None = None, description: str = "") -> MemoryStore:
    """Make an empty store and return it.

    Without ``slug`` one is made from the name, with a number behind it when it is taken; a slug that was asked for and
    is taken raises IntegrityError.
    """

    def make(slug: str) -> MemoryStore:
        return MemoryStore.objects.create(slug=slug, name=name, description=description, created_at=timezone.now())

    with transaction.atomic():
        return make(slug) if slug else with_free_slug(MemoryStore, name, "store", make)


def reads_go_unseen(store_id: int, on: bool) -> None:
    """Keep that from now on an agent may read what the store holds where no read can be seen, or that none does."""
    stores = MemoryStore.objects.filter(pk=store_id)
    if on:
        stores.filter(unseen_since=None).update(unseen_since=timezone.now())
    else:
        stores.update(unseen_since=None)
