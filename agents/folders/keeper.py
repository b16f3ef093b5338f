"""Follows the folders that were registered in the browser, in threads of the process that serves pages."""

import logging
import threading
import time
from typing import Final

from django.db import DatabaseError, InterfaceError, connection

from agents.folders import claims
from agents.folders.following import Follower
from agents.folders.loop import Loop
from agents.models import WatchedFolder

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0

AGAIN_SECONDS: Final = 30.0
"""How long a folder is left alone after an error that nobody foresaw."""


class _Log:
    """Tells the log of the folder, and of its files only where that may hold their names."""

    def __init__(self, folder: WatchedFolder) -> None:
        self._path = folder.path

    def file(self, line: str) -> None:
        logger.debug("%s: %s", self._path, line)

    def folder(self, line: str, *, is_bad: bool) -> None:
        logger.log(logging.WARNING if is_bad else logging.INFO, "%s: %s", self._path, line)


class Keeper:
    """One thread that sees to the others, each of which follows one folder."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._following: dict[int, threading.Thread] = {}
        self._failed: dict[int, float] = {}

    def start(self) -> None:
        """Follow what there is to follow, and what is registered later; return at once."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._keep, name="folders", daemon=True)
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """Let go of every folder, and return whether all threads ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self._stop.set()
        threads = [thread for thread in (self._thread, *self._following.values()) if thread]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _keep(self) -> None:
        while not self._stop.is_set():
            try:
                self._look()
            except (DatabaseError, InterfaceError):
                logger.warning("the database does not answer, so no further folders are followed; trying again")
            except Exception:  # whatever it was, folders registered later depend on this thread
                logger.exception("folders could not be looked for; trying again")
            finally:
                connection.close()
            self._stop.wait(LOOK_SECONDS)

    def _look(self) -> None:
        self._following = {pk: thread for pk, thread in self._following.items() if thread.is_alive()}
        wanted = WatchedFolder.objects.filter(in_background=True, agent__archived_at=None)
        now = time.monotonic()
        for pk, at in list(self._failed.items()):
            if now - at > AGAIN_SECONDS:
                del self._failed[pk]
        for folder in wanted.exclude(pk__in=[*self._following, *self._failed]).select_related("agent__store"):
            if claim := claims.take(folder.pk):
                name = f"folder-{folder.pk}"
                thread = threading.Thread(target=self._follow, args=(folder, claim), name=name, daemon=True)
                self._following[folder.pk] = thread
                thread.start()

    def _follow(self, folder: WatchedFolder, claim: claims.Claim) -> None:
        told = _Log(folder)
        try:
            follower = Follower(folder, claim, told, self._stop)
            Loop(follower, told, self._stop, rest=connection.close).run()
        except claims.ClaimLost:
            told.folder("It is no longer followed by this process.", is_bad=False)
        except Exception:  # the keeper begins again, and pages and other folders go on
            logger.exception("a folder could not be followed further; beginning again in %d s", AGAIN_SECONDS)
            self._failed[folder.pk] = time.monotonic()
        finally:
            try:
                claim.release()
            except (DatabaseError, InterfaceError):
                logger.warning("a folder could not be let go; its claim lapses")
            connection.close()


KEEPER = Keeper()
