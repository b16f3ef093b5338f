"""The command that shows a file or the listing of a directory."""

import base64
from dataclasses import dataclass

from memories import replies
from memories.commands.effects import Effects, Look
from memories.commands.snapshot import TEXT, Entry, Listing, Looks, Snapshot
from memories.paths import MemoryPath
from memories.refusals import LineOutOfRange, PathMissing, TooManyLines
from memories.text import VIEW, decoded_lines, filesize, fitting, lines_of


@dataclass(frozen=True, slots=True)
class View:
    """Show a file, whole or the lines of ``view_range`` (from 1, both ends included, -1 for the last), or a directory.

    Long text is cut at whole lines; the answer then says how to read on. On a directory the range means nothing.
    """

    path: MemoryPath
    view_range: tuple[int, int] | None = None

    def covers(self) -> Looks:
        return Looks(self.path)

    def run(self, seen: Snapshot) -> Effects:
        entry = seen.at(self.path)
        if seen.listing:
            return Effects(_listing(self.path, seen.listing), look=Look(self.path))
        if entry is None:
            raise PathMissing(replies.view_missing(self.path))
        if entry.media != TEXT:
            return Effects([_image(entry)], look=Look(self.path, entry))
        if entry.lines > replies.MAX_LINES:
            raise TooManyLines(replies.view_too_long(self.path))
        if self.view_range is None and len(text := entry.text) <= VIEW:
            return Effects(replies.view_file(self.path, lines_of(text)), look=Look(self.path, entry))
        return self._part(entry, *(self.view_range or (1, -1)))

    def _part(self, entry: Entry, first: int, last: int) -> Effects:
        """Show as many whole lines as fit; a first line that does not is whole only when its range was asked for."""
        first = max(first, 1)
        last = entry.lines if last == -1 else min(last, entry.lines)
        if first > max(entry.lines, 1):
            raise LineOutOfRange(replies.range_beyond(first, entry.lines))
        lines = decoded_lines(entry.data or b"", first, last)
        shown = fitting(lines)
        notice = ""
        if shown < len(lines):
            notice = "\n" + replies.cut_after(first + shown - 1, entry.lines, len(entry.text))
        if self.view_range is None and len(lines[0]) > VIEW:
            lines[0] = lines[0][:VIEW]
            notice = "\n" + replies.cut_line(1, entry.lines)
        answer = replies.view_file(self.path, lines[:shown], first)
        return Effects(answer + notice, look=Look(self.path, entry, first, first + shown - 1))


def _image(entry: Entry) -> dict[str, object]:
    data = base64.b64encode(entry.data or b"").decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": entry.media, "data": data}}


def _listing(path: MemoryPath, listing: Listing) -> str:
    """Return the listing: by name in each directory, what a directory holds right after it, hidden names left out."""
    # NUL stands in no name and sorts before all that do, which keeps a directory and what it holds together.
    rows = sorted(zip(listing.names.replace("/", "\0").split("\n"), listing.sizes.split(" "), strict=True))
    if "/." in listing.names or "/node_modules" in listing.names:
        rows = [row for row in rows if _is_listed(row[0][len(path.text) :])]
    # Up to three digits say themselves what else has to be asked for.
    lines = [f"{size}B\t{name}" if len(size) < 4 else f"{filesize(int(size))}\t{name}" for name, size in rows]
    lines[0] = lines[0].removesuffix("\0")
    return replies.view_directory(path, lines).replace("\0", "/")


def _is_listed(relative: str) -> bool:
    return "\0." not in relative and "\0node_modules\0" not in relative + "\0"
