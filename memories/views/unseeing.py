"""Addresses that take marks of what was seen back: they name the moment of the mark, in microseconds."""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.http import Http404
from django.urls import reverse

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unsee_url(moment: datetime | None) -> str:
    """Return the address that takes back what was marked at a moment; empty where nothing was."""
    return reverse("memories:unsee", args=[(moment - EPOCH) // timedelta(microseconds=1)]) if moment else ""


def moment_of(number: int) -> datetime:
    """Return the moment that an address names; Http404 where there is none."""
    try:
        return EPOCH + timedelta(microseconds=number)
    except OverflowError as error:
        raise Http404("There is no such moment.") from error
