"""The trail of a file's versions, and what one of them changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import Http404, HttpRequest

from memories import diffs
from memories.commands.contents import text_in
from memories.models import Kind, MemoryEntry, MemoryStore, MemoryVersion, Operation
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.contents import data_of, text_of
from memories.views.departures import last_from
from memories.views.diff_room import room_with

PAGE_VERSIONS: Final = 30
LAYOUTS: Final = ("split", "unified")


@dataclass(frozen=True, slots=True)
class Step:
    """A version, who caused it, and how many lines it added and removed."""

    version: MemoryVersion
    cause: Cause
    url: str
    added: int
    removed: int

    @property
    def words(self) -> str:
        """What it did: a person's note, else the summary computed from the change."""
        return self.version.note or self.version.summary

    @property
    def came_from(self) -> str:
        """The path it had before, as people read it; empty when it did not move."""
        return MemoryPath(self.version.moved_from).relative if self.version.moved_from else ""


@dataclass(frozen=True, slots=True)
class Change:
    """A version beside the one before it, which the first has not; ``images`` are the numbers of those that are one."""

    step: Step
    before: Step | None
    diff: diffs.Diff
    images: tuple[int, ...]
    older: str
    newer: str

    @property
    def redacted(self) -> MemoryVersion | None:
        """The version of the two whose text was blanked."""
        sides = (self.step.version, self.before.version if self.before else self.step.version)
        return next((version for version in sides if version.redacted_at), None)


@dataclass(frozen=True, slots=True)
class Steps:
    """A page of versions, newest first; ``older`` is the address of the next page."""

    listed: tuple[Step, ...]
    older: str
    newer: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The versions of one file as a person walks through them."""

    request: HttpRequest
    store: MemoryStore
    entry: MemoryEntry
    layout: str
    page_before: int | None
    by_id: bool
    """The address names the file by its id, since another one has its path now."""

    def url(self, number: int | None = None, *, layout: str = "", before: int | None = None, **query: object) -> str:
        """Return the address of a version's diff in the layout and page of the list that are shown now.

        It is relative to the page: a path may be long, and a page holds many of these.
        """
        address = addresses.history(
            self.store.slug,
            self.entry.path,
            v=number,
            layout=layout or self.layout,
            file=self.entry.uuid if self.by_id else None,
            before=before or self.page_before,
            **query,
        )
        return address[address.index("?") :]

    def open_url(self, number: int, opened: str) -> str:
        """Return the beginning of addresses that open more lines of a version's diff than ``opened``."""
        return self.url(number) + "&open=" + (f"{opened}," if opened else "")

    def steps(self) -> Steps:
        """Return the page of versions that the address asks for."""
        versions = MemoryVersion.objects.filter(entry=self.entry).order_by("-number")
        if self.page_before:
            versions = versions.filter(number__lt=self.page_before)
        found = list(versions[: PAGE_VERSIONS + 1])
        shown = found[:PAGE_VERSIONS]
        causes = Causes(self.request, shown)
        last = shown[-1].number if shown else 1
        return Steps(
            tuple(self._step(version, causes) for version in shown),
            older=self.url(last - 1, before=last) if len(found) > len(shown) else "",
            newer=self.url(before=self.page_before + PAGE_VERSIONS) if self.page_before else "",
        )

    def change(self, number: int, *, page: int, opened: Sequence[range]) -> Change:
        """Return what version ``number`` changed; Http404 when the file never had it."""
        versions = MemoryVersion.objects.filter(entry=self.entry, number__in=(number, number - 1))
        pair = {version.number: version for version in versions.select_related("blob")}
        version, before = pair.get(number), pair.get(number - 1)
        if version is None:
            raise Http404("The file never had this version.")
        causes = Causes(self.request, pair.values())
        images = tuple(each for each in sorted(pair) if text_in(data_of(pair[each].blob)) is None)
        return Change(
            step=self._step(version, causes),
            before=self._step(before, causes) if before else None,
            diff=diffs.IMAGES if images else self._diff(before, version, page, opened),
            images=images,
            older=self.url(number - 1) if number > 1 else "",
            newer=self.url(number + 1) if number < self.entry.version else "",
        )

    def _diff(
        self, before: MemoryVersion | None, version: MemoryVersion, page: int, opened: Sequence[range]
    ) -> diffs.Diff:
        return diffs.compare(
            text_of(before.blob) if before else "",
            text_of(version.blob),
            renamed=version.operation == Operation.RENAMED,
            page=page,
            opened=opened,
            room=room_with(self.open_url(version.number, diffs.opened_text(opened))),
        )

    def _step(self, version: MemoryVersion, causes: Causes) -> Step:
        added, removed = diffs.counts(diffs.Hunk(*span) for span in version.spans)
        return Step(version, causes.of(version), self.url(version.number), added, removed)


def file_of(store: MemoryStore, path: MemoryPath, file_id: str) -> MemoryEntry:
    """Return the file ``file_id`` of the store or, without one, that which lives at the path or did last.

    Http404 when the store never had it.
    """
    files = MemoryEntry.objects.filter(store=store, kind=Kind.FILE)
    entry = (files.filter(uuid=_uuid(file_id)) if file_id else files.at(path)).first()
    if entry is None and not file_id and (left := last_from(store, path)):
        entry = left.entry
    if entry is None:
        raise Http404("No file of this store ever had this path.")
    return entry


def layout_of(request: HttpRequest) -> str:
    """Return the layout that an address asks for; split unless it says otherwise."""
    asked = request.GET.get("layout", "")
    return asked if asked in LAYOUTS else LAYOUTS[0]


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404("Not the id of a file.") from error
