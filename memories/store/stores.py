"""Making stores."""

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from memories.models import MemoryStore

SLUG = 80


def create_store(*, name: str, slug: str | None = None, description: str = "") -> MemoryStore:
    """Make an empty store and return it.

    Without ``slug`` one is made from the name, with a number behind it when it is taken; a slug that was asked for and
    is taken raises IntegrityError.
    """
    with transaction.atomic():
        return MemoryStore.objects.create(
            slug=slug or _free_slug(name), name=name, description=description, created_at=timezone.now()
        )


def _free_slug(name: str) -> str:
    stem = slugify(name)[: SLUG - 6] or "store"
    taken = set(MemoryStore.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug, number = stem, 1
    while slug in taken:
        number += 1
        slug = f"{stem}-{number}"
    return slug
