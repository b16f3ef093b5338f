"""Figures and times in the words that pages use."""

from datetime import datetime, timedelta

from django.utils import timezone

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def filesize(size: int) -> str:
    """Return a number of bytes as the memory tool prints it: "0B", "812B", "1.2K", "100.0M"."""
    if size < 1024:
        return f"{size}B"
    amount = float(size)
    for unit in "KMGT":
        amount /= 1024
        if amount < 1024 or unit == "T":
            break
    return f"{amount:.1f}{unit}"


def thousands(number: int) -> str:
    """Return the number with a comma at each thousand and a true minus sign."""
    return f"{number:,}".replace("-", "−")


def counted(number: int, thing: str) -> str:
    """Return "1 file", "14 files"."""
    return f"{thousands(number)} {thing}{'' if number == 1 else 's'}"


def day(moment: datetime) -> str:
    """Return "27 Nov", with the year when it is not this one."""
    moment = timezone.localtime(moment)
    year = "" if moment.year == timezone.localtime().year else f" {moment.year}"
    return f"{moment.day} {moment:%b}{year}"


def exact(moment: datetime) -> str:
    """Return "27 Nov 2026, 16:20:05 UTC"."""
    moment = timezone.localtime(moment)
    return f"{moment.day} {moment:%b %Y, %H:%M:%S %Z}"


def moment(then: datetime) -> str:
    """Return "27 Nov, 16:20:05", with the year when it is not this one."""
    return f"{day(then)}, {timezone.localtime(then):%H:%M:%S}"


def ago(moment: datetime) -> str:
    """Return how long ago it was within a day ("26 min ago"), else the day; a time to come is "in 6 min"."""
    passed = timezone.now() - moment
    size = abs(passed)
    if size >= DAY:
        return day(moment)
    if size < MINUTE:
        return "just now"
    words = f"{size // MINUTE} min" if size < HOUR else f"{size // HOUR} h"
    return f"{words} ago" if passed > timedelta() else f"in {words}"


def share(value: int, limit: int) -> str:
    """Return the value's share of the limit as whole percent: "0%", "<1%", "94%"; "100%" only when it is reached."""
    if value <= 0 or limit <= 0:
        return "0%"
    percent = value * 100 / limit
    if percent < 1:
        return "<1%"
    return f"{int(percent)}%"
