"""Slowing down whoever guesses passwords: growing waits per account and per address.

Names that no account has are counted like the others, so that the answers tell nothing about who has an account.
"""

import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from memdash.accounts.models import Tries

LONGEST_WAIT: Final = timedelta(minutes=15)
FORGET_AFTER: Final = timedelta(hours=1)
IPV6_NETWORK_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Limit:
    """Whose tries are counted together, and how many of them are free of waiting."""

    key: str
    free: int

    def wait_after(self, failures: int) -> timedelta:
        """Return the wait after so many failures: none, then 1 s, doubled each time, at most 15 minutes."""
        if failures < self.free:
            return timedelta()
        return min(LONGEST_WAIT, timedelta(seconds=2 ** min(failures - self.free, 10)))


def limits_for(request: HttpRequest, name: str) -> tuple[Limit, Limit]:
    """Return the limits that a try to sign in as ``name`` counts against."""
    return Limit(_key("account", name.casefold()), free=5), limit_of_address(request, "address", free=20)


def limit_of_address(request: HttpRequest, kind: str, free: int) -> Limit:
    """Return the limit that tries from the request's address count against, for each kind of try another one."""
    return Limit(_key(kind, _network(request)), free)


def claim(limits: tuple[Limit, ...]) -> timedelta:
    """Count a try as failed before it is looked at and return zero, or return how long to wait and count nothing.

    Counting first means that many guesses sent at once get no further than the same number one after another.
    """
    now = timezone.now()
    with transaction.atomic():
        # In one order, so that two tries never wait for each other's row.
        rows = [_locked(limit, now) for limit in sorted(limits, key=lambda limit: limit.key)]
        longest = max(row.wait_until for _, row in rows)
        if longest > now:
            return longest - now
        for limit, row in rows:
            row.failures = 1 if now - row.wait_until > FORGET_AFTER else row.failures + 1
            row.wait_until = now + limit.wait_after(row.failures)
            row.save()
    return timedelta()


def forgive(limits: tuple[Limit, ...]) -> None:
    """Forget the failures after somebody got in."""
    Tries.objects.filter(key__in=[limit.key for limit in limits]).delete()


def _locked(limit: Limit, now: datetime) -> tuple[Limit, Tries]:
    row, _ = Tries.objects.select_for_update().get_or_create(key=limit.key, defaults={"wait_until": now})
    return limit, row


def _key(kind: str, value: str) -> str:
    return salted_hmac(f"memdash.tries.{kind}", value, algorithm="sha256").hexdigest()


def _network(request: HttpRequest) -> str:
    # One subscriber of IPv6 has a whole /64 to come from.
    try:
        address = ipaddress.ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return ""
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, IPV6_NETWORK_BITS), strict=False))
