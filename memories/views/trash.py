"""The trash: what was deleted, with the way back, one by one or together."""

from dataclasses import replace
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from memdash.web.formats import counted
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, store
from memories.commands import Undelete
from memories.models import FileNote, State
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.refusals import PathTaken, Refused
from memories.views import addresses
from memories.views.acts import person
from memories.views.contents import text_of
from memories.views.numbers import number_in
from memories.views.texts import page_with
from memories.views.trash_list import KINDS, Roles, in_trash, rows_of, trash_list


@require_GET
def trash(request: UserRequest) -> HttpResponse:
    """List the deleted files of all stores a person may see; the address holds filters and order."""
    shown = trash_list(request)
    context = {
        "title": f"Trash · {shown.store.name}" if shown.store and shown.asked.store else "Trash",
        "list": shown,
        "sorts": shown.asked.sorts(),
        "kinds": [(key, label) for key, (label, _) in KINDS.items()],
        "here": request.get_full_path(),
    }
    return render_page(request, "memories/trash.html", context)


@require_GET
def trash_file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show a deleted file: its text, who removed it and why. One that is back is shown where it lives."""
    entry = access.file_for(request.user, file_id)
    if entry.state == State.LIVE:
        return redirect(addresses.files(entry.store.slug, entry.path))
    if entry.state != State.TRASH:
        raise Http404("The file is not in the trash.")
    roles = Roles(request.user, [entry.store_id])
    (row,) = rows_of(request, [entry], roles)
    note = FileNote.objects.filter(entry=entry).first()
    is_text = entry.media == Media.TEXT
    context: dict[str, Any] = {
        "title": f"{row.relative} · Trash",
        "entry": entry,
        "row": row,
        "note": note.text if note else "",
        "numbered": page_with(text_of(entry.blob), number_in(request, "from"), None) if is_text else None,
        "history": addresses.history(entry.store.slug, entry.path, file=entry.uuid),
        "may_own": roles.may_own(entry.store_id),
        "purge_url": f"{reverse('memories:purge')}?file={entry.uuid}",
    }
    return render_page(request, "memories/trash_file.html", context)


@require_POST
def restore_files(request: UserRequest) -> HttpResponse:
    """Bring the chosen files back to their paths, those of a store as one act; what cannot come is said and stays."""
    chosen = in_trash(request, request.POST.getlist("file"))
    roles = Roles(request.user, (entry.store_id for entry in chosen))
    if not all(roles.may_write(entry.store_id) for entry in chosen):
        raise PermissionDenied("You can look but not change.")
    for memory, group in groupby(chosen, key=lambda entry: entry.store):
        actor = replace(person(request), change_set=f"restore:{uuid4()}")
        back, stay, act = 0, [], None
        try:
            with store.locked(memory.pk) as tx:
                for entry in group:
                    outcome = tx.attempt(Undelete(entry.pk, MemoryPath(entry.path)), actor=actor)
                    if isinstance(outcome, Refused):
                        stay.append((entry, outcome))
                    else:
                        back, act = back + 1, act or outcome.change_set
        except Refused as refusal:
            messages.error(request, refusal.words)
            continue
        if act:
            undo = reverse("memories:undo-act", args=[act])
            messages.success(request, f"Restored {counted(back, 'file')} of {memory.name}.", extra_tags=undo)
        for entry, why in stay[:3]:
            messages.error(request, f"{MemoryPath(entry.path).relative} stays here. {_why(why)}")
        if len(stay) > 3:
            messages.error(request, f"{counted(len(stay) - 3, 'other file')} stay here too.")
    if not chosen:
        messages.error(request, "Check the files to restore first. Nothing was changed.")
    return redirect(local_target(request.POST.get("next", ""), request, reverse("memories:trash")))


def _why(refusal: Refused) -> str:
    if isinstance(refusal, PathTaken):
        return "Its path is taken by now: restore it by itself to give it another name."
    return refusal.words
