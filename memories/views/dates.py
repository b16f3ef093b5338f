"""Dates that people type or pick, as moments."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone


def end_of(given: str) -> datetime | None:
    """Return the end of the day, minute or second that a date names, in the zone of the installation; None for none."""
    try:
        if len(given) == len("2026-11-27"):
            begun, lasts = datetime.combine(date.fromisoformat(given), time()), timedelta(days=1)
        else:
            begun = datetime.fromisoformat(given)
            lasts = timedelta(seconds=1) if given.count(":") > 1 else timedelta(minutes=1)
        aware = begun if begun.tzinfo else timezone.make_aware(begun)
        # A moment that no database can keep is none, which only its time in UTC tells.
        return aware.astimezone(UTC) + lasts
    except (ValueError, OverflowError):
        return None
