"""Numbers in addresses."""

from typing import Final

from django.http import HttpRequest

MOST_DIGITS: Final = 9


def number_in(request: HttpRequest, name: str) -> int | None:
    """Return the whole number that an address gives under ``name``, or None for anything else."""
    given = request.GET.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) <= MOST_DIGITS else None
