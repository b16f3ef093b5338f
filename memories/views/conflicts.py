"""What became of a file while somebody edited it: the banner above the editor, and the page that merges both texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET
from django_htmx.http import retarget, trigger_client_event

from memdash.web import slots
from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import diffs
from memories.diffs.hunks import ended
from memories.models import Draft, MemoryEntry, MemoryVersion, Operation, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.store import drafts
from memories.views import addresses, sheets
from memories.views.acts import writable_file
from memories.views.causes import Cause, Causes
from memories.views.choices import NO_REPLIES, Settling, settling
from memories.views.diff_room import COMPACT, PAGE
from memories.views.merge_rows import asked, page_of
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.sheets import Sheet

BESIDE: Final = replace(PAGE, page=36_000)
PREVIEW: Final = replace(PAGE, page=14_000)
"""Of the diff of two texts that are too far apart to be merged, and of what saving a merge changes."""

TOLD: Final = 5
"""How many of the versions since then the page tells of."""

WORDS: Final = {
    Operation.CREATED: "wrote",
    Operation.MODIFIED: "wrote",
    Operation.RENAMED: "renamed the file in",
    Operation.DELETED: "deleted the file in",
    Operation.RESTORED: "restored the file in",
    Operation.PURGED: "purged the file in",
}


@dataclass(frozen=True, slots=True)
class News:
    """What happened last to a file that somebody edits, and who did it; ``newest`` is its newest version of all.

    A rename, which is no conflict, is told of only where nothing else happened.
    """

    version: MemoryVersion
    cause: Cause
    newest: int

    @property
    def who(self) -> str:
        return self.cause.label or self.cause.who

    @property
    def did(self) -> str:
        """What they did: "wrote", "deleted the file in"; the version follows."""
        return WORDS[Operation(self.version.operation)]

    @property
    def is_deleted(self) -> bool:
        return self.version.operation == Operation.DELETED

    @property
    def words(self) -> str:
        """The same for ears."""
        return f"{self.who} {self.did} version {self.version.number:,} while you were editing."


def news(request: UserRequest, entry: MemoryEntry, base_version: int) -> News | None:
    """Return what happened to the file since version ``base_version``, or None when nothing did."""
    if entry.version <= base_version:
        return None
    since = MemoryVersion.objects.filter(entry=entry, number__gt=base_version).order_by("-number")
    version = since.exclude(operation=Operation.RENAMED).first() or since[0]
    return News(version, Causes(request, [version]).of(version), entry.version)


@require_GET
def edit_news(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Answer an open editor with what happened to its file since version ``?since=``: 204 when nothing did."""
    entry = writable_file(request, file_id)
    if not wants_part(request):
        return redirect("memories:edit", file_id=file_id)
    found = news(request, entry, number_in(request, "since") or 0)
    if found is None:
        return HttpResponse(status=204)
    context = {"news": found, "entry": entry, "back": addresses.files(entry.store.slug, entry.path)}
    context["merge_address"] = reverse("memories:merge", args=[entry.uuid])
    response = render_page(request, "memories/edit_news.html", context)
    return trigger_client_event(response, "announce", {"value": found.words})


def page(
    request: UserRequest,
    entry: MemoryEntry,
    sheet: Sheet,
    note: str,
    draft: Draft | None,
    *,
    settled: Settling | None = None,
    status: int = 409,
    **more: Any,
) -> HttpResponse:
    """Answer a save that came too late with the merge of both texts, status 409; nothing was saved.

    ``entry`` is the file as it is now, also one that was deleted or is an image. ``settled`` is what the person chose
    so far, ``more`` what else the page shows: ``refusal``, ``preview``, ``show`` for one of several pages.
    """
    path = MemoryPath(entry.path)
    told = _since(request, entry, sheet.base_version)
    lost = "gone" if entry.state != State.LIVE else "image" if entry.media != Media.TEXT else ""
    before = _path_before(entry, sheet)
    new_path = _free_path(entry, before) if lost or before else ""
    context: dict[str, Any] = {
        "title": f"{path.relative} was changed while you were editing · {entry.store.name}",
        "store": entry.store,
        "at": above(request, entry.store)[0].url,
        "path": path,
        "entry": entry,
        "lost": lost,
        "told": told,
        "news": next((each for each in told if each.version.operation != Operation.RENAMED), next(iter(told), None)),
        "their": _one_of(told) if entry.version - sheet.base_version <= TOLD else None,
        "moved_from": before,
        "address": reverse("memories:merge", args=[entry.uuid]),
        "discard_address": reverse("memories:discard-draft", args=[entry.uuid]),
        "restore_address": reverse("memories:restore-file", args=[entry.uuid]),
        "new_address": addresses.new_file(entry.store.slug, path=new_path),
        "new_path": new_path,
        "note": note,
        "draft": draft,
        "kept_days": drafts.DISCARDED.days,
        "sheet": sheet,
        "live_runs": slots.fill("live-readers", request, store=entry.store, entry=entry),
        "refusal": "",
        **more,
    }
    if lost:
        context["mine"] = diffs.compact(sheet.base, sheet.text, room=COMPACT)
    else:
        context |= _merged(entry, sheet, settled, more)
    response = render_page(request, "memories/conflict.html", context, partial="edit", status=status)
    # A tab or a draft that asked has room for less than this.
    return retarget(response, "#edit")


def _merged(entry: MemoryEntry, sheet: Sheet, settled: Settling | None, more: Mapping[str, Any]) -> dict[str, Any]:
    now = sheets.of_file(entry)
    settled = settled or settling(sheet, now.text, NO_REPLIES)
    shown, page_number, pages = page_of(asked(settled), more.get("show", 1))
    changes = settled.merge.changes
    on_page = {each.place.key for each in shown}
    context: dict[str, Any] = {
        "now": now,
        "settled": settled,
        "total": len(settled.places),
        "changes": len(changes),
        "by_mine": sum(change.by == "ours" for change in changes),
        "asked": shown,
        "page": page_number,
        "pages": pages,
        "elsewhere": [place for place in settled.places if place.key not in on_page],
        "next_open": next((each.place.key for each in shown if each.place.choice is None), ""),
        "next_page": page_number % pages + 1 if pages > 1 else None,
    }
    if settled.is_too_much:
        context["beside"] = diffs.compare(now.text, sheet.text, room=BESIDE)
    elif changes and settled.knows_base:
        context["theirs_alone"] = diffs.compact(ended(sheet.base), settled.merge.alone("theirs"), room=COMPACT)
        context["mine_alone"] = diffs.compact(ended(sheet.base), settled.merge.alone("ours"), room=COMPACT)
    if more.get("preview"):
        context["preview"] = diffs.compare(now.text, settled.result, room=PREVIEW)
        context["result_size"] = len(settled.result.encode())
    return context


def _since(request: UserRequest, entry: MemoryEntry, base_version: int) -> list[News]:
    """Return what happened to the file since the version, the last thing first, as far as a page tells it."""
    versions = list(MemoryVersion.objects.filter(entry=entry, number__gt=base_version).order_by("-number")[:TOLD])
    causes = Causes(request, versions)
    return [News(version, causes.of(version), entry.version) for version in versions]


def _one_of(told: Sequence[News]) -> Cause | None:
    """Return the cause of what happened where one and the same did it all."""
    causes = [each.cause for each in told if each.version.operation != Operation.RENAMED]
    return causes[0] if len({cause.who for cause in causes}) == 1 else None


def _path_before(entry: MemoryEntry, sheet: Sheet) -> str:
    """Return where the file was when it was opened, as people read it; empty where it still is."""
    found = MemoryVersion.objects.filter(entry=entry, number=sheet.base_version).values_list("path", flat=True).first()
    return MemoryPath(found).relative if found and found != entry.path else ""


def _free_path(entry: MemoryEntry, before: str) -> str:
    """Return a path for a new file with the person's text: the file's own or the one it had, else one beside it."""
    path = MemoryPath(f"{MemoryPath.ROOT}/{before}" if before else entry.path)
    if not MemoryEntry.objects.filter(store=entry.store).at(path).exists():
        return path.relative
    stem, dot, ending = path.name.rpartition(".")
    name = f"{stem}-mine.{ending}" if dot and stem else f"{path.name}-mine"
    folder = path.parent.relative
    return f"{folder}/{name}" if folder else name
