"""Dates that people type or pick, as moments."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.utils import timezone

from memdash.web.errors import NotUnderstood

SHOWN: Final = 40
HALFWAY: Final = 5_000
BEGUN, OVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def end_of(given: str) -> datetime | None:
    """Return the end of the day, minute or second that a date names, in the zone of the installation; None for none.

    A date before or after all that a database can keep is one at that end. Raises NotUnderstood for what is no date.
    """
    if not given:
        return None
    try:
        if len(given) == len("2026-11-27"):
            begun, lasts = datetime.combine(date.fromisoformat(given), time()), timedelta(days=1)
        else:
            begun = datetime.fromisoformat(given)
            lasts = timedelta(seconds=1) if given.count(":") > 1 else timedelta(minutes=1)
        aware = begun if begun.tzinfo else timezone.make_aware(begun)
    except (ValueError, OverflowError):
        raise NotUnderstood(f"“{given[:SHOWN]}” is no date. Nothing was changed; go back and choose one.") from None
    try:
        return aware.astimezone(UTC) + lasts
    except OverflowError:
        return BEGUN if aware.year < HALFWAY else OVER
