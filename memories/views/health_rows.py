"""Rows of what is to be mended: what was found, what is known about it, and the one fix offered."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from memdash.web import formats
from memories.health.findings import Finding, Kind, Report, Subject
from memories.health.lengths import STARTUP
from memories.health.twins import SharedLine, shared_lines
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, State
from memories.paths import MemoryPath
from memories.views import addresses

SHARED = 5
"""Shared lines that a row shows."""

LOOKS = {
    Kind.LONG: ("danger", "alert"),
    Kind.TWINS: ("warn", "copy"),
    Kind.LINK: ("warn", "link"),
    Kind.UNLISTED: ("", "file"),
    Kind.UNREAD: ("", "eye"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A finding as the page shows it.

    Of twins, ``other`` is the file it is nearly the same as and ``pair`` the page of both. Of a broken link,
    ``trashed`` is what lived there and waits in the trash, and ``moved_to`` where it went. ``fix`` is the editor that
    mends it.
    """

    finding: Finding
    url: str
    fix: str = ""
    other: Subject | None = None
    pair: str = ""
    lines: tuple[SharedLine, ...] = ()
    trashed: MemoryEntry | None = None
    moved_to: str = ""

    @property
    def kind(self) -> str:
        return self.finding.kind.name

    @property
    def tone(self) -> str:
        return LOOKS[self.finding.kind][0]

    @property
    def icon(self) -> str:
        return LOOKS[self.finding.kind][1]

    @property
    def relative(self) -> str:
        return MemoryPath(self.finding.file.path).relative

    @property
    def other_relative(self) -> str:
        return MemoryPath(self.other.path).relative if self.other else ""

    @property
    def target(self) -> str:
        return self.finding.link.path.removeprefix("/memories/") if self.finding.link else ""

    @property
    def share(self) -> str:
        """How much of the file is in its twin."""
        twins = self.finding.twins
        return formats.share(twins.same, twins.of) if twins else ""

    @property
    def more_lines(self) -> int:
        """How many shared lines are not shown."""
        return self.finding.twins.same - len(self.lines) if self.finding.twins else 0

    @property
    def is_startup(self) -> bool:
        """Say whether its cut is that of the beginning of a session."""
        return self.finding.file.path == STARTUP


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A file of which it is not known whether an agent read it."""

    file: Subject
    url: str

    @property
    def relative(self) -> str:
        return MemoryPath(self.file.path).relative


class Rows:
    """Makes the rows of a page; two queries where a link of it is broken, else none."""

    def __init__(self, store: MemoryStore, report: Report, shown: Iterable[Finding]) -> None:
        self._store, self._report = store, report
        targets = {finding.link.path for finding in shown if finding.link}
        self._trashed: dict[str, MemoryEntry] = {}
        self._moved: dict[str, str] = {}
        if targets:
            trash = MemoryEntry.objects.filter(store=store, path__in=targets, state=State.TRASH)
            self._trashed = {entry.path: entry for entry in trash.order_by("changed_seq")}
            moves = MemoryVersion.objects.filter(store=store, moved_from__in=targets, entry__state=State.LIVE)
            self._moved = dict(moves.order_by("seq").values_list("moved_from", "entry__path"))

    def of(self, finding: Finding) -> Row:
        """Return the finding's row."""
        url = addresses.files(self._store.slug, finding.file.path)
        edit = reverse("memories:edit", args=[finding.file.uuid])
        match finding.kind:
            case Kind.TWINS if finding.twins:
                return self._twins(finding, url)
            case Kind.LINK if link := finding.link:
                return Row(
                    finding,
                    addresses.files(self._store.slug, finding.file.path, view="raw", line=link.line),
                    f"{edit}?line={link.line}",
                    trashed=self._trashed.get(link.path),
                    moved_to=MemoryPath(self._moved.get(link.path, MemoryPath.ROOT.text)).relative,
                )
            case Kind.UNLISTED if index := self._report.index:
                return Row(finding, url, reverse("memories:edit", args=[index.uuid]))
        return Row(finding, url, edit)

    def _twins(self, finding: Finding, url: str) -> Row:
        assert finding.twins
        one, other = finding.twins.one, finding.twins.other
        twin, texts = self._report.files[other], self._report.texts
        pair = reverse("memories:health-pair", args=[self._store.slug])
        return Row(
            finding,
            url,
            other=twin,
            pair=f"{pair}?one={finding.file.uuid}&other={twin.uuid}",
            lines=tuple(shared_lines(texts[one], texts[other], SHARED)),
        )
