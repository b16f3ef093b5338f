"""Numbers in addresses and forms."""

from typing import Final

from django.http import HttpRequest

MOST_DIGITS: Final = 9


def number_in(request: HttpRequest, name: str) -> int | None:
    """Return the whole number that an address gives under ``name``, or None for anything else."""
    return number_of(request.GET.get(name, ""))


def number_of(given: str) -> int | None:
    """Return the whole number that a text spells in digits alone, or None for any other and one that is too large."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) <= MOST_DIGITS else None
