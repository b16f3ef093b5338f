"""What a folder held when it was last in step with the store, and what of it is gone without being deleted here."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from agents.folders.claims import Claim
from agents.folders.disk import Disk
from agents.folders.matching import Known, too_many
from agents.models import WatchedFolder

BATCH_PATHS = 100


class _Acceptance(NamedTuple):
    """Somebody said that what was missing by then was meant to be deleted."""

    until: datetime
    by: str

    def covers(self, known: Known) -> bool:
        return known.missing_since is not None and known.missing_since <= self.until


class Holdings(dict[str, Known]):
    """The files that a folder held, by path, as its rows say; what is marked here is kept there at once."""

    def __init__(self, folder: WatchedFolder, claim: Claim) -> None:
        rows = folder.files.values_list("path", "sha256", "inode", "missing_since")
        super().__init__({path: Known(digest, inode, missing) for path, digest, inode, missing in rows})
        self._folder, self._claim = folder, claim
        self._acceptance: _Acceptance | None = None
        self._accepts_all = ""
        if folder.accepted_at:
            self.accept(folder.accepted_at, folder.accepted_by)

    @property
    def missing(self) -> int:
        """Return how many files are gone without being taken for deleted."""
        return sum(known.missing_since is not None for known in self.values())

    @property
    def reason(self) -> str:
        """Return why files that are missing are deleted; nothing when they are not."""
        return f"Deletions accepted by {self._acceptance.by}" if self._acceptance else ""

    def accept(self, until: datetime, by: str) -> bool:
        """Have what is missing since ``until`` or longer count as deleted; return whether that is news."""
        is_news = self._acceptance != (until, by)
        self._acceptance = _Acceptance(until, by)
        return is_news

    def accept_all(self, by: str) -> None:
        """Have whatever the next look finds gone count as deleted, and nothing that goes later."""
        self._accepts_all = by

    def meet(self, disk: Disk, away: Collection[str]) -> None:
        """Let go of what came back, and, where all was accepted, note what is gone now."""
        self._mark([path for path, known in self.items() if known.missing_since and disk.holds(path)], None)
        if self._accepts_all:
            self.hold([path for path in away if not self[path].missing_since])
            until, by = timezone.now(), self._accepts_all
            self._claim.write(accepted_at=until, accepted_by=by)
            self.accept(until, by)
            self._accepts_all = ""

    def accepted(self, away: Iterable[str]) -> set[str]:
        """Return which of the files that are away are to be deleted because somebody said so."""
        acceptance = self._acceptance
        return {path for path in away if acceptance.covers(self[path])} if acceptance else set()

    def settle_acceptance(self) -> None:
        """Forget what was accepted once all of it is deleted or back; one that could not be deleted yet keeps it."""
        acceptance = self._acceptance
        if acceptance is None or any(acceptance.covers(known) for known in self.values()):
            return
        # Not what somebody accepted since.
        ours = WatchedFolder.objects.filter(pk=self._folder.pk, accepted_at=acceptance.until)
        ours.update(accepted_at=None, accepted_by="")
        self._acceptance = None

    def is_accident(self, going: Collection[str], disk: Disk) -> bool:
        """Return whether these files, gone at once, are more likely out of reach than deleted."""
        here = len(self) - self.missing
        return too_many(len(going), here) or (disk.is_bare and 0 < len(going) == here)

    def hold(self, paths: Collection[str]) -> None:
        """Keep that files are gone which are not to be deleted unless somebody says so."""
        self._claim.hold()
        self._mark(list(paths), timezone.now())

    def _mark(self, paths: list[str], since: datetime | None) -> None:
        for start in range(0, len(paths), BATCH_PATHS):
            self._folder.files.filter(path__in=paths[start : start + BATCH_PATHS]).update(missing_since=since)
        for path in paths:
            self[path] = self[path]._replace(missing_since=since)
