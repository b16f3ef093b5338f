"""What people put on a file beside its text: its labels and its note."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memdash.web.pages import wants_part
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import store
from memories.commands import Command, Label, Note
from memories.models import MemoryEntry
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, Refused
from memories.text import NOTE, as_label, as_note
from memories.views import addresses
from memories.views.acts import person, undo_of, writable_file
from memories.views.files import show
from memories.views.words import Typed


@require_POST
def label(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Put labels on a file, several with commas between them, or take one off; the toast takes that back."""
    entry = writable_file(request, file_id)
    typed = [word for word in request.POST.get("add", "").split(",") if word.strip()]
    words = tuple(map(as_label, typed))
    if not all(words):
        messages.error(request, "A label is a short word of at most 40 characters. Nothing was changed.")
        return _answer(request, entry)
    remove = tuple(request.POST.getlist("remove"))
    return _put(
        request, entry, Label(MemoryPath(entry.path), add=words, remove=remove), "Changed the labels of {name}."
    )


@require_POST
def note(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Put a note on the file in place of the one that was on the page; an empty one takes it off.

    Where somebody else changed it meanwhile, or it is too long, the page comes back with what was typed.
    """
    entry = writable_file(request, file_id)
    path, text = MemoryPath(entry.path), request.POST.get("text", "").replace("\0", "")
    if len(as_note(text)) > NOTE:
        return show(request, entry.store, path, Typed(text, f"A note has at most {NOTE:,} characters.", 422))
    said = "Saved the note on {name}." if text.strip() else "Took the note off {name}."
    try:
        return _put(request, entry, Note(path, text, request.POST.get("shown", "")), said)
    except ContentChanged:
        fault = "Somebody changed this note meanwhile. Yours is not saved yet: save it to put it in place of theirs."
        return show(request, entry.store, path, Typed(text, fault, 409))


def _put(request: UserRequest, entry: MemoryEntry, command: Command, said: str) -> HttpResponse:
    try:
        outcome = store.apply(entry.store_id, command, actor=person(request))
    except ContentChanged:
        raise
    except Refused as refusal:
        messages.error(request, refusal.words)
    else:
        if outcome.change_set:
            messages.success(request, said.format(name=MemoryPath(entry.path).name), extra_tags=undo_of(outcome))
    return _answer(request, entry)


def _answer(request: UserRequest, entry: MemoryEntry) -> HttpResponse:
    if wants_part(request):
        return show(request, entry.store, MemoryPath(entry.path))
    return redirect(local_target(request.POST.get("next", ""), request, addresses.files(entry.store.slug, entry.path)))
