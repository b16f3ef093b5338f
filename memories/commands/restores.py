"""Commands that bring back an earlier text or a deleted file, and one that acts on the very file that is meant."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memories import replies
from memories.commands import contents
from memories.commands.effects import Bring, Effects
from memories.commands.snapshot import Covers, Looks, Several, Snapshot
from memories.diffs import from_origin
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, PathMissing, PathTaken

if TYPE_CHECKING:
    from memories.commands import Command


@dataclass(frozen=True, slots=True)
class Restore:
    """Give a file the content of its version ``origin``, which was ``data``, as a new version.

    With ``text``, that is saved, of which only some lines are the origin's. Lines that come back keep the author they
    had then. The same content again changes nothing.
    """

    path: MemoryPath
    origin: int
    data: bytes
    text: str | None = None

    def covers(self) -> Covers:
        return Covers((self.path,), above=False, content=True)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None:
            raise PathMissing(replies.missing(self.path))
        media, original = contents.read(self.path, self.data)
        text = original if self.text is None else self.text
        data = self.data if self.text is None else self.text.encode()
        changes = contents.rewritten(self.path, entry, data, text, media)
        back = (
            change._replace(origin=self.origin, hunks=from_origin(change.hunks, text, original)) for change in changes
        )
        return Effects(replies.restored(self.path, self.origin), tuple(back))


@dataclass(frozen=True, slots=True)
class Undelete:
    """Take the file with the id ``file_id`` out of the trash, to ``to``; PathTaken when something lives there."""

    file_id: int
    to: MemoryPath

    def covers(self) -> Covers:
        return Covers((self.to,), trashed=self.file_id)

    def run(self, seen: Snapshot) -> Effects:
        if seen.trashed is None:
            raise PathMissing(replies.NOT_IN_TRASH)
        if self.to.is_root or seen.at(self.to):
            raise PathTaken(replies.rename_taken(self.to))
        if above := seen.file_above(self.to):
            raise PathTaken(replies.under_file(above))
        return Effects(replies.undeleted(self.to), (Bring(seen.trashed, self.to),))


@dataclass(frozen=True, slots=True)
class Exactly:
    """Run ``command`` if the file with the id ``file_id`` lives at ``path``, at ``version`` where one is given.

    For whoever decided on a page what should become of a file: PathMissing once it is elsewhere or gone, ContentChanged
    when it has changed since.
    """

    command: "Command"
    path: MemoryPath
    file_id: int
    version: int | None = None

    def covers(self) -> Covers | Looks | Several:
        return self.command.covers()

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.file_at(self.path)
        if entry is None or entry.id != self.file_id:
            raise PathMissing(replies.moved_meanwhile(self.path))
        if self.version is not None and entry.version != self.version:
            raise ContentChanged(replies.content_changed(self.path))
        return self.command.run(seen)
