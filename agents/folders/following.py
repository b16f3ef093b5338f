"""Following a folder: each look finds what changed on disk since the store and the folder were last in step."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Final, Protocol

from django.utils import timezone

from agents.folders.claims import Claim
from agents.folders.matching import Fresh, Known, akin, moves, too_many
from agents.folders.resting import CUT_SHORT, Resting
from agents.folders.taking import Change, Taken, take
from agents.folders.waiting import AGAIN_SECONDS, Waiting, name_of
from agents.models import Layout, WatchedFolder
from memdash.web.formats import counted
from memories.models import Blob, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import PathRefused
from memories.store import blobs
from memories.transfer.looking import Facts, Look, RootGone, look, reason
from memories.transfer.manifest import ManifestRefused
from memories.transfer.source import MEMORIES, WENT_AWAY, NoSource, Source, shown

BATCH_FILES: Final = 100
BATCH_BYTES: Final = 4 * 1024 * 1024


class Told(Protocol):
    """Who hears what becomes of the files and of the folder, a sentence at a time."""

    def file(self, line: str) -> None:
        """Hear of one file, by its name."""
        ...

    def folder(self, line: str, *, is_bad: bool) -> None:
        """Hear that the folder as a whole cannot be followed, or can be again; no file is named."""
        ...


class Follower:
    """Takes the changes of one folder into its agent's store, under a claim on it.

    What the folder held is known from the rows that were written with the versions; in memory there is only what makes
    looking cheap. So it does not matter when a process is killed: the next one finds what differs.
    """

    def __init__(self, folder: WatchedFolder, claim: Claim, told: Told, stop: Event) -> None:
        self.folder = folder
        self.claim = claim
        self.place: tuple[int, int] | None = None
        self.accepts = ""
        self.counts: Counter[str] = Counter()
        self._told, self._stop = told, stop
        self._known = {
            path: Known(digest, inode, missing is not None)
            for path, digest, inode, missing in folder.files.values_list("path", "sha256", "inode", "missing_since")
        }
        self._settled: dict[str, Facts] = {}
        self._paths: dict[str, str] = {}
        self._spellings: dict[str, str] = {}
        self._resting = Resting()
        self._waiting = Waiting()
        self._trouble = ""
        self._max_bytes = folder.agent.store.max_file_bytes
        self._is_unsettled = True
        self._again_at = 0.0

    @property
    def root(self) -> Path:
        """Return the directory in which the files lie."""
        folder = Path(self.folder.path)
        return folder / MEMORIES if self.folder.layout == Layout.MEMORIES else folder

    @property
    def missing(self) -> int:
        """Return how many files are gone without being taken for deleted."""
        return sum(known.missing for known in self._known.values())

    @property
    def waiting(self) -> int:
        """Return how many files could not be taken yet."""
        return len(self._waiting)

    @property
    def is_unsettled(self) -> bool:
        """Return whether something was found that has not come to rest."""
        return self._is_unsettled

    def has_more(self, now: float) -> bool:
        """Return whether the next look should not wait for news: something is about to rest, or to be tried again."""
        return self._is_unsettled or self._waiting.is_any_due(now) or 0 < self._again_at <= now

    def look(self, now: float) -> None:
        """Look through the folder and take what changed and has come to rest.

        Raises ClaimLost, and Busy or the database's errors, after which the same look finds it all again.
        """
        self._is_unsettled, self._again_at = False, 0.0
        try:
            source = self._source()
            seen = look(source.root) if source else None
        except (NoSource, RootGone, ManifestRefused) as trouble:
            self.place = None
            self._problem(str(trouble))
            return
        self.place = seen.place if seen else None
        if source is None or seen is None:
            self._problem("")
            return
        self._name(source, seen)
        problem = self._follow(source, seen, now)
        self._note_waiting()
        self._problem(problem)

    def _source(self) -> Source | None:
        """Return where files are read from; None as long as the folder holds none, so that it is not known where."""
        folder = Path(self.folder.path)
        try:
            folder.lstat()
        except OSError as error:
            raise RootGone(reason(str(folder), error)) from None
        if self.folder.layout == Layout.UNKNOWN:
            source = Source(folder)
            layout = Layout.PLAIN if source.root == folder else Layout.MEMORIES
            if layout == Layout.PLAIN and not look(folder).files:
                return None
            self.claim.write(layout=layout)
            self.folder.layout = layout
            return source
        return Source(folder, has_memories=self.folder.layout == Layout.MEMORIES)

    def _name(self, source: Source, seen: Look) -> None:
        """Give each file that was found the path it stands for; an empty one when it stands for none."""
        if self._spellings != source.spellings:
            self._spellings = source.spellings
            self._paths.clear()
            self._settled.clear()
        if self._paths.keys() == seen.files.keys():
            return
        known = self._paths
        self._paths = {name: known[name] if name in known else _path(source, name) for name in sorted(seen.files)}
        self._settled = {name: facts for name, facts in self._settled.items() if name in seen.files}

    def _follow(self, source: Source, seen: Look, now: float) -> str:
        """Take what is due and return why the folder cannot be followed wholly, or nothing."""
        changed = {
            name: facts
            for name, facts in seen.files.items()
            if self._settled.get(name) != facts and self._waiting.is_due(name, facts, now)
        }
        present = set(self._paths.values())
        away = [path for path in self._known if path not in present]
        if seen.closed:
            away = [path for path in away if not seen.hides(source.name_of(MemoryPath(path)))]
        self._wait_for_closed(seen, now)
        self._waiting.keep(seen.files.keys() | seen.closed.keys() | set(away))
        self._come_back(present)
        kept_back = self._waiting.partners(now)
        gone = {
            path
            for path in away
            if not self._known[path].missing and path not in kept_back and self._waiting.is_due(path, None, now)
        }
        ready = self._resting.at_rest(changed, now)
        are_gone = self._resting.are_gone(gone, now)
        if len(ready) < len(changed) or not are_gone:
            self._is_unsettled = True
        accepted = self.accepts if are_gone else ""
        if not ready and not (gone and are_gone) and not accepted:
            return self._missing_problem()
        store = MemoryStore.objects.get(pk=self.folder.agent.store_id)
        self._max_bytes = store.max_file_bytes
        if store.paused_at:
            self._is_unsettled, self._again_at = False, now + AGAIN_SECONDS
            return f"What agents change is paused by {store.paused_by}. Changes of the folder wait until that ends."
        found = self._read(source, {name: changed[name] for name in ready}, now, wait_for_gone=not are_gone)
        leaving = gone if are_gone else set()
        busy = {str(facts.inode) for name, facts in changed.items() if self._is_new(name) and name not in ready}
        leaving = {path for path in leaving if self._known[path].inode not in busy}
        changes = self._plan(source, found, leaving, away, is_accepted=bool(accepted))
        self._take(source, changes, seen, now, why=accepted)
        if accepted and not self._stop.is_set():
            self.claim.write(accepted_at=None, accepted_by="")
            self.accepts = ""
        return self._missing_problem()

    def _is_new(self, name: str) -> bool:
        return self._paths[name] not in self._known

    def _read(self, source: Source, ready: dict[str, Facts], now: float, *, wait_for_gone: bool) -> dict[str, Change]:
        """Return the changes of files that are at rest, by their names; their bytes are read again when they are taken.

        With ``wait_for_gone`` new files are left for a later look: one that is about to count as gone may have come
        there.
        """
        first = {path: name for name, path in reversed(self._paths.items())}
        found: dict[str, Change] = {}
        for name, facts in ready.items():
            path = self._paths[name]
            if path and first[path] != name:
                self._wait(name, facts, f"its path is that of {shown(first[path])}, once letters are composed", now)
                continue
            file = source.read(name, self._max_bytes)
            if file.fault == WENT_AWAY:
                self._is_unsettled = True
            elif file.fault:
                self._wait(name, facts, file.fault, now)
            elif _cut_short(file.data) and self._resting.age(name, now) < CUT_SHORT:
                self._is_unsettled = True
            else:
                digest, known, inode = sha256(file.data).hexdigest(), self._known.get(path), str(facts.inode)
                if known and known.sha256 == digest:
                    self._settle(name, facts, known._replace(inode=inode))
                    self.counts["already there"] += 1
                elif known is None and wait_for_gone:
                    self._is_unsettled = True
                else:
                    found[name] = Change(path, known, replace(file, data=b""), digest, inode)
        return found

    def _plan(
        self,
        source: Source,
        found: dict[str, Change],
        leaving: set[str],
        away: Sequence[str],
        *,
        is_accepted: bool,
    ) -> list[Change]:
        """Return the changes in the order in which they are made: deletions first, then renames, then the rest."""
        candidates = {path: self._known[path] for path in away if path in leaving or self._known[path].missing}
        names = {change.path: name for name, change in found.items()}
        fresh = [Fresh(change.path, change.sha256, change.inode) for change in found.values() if change.known is None]
        came_from, perhaps = moves(candidates, fresh)
        for path, old in perhaps.items():
            if self._is_edited(source, names[path], self._known[old]):
                came_from[path] = old
        moved = set(came_from.values())
        going = sorted(leaving - moved)
        if is_accepted:
            going = sorted(candidates.keys() - moved)
        elif too_many(len(going), sum(not known.missing for known in self._known.values())):
            self._hold(going)
            going = []
        deletions = [Change(path, self._known[path]) for path in going]
        writes = sorted(found.values(), key=lambda change: (change.path not in came_from, change.path))
        return deletions + [
            replace(change, known=self._known[came_from[change.path]], came_from=came_from[change.path])
            if change.path in came_from
            else change
            for change in writes
        ]

    def _is_edited(self, source: Source, name: str, known: Known) -> bool:
        """Return whether the file is what the folder held elsewhere, edited: its inode alone may be another's now."""
        blob = Blob.objects.filter(store=self.folder.agent.store_id, sha256=known.sha256).first()
        if blob is None:
            return False
        old = blobs.unpack(blob.encoding, blob.data)
        new = source.read(name, self._max_bytes)
        return not new.fault and akin(old.decode(errors="replace"), new.data.decode(errors="replace"))

    def _hold(self, paths: Sequence[str]) -> None:
        now = timezone.now()
        self.claim.hold()
        for start in range(0, len(paths), BATCH_FILES):
            self.folder.files.filter(path__in=paths[start : start + BATCH_FILES]).update(missing_since=now)
        for path in paths:
            self._known[path] = self._known[path]._replace(missing=True)

    def _come_back(self, present: set[str]) -> None:
        back = [path for path, known in self._known.items() if known.missing and path in present]
        for start in range(0, len(back), BATCH_FILES):
            self.folder.files.filter(path__in=back[start : start + BATCH_FILES]).update(missing_since=None)
        for path in back:
            self._known[path] = self._known[path]._replace(missing=False)

    def _missing_problem(self) -> str:
        missing = self.missing
        if not missing:
            return ""
        are = "are" if missing > 1 else "is"
        return (
            f"{counted(missing, 'file')} {are} gone from the folder, too many at once. Nothing was deleted here. Once"
            " they are back all is well; if they were deleted on purpose, accept that."
        )

    def _take(self, source: Source, changes: list[Change], seen: Look, now: float, *, why: str) -> None:
        names = {self._paths[name]: name for name in reversed(self._paths)}
        for batch in _batches(changes, {path: seen.files[name].size for path, name in names.items()}):
            if self._stop.is_set():
                return
            filled = []
            for change in batch:
                if change.found is None:
                    filled.append(change)
                    continue
                name = names[change.path]
                file = source.read(name, self._max_bytes)
                if file.fault or sha256(file.data).hexdigest() != change.sha256 or not self._stands(name, seen):
                    self._is_unsettled = True
                    continue
                filled.append(replace(change, found=file))
            for taken in take(self.folder, self.claim, filled, reason=why) if filled else ():
                self._done(taken, names.get(taken.change.path, ""), seen, now)

    def _stands(self, name: str, seen: Look) -> bool:
        """Return whether the file is still as it was when it was looked at."""
        try:
            facts = os.lstat(self.root / name)
        except OSError:
            return False
        return Facts(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino) == seen.files[name]

    def _done(self, taken: Taken, name: str, seen: Look, now: float) -> None:
        change = taken.change
        key = change.path if change.found is None else name
        if taken.refused:
            self._wait(key, seen.files.get(name), taken.refused, now, change.came_from)
            return
        self._waiting.remove(key)
        self._known.pop(change.came_from, None)
        if change.found is None:
            self._known.pop(change.path, None)
        else:
            self._settle(name, seen.files[name], Known(change.sha256, change.inode))
        self._tell(taken)

    def _settle(self, name: str, facts: Facts, known: Known) -> None:
        self._settled[name] = facts
        self._waiting.remove(name)
        self._known[self._paths[name]] = known

    def _tell(self, taken: Taken) -> None:
        change, path = taken.change, MemoryPath(taken.change.path).relative
        if taken.version is None:
            self.counts["kept as they are here" if taken.note else "already there"] += 1
            if taken.note:
                self._told.file(f"kept {path}: {taken.note}")
            return
        if change.found is None:
            word, what = "deleted", path
        elif change.came_from:
            word, what = "renamed", f"{MemoryPath(change.came_from).relative} to {path}"
        else:
            word, what = "taken", path
        self.counts[word] += 1
        note = f", {taken.note}" if taken.note else ""
        self._told.file(f"{word} {what}, version {taken.version:,}{note}")

    def _wait(self, key: str, facts: Facts | None, why: str, now: float, came_from: str = "") -> None:
        if self._waiting.add(key, facts, why, now, came_from):
            self._told.file(f"waits {name_of(key)}: {why}")

    def _wait_for_closed(self, seen: Look, now: float) -> None:
        for name, why in seen.closed.items():
            if self._waiting.is_due(name, None, now):
                self._wait(name, None, why, now)

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


def _path(source: Source, name: str) -> str:
    try:
        return source.path_of(name).text
    except PathRefused:
        return ""


def _cut_short(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 that ends in the middle of a character."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def _batches(changes: Sequence[Change], sizes: dict[str, int]) -> Iterator[list[Change]]:
    batch: list[Change] = []
    size = 0
    for change in changes:
        batch.append(change)
        size += sizes.get(change.path, 0)
        if len(batch) == BATCH_FILES or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
