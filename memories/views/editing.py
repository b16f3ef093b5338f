"""The editor of a file: write, look at it, see the changes, save. Each step is a form that comes back with the text."""

from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memdash.web import slots
from memdash.web.errors import NotUnderstood
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, diffs
from memories.commands import TEXT
from memories.forms import EditForm
from memories.models import MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, PathMissing, Refused
from memories.store import drafts
from memories.views import addresses, conflicts, sheets
from memories.views.acts import led, writable_file
from memories.views.diff_room import PAGE
from memories.views.keeping import keep
from memories.views.links import Links
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.saving import led_to_saved, saved
from memories.views.sheets import Sheet
from memories.views.texts import is_markdown, numbered, rendered

TABS: Final = {"write": "Write", "preview": "Preview", "changes": "Changes"}
OFFERED: Final = 5
"""How many of the person's other drafts the page offers."""


@require_http_methods(["GET", "POST"])
def edit(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show the editor with the file or with what the person left unsaved of it; take what was typed.

    ``?draft=`` is which of several drafts, ``?line=`` where writing goes on. A text made of a version that is no longer
    the newest one is answered with 409 and the merge of both, one that the store has no room for with 422; either way
    it is kept as a draft.
    """
    entry = writable_file(request, file_id)
    if request.method == "POST":
        return _taken(request, entry)
    if entry.media != TEXT or entry.state != State.LIVE:
        return redirect(addresses.files(entry.store.slug, entry.path))
    mine = drafts.of_file(request.user.pk, entry)
    draft = mine.filter(pk=number_in(request, "draft") or 0, discarded_at=None).first() or mine.first()
    if draft is None or draft.discarded_at:
        return editor(request, entry, sheets.of_file(entry), {"draft": None, "discarded": draft})
    return editor(request, entry, sheets.of_draft(entry, draft), {"draft": draft, "came_back": True})


def _taken(request: UserRequest, entry: MemoryEntry) -> HttpResponse:
    """Answer what an editor sent: show it at another tab, or save it."""
    form = EditForm(request.POST)
    if not form.is_valid() and form.errors.keys() - {"text", "note"}:
        if entry.media != TEXT:
            return redirect(addresses.files(entry.store.slug, entry.path))
        raise NotUnderstood("The version that was edited is missing. Nothing was changed.")
    given = form.cleaned_data
    # Only a text with NUL is none, which no browser makes; the rest of it stays on the page.
    typed = given.get("text", request.POST.get("text", "").replace("\0", ""))
    sheet = sheets.sent(entry, typed, given["base_version"], given["base_sha256"])
    note, draft = request.POST.get("note", ""), keep(request, entry, sheet)
    if entry.media != TEXT:
        return conflicts.page(request, entry, sheet, note, draft)
    more = {"draft": draft, "form": form, "note": note}
    tab = request.POST.get("tab", "")
    if not form.is_valid():
        return editor(request, entry, sheet, more, status=422)
    if tab in TABS:
        return editor(request, entry, sheet, {**more, "tab": tab}, partial="tab")
    return _save(request, entry, sheet, form, more)


def _save(request: UserRequest, entry: MemoryEntry, sheet: Sheet, form: EditForm, more: dict[str, Any]) -> HttpResponse:
    try:
        outcome = saved(request, entry, sheet, form.cleaned_data["note"], more["draft"])
    except (ContentChanged, PathMissing):
        now = access.file_for(request.user, entry.uuid)
        if now.state == State.LIVE and now.blob and now.blob.sha256 == sheet.sha256:
            # The same text again, as from a button that was pressed twice.
            drafts.forget(more["draft"])
            return led(request, addresses.files(now.store.slug, now.path))
        return conflicts.page(request, now, sheet, more["note"], more["draft"])
    except Refused as refusal:
        form.add_error("text", refusal.words)
        return editor(request, entry, sheet, more, status=422)
    return led_to_saved(request, entry, outcome, sheet.base_version)


def editor(
    request: UserRequest,
    entry: MemoryEntry,
    sheet: Sheet,
    more: dict[str, Any],
    *,
    partial: str = "edit",
    status: int = 200,
) -> HttpResponse:
    """Answer with the editor of a file; ``more`` says what differs from one that was just opened."""
    path = MemoryPath(entry.path)
    context: dict[str, Any] = {
        "store": entry.store,
        "path": path,
        "place": path,
        "entry": entry,
        "tab": "write",
        "form": None,
        "note": "",
        "came_back": False,
        "discarded": None,
        "heading": f"Edit {path.name}",
        "title": f"Edit {path.relative} · {entry.store.name}",
        "address": reverse("memories:edit", args=[entry.uuid]),
        "draft_address": reverse("memories:draft", args=[entry.uuid]),
        "discard_address": reverse("memories:discard-draft", args=[entry.uuid]),
        "merge_address": reverse("memories:merge", args=[entry.uuid]),
        "drafts": drafts.of_file(request.user.pk, entry),
        "back": addresses.files(entry.store.slug, entry.path),
        "line": number_in(request, "line") or "",
        "news": conflicts.news(request, entry, sheet.base_version),
        "live_runs": slots.fill("live-readers", request, store=entry.store, entry=entry),
        **more,
    }
    return editor_page(request, sheet, context, partial=partial, status=status)


def editor_page(
    request: UserRequest, sheet: Sheet, context: dict[str, Any], *, partial: str, status: int
) -> HttpResponse:
    """Answer with the editor of a file, or of one that is to be made, at the tab that ``context`` names."""
    memory: MemoryStore = context["store"]
    path: MemoryPath = context["path"]
    told = [draft.pk for draft in (context["draft"], context["discarded"]) if draft]
    context |= {
        "others": context["drafts"].exclude(pk__in=told).defer("text")[:OFFERED],
        "at": above(request, memory)[0].url,
        "sheet": sheet,
        "limit": memory.max_file_bytes,
        "tabs": TABS,
    }
    if not sheet.fits:
        return render_page(request, "memories/edit_too_long.html", context, partial="edit", status=status)
    if context["tab"] == "preview":
        markdown = is_markdown(path.name)
        context["rendered"] = rendered(sheet.text, Links(memory, path)) if markdown else None
        context["numbered"] = None if markdown else numbered(sheet.text, 1)
    elif context["tab"] == "changes":
        context["diff"] = diffs.compare(sheet.base, sheet.text, room=PAGE)
    return render_page(request, "memories/edit.html", context, partial=partial, status=status)
