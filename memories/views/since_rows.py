"""What the page of news says about each file: in words, with who did it, and its difference where there is room."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from memdash.web import formats
from memories.models import MemoryVersion
from memories.models.entries import Media
from memories.moments.differences import Kind
from memories.moments.news import News
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.causes import Cause, Causes
from memories.views.differences import Differences, Shown

CAUSES: Final = 3
"""Who changed a file, or runs of a heading, that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """A file: what became of it in ``words``, who did it, and what can be done about it."""

    news: News
    words: str
    causes: tuple[Cause, ...]
    more_causes: int
    shown: Shown
    url: str
    history: str
    marks: tuple[tuple[UUID, int], ...]
    may_write: bool

    @property
    def id(self) -> UUID:
        return self.news.difference.file.uuid

    @property
    def path(self) -> str:
        return MemoryPath(self.news.difference.path).relative

    @property
    def is_gone(self) -> bool:
        return self.news.difference.after is None

    @property
    def whole(self) -> str:
        """The page that shows all of the difference."""
        return reverse("memories:since-file", args=[self.id])

    @property
    def fix(self) -> str:
        """The editor; empty where there is no text to edit, and for those who may not."""
        entry = self.news.entry
        return (
            reverse("memories:edit", args=[self.id])
            if self.may_write and not self.is_gone and entry.media == Media.TEXT
            else ""
        )

    @property
    def restores(self) -> int:
        """The version of a file that is gone which brings back what the person saw; 0 for none."""
        before = self.news.difference.before
        return before.number if self.is_gone and self.may_write and before and before.blob_id else 0


def rows_of(request: HttpRequest, news: Sequence[News], slugs: Mapping[int, str], writable: set[int]) -> list[Row]:
    """Return a row for each file; two queries. ``slugs`` are those of the stores, by their ids."""
    differences = Differences(request, [each.difference for each in news])
    causes = Causes(request, [author for each in news for author in each.authors])
    rows = []
    for each in news:
        version = each.newest
        named = each.authors[::-1][:CAUSES]
        # The path of a file that is gone may be another one's by now.
        own = {"file": version.entry.uuid} if each.difference.after is None else {}
        slug = slugs[version.store_id]
        history = addresses.history(slug, version.path, **own)
        rows.append(
            Row(
                news=each,
                words=words_of(each),
                causes=tuple(causes.of(author) for author in named),
                more_causes=len(each.authors) - len(named),
                shown=differences.shown(each.difference),
                url=history if own else addresses.files(slug, version.path),
                history=history,
                marks=tuple((made.entry.uuid, made.number) for made in each.versions.values()),
                may_write=version.store_id in writable,
            )
        )
    return rows


def words_of(news: News) -> str:
    """Return what became of a file since the person saw it."""
    difference = news.difference
    before, after = difference
    often = formats.counted(news.changes, "change")
    if after is None:
        return "deleted" if news.changes == 1 else f"deleted, {often}"
    if before is None:
        first = "came back from the trash" if news.seen else "new file"
        return first if news.changes == 1 else f"{first}, {often}"
    if difference.is_replaced:
        return f"deleted and made again, {often}"
    if difference.kind is Kind.MOVED:
        moved = f"moved from {MemoryPath(before.path).relative}"
        return f"{moved} and changed, {often}" if difference.is_rewritten else moved
    if difference.kind is Kind.SAME:
        return f"{_times(news.changes)}, same text as before"
    return often


def lived(version: MemoryVersion) -> str:
    """Return how long a file that is gone was there."""
    minutes = max(1, round((version.authored_at - version.entry.created_at).total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else formats.counted(minutes // (24 * 60), "day")


def _times(count: int) -> str:
    return {1: "changed once", 2: "changed twice"}.get(count, f"changed {formats.thousands(count)} times")
