"""What became of a file while somebody edited it: the banner above the editor, and the page with both texts."""

from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET
from django_htmx.http import trigger_client_event

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import diffs
from memories.models import Draft, MemoryEntry, MemoryVersion, Operation, State
from memories.paths import MemoryPath
from memories.views import addresses, sheets
from memories.views.acts import writable_file
from memories.views.causes import Cause, Causes
from memories.views.diff_room import COMPACT, PAGE
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.sheets import Sheet

BESIDE: Final = replace(PAGE, page=36_000)
"""Of the diff that stands among two others."""

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
    response = render_page(request, "memories/edit_news.html", context)
    return trigger_client_event(response, "announce", {"value": found.words})


def page(request: UserRequest, entry: MemoryEntry, sheet: Sheet, note: str, draft: Draft | None) -> HttpResponse:
    """Answer a save that came too late with both texts, status 409, and the ways on; nothing was saved.

    ``entry`` is the file as it is now, also one that was deleted.
    """
    path = MemoryPath(entry.path)
    now = sheets.of_file(entry)
    is_gone = entry.state != State.LIVE
    context: dict[str, Any] = {
        "title": f"{path.relative} was changed while you were editing · {entry.store.name}",
        "store": entry.store,
        "at": above(request, entry.store)[0].url,
        "path": path,
        "entry": entry,
        "is_gone": is_gone,
        "news": news(request, entry, sheet.base_version),
        "address": reverse("memories:edit", args=[entry.uuid]),
        "discard_address": reverse("memories:discard-draft", args=[entry.uuid]),
        "restore_address": reverse("memories:restore-file", args=[entry.uuid]),
        "note": note,
        "draft": draft,
        "sheet": sheet,
        "now": now,
        "beside": diffs.compare(now.text, sheet.text, room=BESIDE),
        "theirs": diffs.compact(sheet.base, now.text, room=COMPACT),
        "mine": diffs.compact(sheet.base, sheet.text, room=COMPACT),
    }
    return render_page(request, "memories/conflict.html", context, partial="edit", status=409)
