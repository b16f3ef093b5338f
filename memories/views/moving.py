"""Giving a file or a directory another path, and deleting it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from memdash.web import formats
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import store
from memories.commands import Command, Delete, Exactly, Rename
from memories.forms import MoveForm
from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.views import addresses
from memories.views.acts import person, undo_of, writable_file, writable_store
from memories.views.marks import eyes_of
from memories.views.neighbours import nearest_folder, neighbour_of
from memories.views.places import above

HEADING = "#heading"
"""The part of a page's address that puts the focus on its heading."""


@require_http_methods(["GET", "POST"])
def rename_file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show the form for another path of the file, or move it there; its history and its marks stay with it."""
    entry = writable_file(request, file_id)
    if entry.state != State.LIVE:
        return redirect(addresses.files(entry.store.slug, entry.path))
    return _rename(request, entry.store, entry, reverse("memories:rename-file", args=[file_id]))


@require_http_methods(["GET", "POST"])
def rename_folder(request: UserRequest, slug: str, path: str) -> HttpResponse:
    """Do the same for a directory with everything below it."""
    memory = writable_store(request, slug)
    entry = _folder(memory, addresses.read(path))
    return _rename(request, memory, entry, reverse("memories:rename-folder", args=[slug, path]))


@require_POST
def delete_file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Put the file into the trash and go on to what stands behind it; the toast brings it back."""
    entry = writable_file(request, file_id)
    return _delete(request, entry.store, entry)


@require_POST
def delete_folder(request: UserRequest, slug: str, path: str) -> HttpResponse:
    """Do the same for everything below a directory."""
    memory = writable_store(request, slug)
    return _delete(request, memory, _folder(memory, addresses.read(path)))


def _folder(memory: MemoryStore, path: MemoryPath) -> MemoryEntry:
    entry = MemoryEntry.objects.filter(store=memory, kind=Kind.DIRECTORY).at(path).first()
    if entry is None:
        raise Http404("There is no such directory.")
    return entry


def _rename(request: UserRequest, memory: MemoryStore, entry: MemoryEntry, address: str) -> HttpResponse:
    path = MemoryPath(entry.path)
    form = MoveForm(request.POST if request.method == "POST" else None, initial={"path": path.relative})
    if request.method == "POST" and form.is_valid():
        target = form.cleaned_data["path"]
        try:
            outcome = store.apply(memory.pk, _meant(Rename(path, target), entry), actor=person(request))
        except Refused as refusal:
            form.add_error("path", refusal.words)
        else:
            if outcome.versions:
                did, where = ("Renamed", target.name) if target.parent == path.parent else ("Moved", target.relative)
                messages.success(request, f"{did} {_named(entry)} to {where}.", extra_tags=undo_of(outcome))
            return redirect(addresses.files(memory.slug, target.text) + HEADING)
    context: dict[str, Any] = {
        "title": f"Rename or move {path.relative} · {memory.name}",
        "store": memory,
        "at": above(request, memory)[0].url,
        "path": path,
        "entry": entry,
        "form": form,
        "address": address,
        "back": addresses.files(memory.slug, path.text),
    }
    return render_page(request, "memories/rename.html", context, status=422 if form.errors else 200)


def _delete(request: UserRequest, memory: MemoryStore, entry: MemoryEntry) -> HttpResponse:
    path = MemoryPath(entry.path)
    following = neighbour_of(memory, entry, eyes_of(request.user.pk, memory))
    try:
        outcome = store.apply(memory.pk, _meant(Delete(path), entry), actor=person(request))
    except Refused as refusal:
        messages.error(request, refusal.words)
        return redirect(addresses.files(memory.slug, path.text))
    messages.success(request, f"Deleted {_named(entry)}.", extra_tags=undo_of(outcome))
    return redirect(addresses.files(memory.slug, (following or nearest_folder(memory, path)).text) + HEADING)


def _meant(command: Command, entry: MemoryEntry) -> Command:
    """Return the command for the very file that was on the page; a directory is no more than its path."""
    return Exactly(command, MemoryPath(entry.path), entry.pk) if entry.kind == Kind.FILE else command


def _named(entry: MemoryEntry) -> str:
    name = MemoryPath(entry.path).name
    return name if entry.kind == Kind.FILE else f"{name} with {formats.counted(entry.file_count, 'file')}"
