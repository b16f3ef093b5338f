"""Tool calls as a transcript shows them: what was asked, what came of it, what it changed, what it showed."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from agents.models import Run, ToolCall
from agents.runs.texts import plain
from memdash.web.formats import counted
from memories import tool
from memories.diffs import IMAGES, Diff, compact
from memories.models import Blob, MemoryVersion, ReadEvent, State
from memories.models.entries import Media
from memories.views import addresses
from memories.views.contents import text_of
from memories.views.diff_room import COMPACT

RESULT_CHARACTERS: Final = 1_200
"""How much of a result a folded call carries; its own page has the rest."""

DIFFED_BYTES: Final = 64 * 1024
"""A larger file's change is shown on its history page alone."""

LISTINGS: Final = 3
"""How many listed directories are compared with what they hold now."""

CHANGES: Final = 5
"""How many changed files one call shows; deleting a directory may change thousands."""

ICONS: Final = {
    "view": "eye",
    "create": "plus",
    "insert": "plus",
    "str_replace": "pencil",
    "delete": "trash",
    "rename": "right",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A version that a call made; ``diff`` is None where the text is too large to be compared here, or purged."""

    path: str
    moved_from: str
    number: int
    operation: str
    url: str
    added: int
    removed: int
    diff: Diff | None
    is_purged: bool = False


@dataclass(frozen=True, slots=True)
class Since:
    """What a call showed: a version of a file, or a listing, of which ``listing`` is what it says now.

    ``then`` is the page of it as it was, ``url`` that of the difference.
    """

    shown: int
    newest: int
    is_gone: bool
    url: str
    then: str
    listing: str = ""
    is_purged: bool = False

    def differs_from(self, answer: str) -> bool:
        """Say whether what the call answered is no longer what is there."""
        return answer != self.listing if self.listing else self.is_gone or bool(self.url)

    @property
    def words(self) -> str:
        """Which version was shown, and which came later."""
        if self.listing:
            return "The agent would see another list now."
        later = range(self.shown + 1, self.newest + 1)
        came = f"Version {self.newest} came later."
        if len(later) > 1:
            came = f"Versions {later[0]} {'and' if len(later) == 2 else 'to'} {self.newest} came later."
        return f"This is version {self.shown}, as the agent saw it. {came}"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: ``state`` is "done", "failed", "running" or "left" (never executed)."""

    place: str
    verb: str
    icon: str
    path: str
    state: str
    url: str = ""
    note: str = ""
    result: str = ""
    is_cut: bool = False
    moved_to: str = ""
    added: int = 0
    removed: int = 0
    changes: tuple[Change, ...] = ()
    more_changes: int = 0
    since: Since | None = None
    then: str = ""
    """The page of the memory that it saw."""

    kind: str = "call"

    @property
    def directory(self) -> str:
        """The path up to its last name, which narrow pages leave out."""
        return self.path[: self.path.rfind("/") + 1] if self.path.count("/") > 1 else ""

    @property
    def name(self) -> str:
        return self.path[len(self.directory) :]


class Calls:
    """Tool calls of a run, read together: three queries, and three more where files changed."""

    def __init__(self, run: Run, rows: Iterable[ToolCall]) -> None:
        self._run = run
        self._calls = {call.tool_use_id: call for call in rows}
        changing = [call.tool_use_id for call in self._calls.values() if call.first_seq]
        self._changes = _changes(run, changing) if changing else {}
        self._reads = _reads(run, list(self._calls)) if self._calls else {}

    @classmethod
    def of_turns(cls, run: Run, turns: Iterable[int]) -> Self:
        """Return the calls that were made in these turns."""
        return cls(run, ToolCall.objects.filter(run=run, turn__in=list(turns)))

    def of(self, turn: int, position: int, block: dict[str, Any], *, is_due: bool) -> Call:
        """Return a ``tool_use`` block with what came of it; without a row it still runs if ``is_due``."""
        row = self._calls.get(block["id"])
        if row:
            return self.made(row)
        verb, path = asked(block.get("input"), str(block.get("name", "")))
        icon = ICONS.get(verb, "terminal")
        return Call(f"{turn}-{position}", verb, icon, path, "running" if is_due else "left")

    def made(self, row: ToolCall) -> Call:
        """Return one of the calls with what came of it."""
        verb, path = asked(row.input, row.name)
        changes = self._changes.get(row.tool_use_id, ())
        text = result_text(row.content)
        since = self._reads.get(row.tool_use_id)
        return Call(
            f"{row.turn}-{row.position}",
            verb,
            ICONS.get(verb, "terminal"),
            path,
            "failed" if row.is_error else "done",
            url=reverse("agents:call", args=[self._run.uuid, row.turn, row.position]),
            note=_note(row, verb, text),
            result=text[:RESULT_CHARACTERS],
            is_cut=len(text) > RESULT_CHARACTERS,
            moved_to=_moved_to(row.input),
            added=sum(change.added for change in changes),
            removed=sum(change.removed for change in changes),
            changes=tuple(changes[:CHANGES]),
            more_changes=max(0, len(changes) - CHANGES),
            since=since if since and since.differs_from(text) else None,
            then=since.then if since else "",
        )


def asked(raw_input: object, tool: str) -> tuple[str, str]:
    """Return the command and the path of a call, whatever the model has sent."""
    if tool != "memory" or not isinstance(raw_input, dict):
        return plain(tool, 60), ""
    path = raw_input.get("path") or raw_input.get("old_path") or ""
    return plain(raw_input.get("command") or tool, 60), plain(path, 1024) if isinstance(path, str) else ""


def result_text(content: object) -> str:
    """Return a result in words; an image is named and not shown."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) or f"[{part.get('type', 'unknown')}]" for part in parts)


def pretty(value: object) -> str:
    """Return JSON for people to read."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _moved_to(raw_input: object) -> str:
    path = raw_input.get("new_path") if isinstance(raw_input, dict) else None
    return plain(path, 1024) if isinstance(path, str) else ""


def _note(row: ToolCall, verb: str, text: str) -> str:
    if row.is_error:
        return ""
    took = f"{row.milliseconds:,.0f} ms" if row.milliseconds >= 1 else "<1 ms"
    if verb != "view":
        return took
    if isinstance(row.content, list):
        return f"image, {took}"
    head, *rows = text.rstrip("\n").split("\n")
    if head.startswith("Here're the files"):
        return f"{counted(sum(not row.endswith('/') for row in rows[1:]), 'file')}, {took}"
    return f"{counted(len(rows), 'line')}, {took}"


def _changes(run: Run, call_ids: Sequence[str]) -> dict[str, list[Change]]:
    """Return the versions that each call made."""
    made = MemoryVersion.objects.filter(run_id=run.uuid, tool_use_id__in=call_ids)
    versions = list(made.select_related("entry").order_by("seq"))
    before = _before(versions)
    pairs = [(version, before.get((version.entry_id, version.number - 1))) for version in versions]
    compared = [version for pair in pairs if _fits(*pair) for version in pair if version and version.blob_id]
    texts = {pk: text_of(blob) for pk, blob in Blob.objects.in_bulk({v.blob_id for v in compared}).items()}
    changes: dict[str, list[Change]] = defaultdict(list)
    for new, old in pairs:
        changes[new.tool_use_id].append(_change(run.agent.store.slug, new, old, texts))
    return changes


def _before(versions: Sequence[MemoryVersion]) -> dict[tuple[int, int], MemoryVersion]:
    """Return the versions that came right before, by file and number."""
    known = {(version.entry_id, version.number): version for version in versions}
    wanted = {(version.entry_id, version.number - 1) for version in versions if version.number > 1} - known.keys()
    if wanted:
        entries, numbers = {entry for entry, _ in wanted}, {number for _, number in wanted}
        for version in MemoryVersion.objects.filter(entry__in=entries, number__in=numbers):
            known.setdefault((version.entry_id, version.number), version)
    return known


def _fits(new: MemoryVersion, old: MemoryVersion | None) -> bool:
    is_text = new.entry.media == Media.TEXT
    return is_text and max(new.size, old.size if old else 0) <= DIFFED_BYTES


def _change(slug: str, new: MemoryVersion, old: MemoryVersion | None, texts: dict[int, str]) -> Change:
    is_purged = new.entry.state == State.PURGED
    if is_purged:
        diff: Diff | None = None
    elif new.entry.media != Media.TEXT:
        diff = IMAGES
    elif _fits(new, old):
        diff = compact(texts.get(old.blob_id or 0, "") if old else "", texts.get(new.blob_id or 0, ""), room=COMPACT)
    else:
        diff = None
    added, removed = (diff.added, diff.removed) if diff else (None, None)
    if added is None or removed is None:
        added, removed = sum(span[3] for span in new.spans), sum(span[1] for span in new.spans)
    # A deleted file's path may be another one's by now.
    own = {} if new.entry.state == State.LIVE else {"file": new.entry.uuid}
    url = addresses.history(slug, new.path, v=new.number, **own)
    return Change(new.path, new.moved_from, new.number, new.operation, url, added, removed, diff, is_purged)


def _reads(run: Run, call_ids: Sequence[str]) -> dict[str, Since]:
    """Return, for each call that showed something which is another one now, what has become of it."""
    memory, since = run.agent.store, {}
    shown = ReadEvent.objects.filter(run_id=run.uuid, tool_use_id__in=call_ids).select_related("entry")
    own = MemoryVersion.objects.filter(entry=OuterRef("entry"), number=OuterRef("version")).values("blob")[:1]
    listings: dict[str, str] = {}
    for read in shown.annotate(shown_blob=Subquery(own)):
        then = addresses.time(memory.slug, read.path, at=read.seq)
        if read.entry is None:
            if read.path not in listings and len(listings) < LISTINGS:
                listings[read.path] = result_text(tool.look(memory, read.path).content)
            if read.path in listings:
                since[read.tool_use_id] = Since(0, 0, False, then, then, listings[read.path])
        elif read.version is not None:
            entry = read.entry
            is_gone = entry.state != State.LIVE
            if is_gone or entry.blob_id != read.shown_blob:
                url = addresses.time(memory.slug, read.path, at=read.seq, view="now")
                is_purged = entry.state == State.PURGED
                since[read.tool_use_id] = Since(read.version, entry.version, is_gone, url, then, is_purged=is_purged)
            else:
                since[read.tool_use_id] = Since(read.version, read.version, False, "", then)
    return since
