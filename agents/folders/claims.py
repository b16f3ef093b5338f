"""Who follows a folder: one process at a time, by a claim on the folder's row that lapses when nobody renews it."""

import os
import socket
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from agents.models import WatchedFolder

_ours: set[str] = set()


class ClaimLost(Exception):
    """Somebody else follows the folder now, or nobody should any more; nothing was written."""


class Claim:
    """A claim on a folder. Whatever is written under it is written only as long as it holds."""

    def __init__(self, folder_id: int, token: str) -> None:
        self.folder_id = folder_id
        self._token = token

    def hold(self) -> None:
        """Go on holding the folder for a while; raise ClaimLost. Inside a transaction it keeps others out of it."""
        self.write(claimed_until=_lapse())

    def write(self, **changes: Any) -> None:
        """Change the folder's row, or raise ClaimLost."""
        if not WatchedFolder.objects.filter(pk=self.folder_id, claim=self._token).update(**changes):
            raise ClaimLost

    def release(self) -> None:
        """Let others follow the folder at once; a claim that is lost is let go already."""
        _ours.discard(self._token)
        WatchedFolder.objects.filter(pk=self.folder_id, claim=self._token).update(claim="", claimed_until=None)


def take(folder_id: int) -> Claim | None:
    """Claim the folder, or return None while a living process follows it or it is no longer there."""
    row = WatchedFolder.objects.filter(pk=folder_id).values_list("claim", "claimed_until").first()
    if row is None:
        return None
    held, until = row
    now = timezone.now()
    if held and until and until > now and not _is_dead(held):
        return None
    token = f"{socket.gethostname()[:80]}:{os.getpid()}:{uuid.uuid4().hex}"
    free = Q(claim=held) if held else Q(claim="")
    _ours.add(token)
    if not WatchedFolder.objects.filter(free, pk=folder_id).update(claim=token, claimed_until=now + _span()):
        _ours.discard(token)
        return None
    return Claim(folder_id, token)


def follower_of(folder: WatchedFolder) -> str:
    """Return which process follows the folder, in words; nothing when none does."""
    if not folder.claim or folder.claimed_until is None or folder.claimed_until <= timezone.now():
        return ""
    if _is_dead(folder.claim):
        return ""
    machine, process, _ = folder.claim.rsplit(":", 2)
    return f"process {process} on {machine}"


def _is_dead(token: str) -> bool:
    """Return whether the holder was a process of this machine and is known to have ended; it need not lapse then."""
    machine, process, _ = token.rsplit(":", 2)
    if machine != socket.gethostname()[:80]:
        return False
    if int(process) == os.getpid():
        # In a container every process may have the same number as the one before it.
        return token not in _ours
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _span() -> timedelta:
    return timedelta(seconds=settings.MEMDASH_LEASE_SECONDS)


def _lapse() -> datetime:
    return timezone.now() + _span()
