"""Following a folder: each look finds what changed on disk since the store and the folder were last in step."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from threading import Event
from typing import Final

from django.utils import timezone

from agents.folders.claims import Claim
from agents.folders.disk import Disk
from agents.folders.holdings import Holdings
from agents.folders.matching import Fresh, Known, akin, moves
from agents.folders.news import Told, line_on, missing_words, paused_words, word_for
from agents.folders.resting import CUT_SHORT, Resting
from agents.folders.taking import Change, Taken, take
from agents.folders.waiting import AGAIN_SECONDS, Waiting, name_of
from agents.models import WatchedFolder
from memories.models import Blob, MemoryStore
from memories.store import blobs
from memories.transfer.looking import Facts
from memories.transfer.manifest import ManifestRefused
from memories.transfer.opening import NoSource
from memories.transfer.source import WENT_AWAY, shown

BATCH_FILES: Final = 100
BATCH_BYTES: Final = 4 * 1024 * 1024


class Follower:
    """Takes the changes of one folder into its agent's store, under a claim on it.

    What the folder held is known from the rows that were written with the versions; in memory there is only what makes
    looking cheap. So it does not matter when a process is killed: the next one finds what differs.
    """

    def __init__(self, folder: WatchedFolder, claim: Claim, told: Told, stop: Event) -> None:
        self.folder = folder
        self.claim = claim
        self.disk = Disk(folder, claim)
        self.holdings = Holdings(folder, claim)
        self.counts: Counter[str] = Counter()
        self.is_unsettled = True
        """Whether something was found that has not come to rest."""
        self._told, self._stop = told, stop
        self._resting = Resting()
        self._waiting = Waiting()
        self._trouble = ""
        self._max_bytes = folder.agent.store.max_file_bytes
        self._again_at = 0.0

    @property
    def waiting(self) -> int:
        """Return how many files could not be taken yet."""
        return len(self._waiting)

    def has_more(self, now: float) -> bool:
        """Return whether the next look should not wait for news: something is about to rest, or to be tried again."""
        return self.is_unsettled or self._waiting.is_any_due(now) or 0 < self._again_at <= now

    def look(self, now: float) -> None:
        """Look through the folder and take what changed and has come to rest; ``now`` is in seconds, by any clock.

        Raises ClaimLost, and Busy or the database's errors, after which the next look finds it all again.
        """
        self.is_unsettled, self._again_at = False, 0.0
        try:
            with self.disk.look() as has_files:
                problem = self._follow(now) if has_files else ""
        except (NoSource, ManifestRefused) as trouble:
            self._problem(str(trouble))
            return
        self._note_waiting()
        self._problem(problem)

    def _follow(self, now: float) -> str:
        """Take what is due and return why the folder cannot be followed wholly, or nothing."""
        disk, waiting, known = self.disk, self._waiting, self.holdings
        away = disk.away(known)
        waiting.keep({*disk.files, *disk.closed, *away})
        known.meet(disk, away)
        for name, why in disk.closed.items():
            if waiting.is_due(name, None, now):
                self._wait(name, None, why, now)
        changed = {name: facts for name, facts in disk.changed().items() if waiting.is_due(name, facts, now)}
        held = waiting.partners(now)
        due = {path for path in away if path not in held and waiting.is_due(path, None, now)}
        gone = {path for path in due if not known[path].missing_since}
        ready = self._resting.at_rest(changed, now)
        are_gone = self._resting.are_gone(gone, now)
        if len(ready) < len(changed) or not are_gone:
            self.is_unsettled = True
        going = gone | known.accepted(due) if are_gone else set()
        if not ready and not going:
            known.settle_acceptance()
            return missing_words(known.missing)
        store = MemoryStore.objects.get(pk=self.folder.agent.store_id)
        self._max_bytes = store.max_file_bytes
        if store.paused_at:
            self.is_unsettled, self._again_at = False, now + AGAIN_SECONDS
            return paused_words(store.paused_by)
        found = self._read(ready, now, wait_for_gone=not are_gone)
        busy = {str(facts.inode) for name, facts in changed.items() if name not in ready}
        going = {path for path in going if known[path].inode not in busy}
        missing = {path for path in away if known[path].missing_since}
        accepted, changes = self._plan(found, going, missing)
        self._take(accepted, now, why=known.reason)
        self._take(changes, now)
        known.settle_acceptance()
        return missing_words(known.missing)

    def _read(self, ready: Sequence[str], now: float, *, wait_for_gone: bool) -> list[Change]:
        """Return the changes of files that are at rest; their bytes are read again when they are taken.

        With ``wait_for_gone`` new files are left for a later look: one that is about to count as gone may have come
        there.
        """
        changes = []
        for name in ready:
            facts, path = self.disk.files[name], self.disk.path_of(name)
            if path and (first := self.disk.name_at(path)) != name:
                self._wait(name, facts, f"its path is that of {shown(first)}, once letters are composed", now)
                continue
            file = self.disk.read(name, self._max_bytes)
            if file.fault and file.fault != WENT_AWAY:
                self._wait(name, facts, file.fault, now)
                continue
            digest, known, inode = sha256(file.data).hexdigest(), self.holdings.get(path), str(facts.inode)
            if not file.fault and known and known.sha256 == digest:
                self._settle(name, known._replace(inode=inode))
                self.counts["already there"] += 1
            elif (
                file.fault
                or (_is_cut_short(file.data) and self._resting.age(name, now) < CUT_SHORT)
                or (known is None and wait_for_gone)
            ):
                self.is_unsettled = True
            else:
                changes.append(Change(path, known, replace(file, data=b""), digest, inode))
        return changes

    def _plan(self, found: list[Change], going: set[str], missing: set[str]) -> tuple[list[Change], list[Change]]:
        """Return the deletions that somebody accepted, and the other changes in the order in which they are made.

        These are deletions first, then renames, then the rest.
        """
        holdings = self.holdings
        candidates = {path: holdings[path] for path in going | missing}
        fresh = [Fresh(change.path, change.sha256, change.inode) for change in found if change.known is None]
        moved, perhaps = moves(candidates, fresh)
        moved.update({path: old for path, old in perhaps.items() if self._is_edited(path, holdings[old])})
        going = going - set(moved.values())
        leaving = going - missing
        if holdings.is_accident(leaving, self.disk):
            holdings.hold(leaving)
            leaving = set()
        renames = [
            replace(change, known=holdings[moved[change.path]], came_from=moved[change.path])
            for change in found
            if change.path in moved
        ]
        rest = [change for change in found if change.path not in moved]
        accepted, deletions = ([Change(path, holdings[path]) for path in paths] for paths in (going & missing, leaving))
        return _by_path(accepted), [*_by_path(deletions), *_by_path(renames), *_by_path(rest)]

    def _is_edited(self, path: str, known: Known) -> bool:
        """Return whether the file is what the folder held elsewhere, edited: its inode alone may be another's now."""
        blob = Blob.objects.filter(store=self.folder.agent.store_id, sha256=known.sha256).first()
        new = self.disk.read(self.disk.name_at(path), self._max_bytes)
        if blob is None or new.fault:
            return False
        old = blobs.unpack(blob.encoding, blob.data)
        return akin(old.decode(errors="replace"), new.data.decode(errors="replace"))

    def _take(self, changes: Sequence[Change], now: float, *, why: str = "") -> None:
        for batch in self._batches(changes):
            if self._stop.is_set():
                return
            filled = [full for change in batch if (full := self._filled(change))]
            for taken in take(self.folder, self.claim, filled, reason=why) if filled else ():
                self._done(taken, now)

    def _filled(self, change: Change) -> Change | None:
        """Return the change with the bytes of its file; None when it is no longer what it was."""
        if change.found is None:
            return change
        name = self.disk.name_at(change.path)
        file = self.disk.read(name, self._max_bytes)
        if file.fault or sha256(file.data).hexdigest() != change.sha256 or not self.disk.stands(name):
            self.is_unsettled = True
            return None
        return replace(change, found=file)

    def _batches(self, changes: Sequence[Change]) -> Iterator[list[Change]]:
        batch: list[Change] = []
        size = 0
        for change in changes:
            batch.append(change)
            size += self.disk.files[self.disk.name_at(change.path)].size if change.found else 0
            if len(batch) == BATCH_FILES or size > BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _done(self, taken: Taken, now: float) -> None:
        change = taken.change
        name = self.disk.name_at(change.path) if change.found else ""
        if taken.refused:
            self._wait(name or change.path, self.disk.files.get(name), taken.refused, now, change.came_from)
            return
        self.holdings.pop(change.came_from, None)
        if name:
            self._settle(name, Known(change.sha256, change.inode))
        else:
            self._waiting.remove(change.path)
            self.holdings.pop(change.path, None)
        self.counts[word_for(taken)] += 1
        if line := line_on(taken):
            self._told.file(line)

    def _settle(self, name: str, known: Known) -> None:
        self.disk.settle(name)
        self._waiting.remove(name)
        self.holdings[self.disk.path_of(name)] = known

    def _wait(self, key: str, facts: Facts | None, why: str, now: float, came_from: str = "") -> None:
        if self._waiting.add(key, facts, why, now, came_from):
            self._told.file(f"waits {name_of(key)}: {why}")

    def _note_waiting(self) -> None:
        """Keep on the folder's row which files wait and why, where people see it."""
        listed = self._waiting.listed()
        if listed != self.folder.waiting or len(self._waiting) != self.folder.waiting_count:
            self.claim.write(waiting=listed, waiting_count=len(self._waiting))
            self.folder.waiting, self.folder.waiting_count = listed, len(self._waiting)

    def _problem(self, words: str) -> None:
        """Keep on the folder's row why it cannot be followed, and tell when that begins and ends."""
        if words != self.folder.problem:
            self.folder.problem, self.folder.problem_since = words, timezone.now() if words else None
            self.claim.write(problem=words[:1000], problem_since=self.folder.problem_since)
        if words != self._trouble:
            self._told.folder(words or "The folder is in order again.", is_bad=bool(words))
        self._trouble = words


def _by_path(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: change.path)


def _is_cut_short(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 that ends in the middle of a character."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False
