"""The life of a follower: woken by the system when something changes, and by the clock when nobody told."""

import os
import time
from collections.abc import Callable, Iterator
from threading import Event
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from agents.folders.claims import ClaimLost
from agents.folders.following import Follower
from agents.folders.news import Told
from agents.models import WatchedFolder
from memories.refusals import Busy
from memories.transfer.looking import is_temporary

TICK_SECONDS: Final = 0.25
DEBOUNCE_SECONDS: Final = 0.2
BLIND_SECONDS: Final = 2.0
"""How often a folder is looked through of whose changes the system does not tell."""

SETTLE_SECONDS: Final = 20.0

ROW_SECONDS: Final = 2.0
"""How often the folder's row is asked whether it is still to be followed."""


class Loop:
    """Looks when it is due, keeps the claim, and hears what people decide about the folder."""

    def __init__(self, follower: Follower, told: Told, stop: Event, *, rest: Callable[[], None] | None = None) -> None:
        self._follower, self._told, self._stop = follower, told, stop
        self._rest = rest
        self._look_at = self._row_at = self._hold_at = 0.0
        self._every = settings.MEMDASH_WATCH_SECONDS
        self._is_away = False

    def run(self) -> None:
        """Follow until told to stop; raise ClaimLost when somebody else follows the folder, or nobody should."""
        while not self._stop.is_set():
            watched = self._watched()
            # What changes before the system begins to tell is found by a look after that.
            self._look_at, self._every = 0.0, settings.MEMDASH_WATCH_SECONDS
            for has_changed in self._wakes():
                self._tick(has_changed=has_changed)
                if self._watched() != watched:
                    # What the system tells is of directories that are no longer all there are.
                    break

    def settle(self) -> None:
        """Look until nothing is about to change any more, for :data:`SETTLE_SECONDS` at most, or told to stop."""
        self._tick(has_changed=True)
        deadline = time.monotonic() + SETTLE_SECONDS
        while (self._is_away or self._follower.is_unsettled) and time.monotonic() < deadline:
            if self._stop.is_set():
                return
            self._stop.wait(TICK_SECONDS)
            self._tick(has_changed=True)

    def _tick(self, *, has_changed: bool) -> None:
        now = time.monotonic()
        follower = self._follower
        is_due = has_changed or now >= self._look_at or follower.has_more(now) or self._has_moved()
        if not is_due and now < self._row_at:
            return
        try:
            if now >= self._row_at:
                self._ask_row(now)
            if is_due:
                self._look_at = now + self._every
                follower.look(now)
            self._answered(True)
        except Busy:
            self._look_at = now + TICK_SECONDS
        except (DatabaseError, InterfaceError):
            # It may be away for minutes. The folder keeps what it holds, and the next look finds all of it.
            self._look_at = self._row_at = now + ROW_SECONDS
            self._answered(False)
            connection.close()
        finally:
            if self._rest:
                self._rest()

    def _ask_row(self, now: float) -> None:
        """Hear whether deletions were accepted, and hold the claim; raise ClaimLost when the folder is given up."""
        follower = self._follower
        self._row_at = now + ROW_SECONDS
        row = WatchedFolder.objects.filter(pk=follower.folder.pk)
        found = row.values_list("agent__archived_at", "accepted_at", "accepted_by").first()
        if found is None or found[0] is not None:
            raise ClaimLost
        if found[1] is not None:
            is_news = follower.holdings.accept(found[1], found[2])
            self._look_at = now if is_news else self._look_at
        if now >= self._hold_at:
            self._hold_at = now + settings.MEMDASH_RENEW_SECONDS
            follower.claim.hold()
            if follower.disk.place is not None:
                follower.claim.write(looked_at=timezone.now())

    def _watched(self) -> tuple[tuple[int, int] | None, set[str]]:
        """Return what the system is to tell of: the directory that lies there, and those below it."""
        return self._follower.disk.place, self._follower.disk.directories

    def _has_moved(self) -> bool:
        """Return whether another directory, or none, lies where the folder was."""
        if self._follower.disk.place is None:
            return False
        try:
            facts = os.lstat(self._follower.disk.root)
        except OSError:
            return True
        return (facts.st_dev, facts.st_ino) != self._follower.disk.place

    def _answered(self, is_there: bool) -> None:
        if self._is_away == is_there:
            self._told.folder(
                "The database answers again." if is_there else "The database does not answer; trying again.",
                is_bad=not is_there,
            )
        self._is_away = not is_there

    def _wakes(self) -> Iterator[bool]:
        """Yield several times a second, each time with whether something changed."""
        if self._follower.disk.place is None:
            while not self._stop.wait(2 * TICK_SECONDS):
                yield True
            return
        from watchfiles import watch  # noqa: PLC0415  (only of use where a folder is followed)

        root = self._follower.disk.root
        try:
            for changes in watch(
                # Each by its name: told to go on below by itself, it would follow links, however far they lead.
                *(root, *(root / name for name in self._follower.disk.directories)),
                recursive=False,
                watch_filter=lambda _, path: not is_temporary(os.path.basename(path)),  # noqa: PTH119  (text, not a place)
                debounce=int(DEBOUNCE_SECONDS * 1000),
                step=100,
                rust_timeout=int(TICK_SECONDS * 1000),
                yield_on_timeout=True,
                stop_event=self._stop,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                yield bool(changes)
        except FileNotFoundError:
            # One went meanwhile: the next look finds which.
            yield not self._stop.wait(TICK_SECONDS)
        except (OSError, RuntimeError):
            self._told.folder(
                f"The system cannot tell of changes in this folder; looking every {BLIND_SECONDS:g} s.", is_bad=True
            )
            self._every = BLIND_SECONDS
            while not self._stop.wait(TICK_SECONDS):
                yield False
