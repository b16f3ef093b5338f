"""When the made-up past took place: so many working days before the moment of the start, at a time of day."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

SATURDAY = 5


@dataclass(frozen=True, slots=True)
class At:
    """A time of day, ``HH:MM``, so many working days ago; 1 is the last one before today."""

    days_ago: int
    clock: str

    def before(self, now: datetime) -> datetime:
        """Return the moment, in the zone of the installation."""
        day = _working_day(timezone.localtime(now).date(), self.days_ago)
        return timezone.make_aware(datetime.combine(day, time.fromisoformat(self.clock)))


def _working_day(today: date, ago: int) -> date:
    day = today
    while ago:
        day -= timedelta(days=1)
        ago -= day.weekday() < SATURDAY
    return day
