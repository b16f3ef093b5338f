"""A file's history: its versions, and what each changed. It outlives the file."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, settings
from memories.diffs import opened_lines
from memories.forms import NoteForm
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, State
from memories.refusals import Refused
from memories.settings.stores import note_key
from memories.views import addresses
from memories.views.acts import person, undo_of_act, writable_file
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.trails import LAYOUTS, Trail, file_of, layout_of


@require_GET
def history(request: UserRequest, slug: str, path: str) -> HttpResponse:
    """Show the versions of the file that lives at a path, or did last, and what one of them changed.

    ``?v=`` picks the version, ``?file=`` another file that had the path before, ``?layout=`` split or unified,
    ``?open=`` the lines unfolded, ``?page=`` a page of a long diff, and ``?before=`` older versions in the list.
    """
    store = access.store_for(request.user, slug)
    place = addresses.read(path)
    entry = file_of(store, place, request.GET.get("file", ""))
    if entry.path != place.text and "file" not in request.GET:
        return redirect(addresses.history(slug, entry.path, **request.GET.dict()))
    trail = Trail(request, store, entry, layout_of(request), number_in(request, "before"), "file" in request.GET)
    page_before = trail.page_before or entry.version + 1
    picked = number_in(request, "v") or min(entry.version, page_before - 1)
    unfolded = opened_lines(request.GET.get("open", ""))
    change = trail.change(picked, page=number_in(request, "page") or 1, opened=unfolded)
    opened = change.diff.opened
    context: dict[str, Any] = {
        "title": f"History of {place.relative} · {store.name}",
        "store": store,
        "path": place,
        "entry": entry,
        "trail": trail,
        "change": change,
        "layouts": [(layout, trail.url(picked, layout=layout)) for layout in LAYOUTS],
        "address": addresses.history(slug, entry.path) + trail.url(picked),
        "versions_url": trail.url(),
        "open_url": trail.open_url(picked, opened),
        "page_url": trail.url(picked, open=opened) + "&page=",
        "live_url": addresses.files(slug, entry.path, view="raw") if entry.state == State.LIVE else "",
        "time_url": addresses.time(slug, change.step.version.path, at=change.step.version.seq),
        "is_picked": "v" in request.GET,
        "restorable": access.may_write(request.user, store) and _restorable(entry, change.step.version),
        "may_write": entry.state != State.PURGED and access.may_write(request.user, store),
    }
    if wants_part(request):
        response = render_page(request, "memories/history.html", context, partial="diff")
        response["HX-Push-Url"] = request.get_full_path()
        return response
    context["at"] = above(request, store)[0].url
    context["steps"] = trail.steps()
    context["since"] = entry.created_at
    context["predecessor"] = _before(store, entry)
    return render_page(request, "memories/history.html", context)


@require_POST
def note(request: UserRequest, file_id: UUID, number: int) -> HttpResponse:
    """Put a person's words in place of a version's summary; an empty note brings the summary back."""
    entry = writable_file(request, file_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        messages.error(request, "A note has at most 1,024 characters. Nothing was saved.")
    else:
        try:
            key, given = note_key(entry, number), {"note": form.cleaned_data["note"]}
            act = settings.change("note", key, given, store=entry.store, actor=person(request))
        except Refused:
            raise Http404("The file never had this version.") from None
        if act:
            said = "Saved the note." if form.cleaned_data["note"] else "Removed the note."
            messages.success(request, said, extra_tags=undo_of_act(act))
    back = addresses.history(entry.store.slug, entry.path, v=number)
    return redirect(local_target(request.POST.get("next", ""), request, back))


def _restorable(entry: MemoryEntry, version: MemoryVersion) -> bool:
    """Return whether bringing the version back could change anything: it has a text that is not there now."""
    return version.blob_id is not None and (entry.state != State.LIVE or version.number < entry.version)


def _before(store: MemoryStore, entry: MemoryEntry) -> str:
    """Return the history of the file that had the path before; empty when there was none."""
    predecessor = MemoryEntry.objects.filter(store=store, uuid=entry.predecessor).first() if entry.predecessor else None
    return addresses.history(store.slug, predecessor.path, file=predecessor.uuid) if predecessor else ""
