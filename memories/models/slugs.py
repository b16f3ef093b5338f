"""Slugs made from names."""

from collections.abc import Callable
from typing import Final, TypeVar

from django.db import IntegrityError, models, transaction
from django.utils.text import slugify

from memories import replies
from memories.refusals import Busy
from memories.text import storable

Row = TypeVar("Row", bound=models.Model)

SLUG = 80

TRIES: Final = 10
"""Slugs that are tried when others take them first."""


def free_slug(rows: type[models.Model], name: str, otherwise: str) -> str:
    """Return a slug for ``name`` that none of ``rows`` has, with a number behind it where the plain one is taken.

    ``otherwise`` stands for a name of which no letter can be part of a slug.
    """
    stem = slugify(name)[: SLUG - 6] or otherwise
    taken = set(rows._default_manager.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug, number = stem, 1
    while slug in taken:
        number += 1
        slug = f"{stem}-{number}"
    return slug


def with_free_slug(rows: type[Row], name: str, otherwise: str, make: Callable[[str], Row]) -> Row:
    """Return what ``make`` makes of a slug for ``name``, as :func:`free_slug` gives it.

    Where somebody else takes that slug in the same moment, the next one is tried.
    """
    for _ in range(TRIES):
        slug = free_slug(rows, name, otherwise)
        try:
            with transaction.atomic():
                return make(slug)
        except IntegrityError:
            if not rows._default_manager.filter(slug=slug).exists():
                raise
    raise Busy(replies.BUSY)


def with_slug(rows: models.QuerySet[Row], slug: str) -> models.QuerySet[Row]:
    """Return those of ``rows`` that have the slug; any text may be given, also one that no database takes."""
    return rows.filter(slug=slug) if storable(slug) else rows.none()
