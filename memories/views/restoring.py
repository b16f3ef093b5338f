"""Bringing back what a file held at a version, and files that were deleted."""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import store
from memories.commands import Exactly, Restore, Undelete
from memories.forms import RestoreForm
from memories.models import MemoryEntry, MemoryVersion, State
from memories.paths import MemoryPath
from memories.refusals import PathTaken, Refused
from memories.views import addresses
from memories.views.acts import led, person, undo_of, writable_file
from memories.views.contents import data_of
from memories.views.moving import HEADING
from memories.views.numbers import number_in
from memories.views.places import above

AGAIN: Final = "again"
"""The name of the button that goes on editing what could not be saved."""


@require_http_methods(["GET", "POST"])
def restore_file(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Give the file what it held at a version, as a new version, and take it out of the trash if it is there.

    ``version`` may be left out for a deleted file, which then comes back as it was. Where its path is taken, the form
    for another one is shown, with 422; a look shows that form too. Whoever was editing it goes on.
    """
    entry = writable_file(request, file_id)
    place = {"path": MemoryPath(entry.path).relative}
    form = RestoreForm(place | request.POST.dict() if request.method == "POST" else None, initial=place)
    number = number_in(request, "version") if request.method == "GET" else None
    if request.method == "POST" and form.is_valid():
        number = form.cleaned_data["version"]
        path = MemoryPath(entry.path)
        if entry.state != State.LIVE:
            path = form.cleaned_data["path"]
        version = _version(entry, number)
        try:
            outcome = _restored(request, entry, path, version)
        except PathTaken as refusal:
            form.add_error("path", f"{refusal.words}. Choose another path.")
        except Refused as refusal:
            form.add_error(None, refusal.words)
        else:
            _say(request, outcome, path, number)
            if AGAIN in request.POST:
                return led(request, reverse("memories:edit", args=[file_id]))
            return led(request, addresses.files(entry.store.slug, path.text) + HEADING)
    context: dict[str, Any] = {
        "title": f"Restore {MemoryPath(entry.path).relative} · {entry.store.name}",
        "store": entry.store,
        "at": above(request, entry.store)[0].url,
        "path": MemoryPath(entry.path),
        "entry": entry,
        "form": form,
        "version": number,
        "is_gone": entry.state != State.LIVE,
        "address": reverse("memories:restore-file", args=[file_id]),
        "back": addresses.files(entry.store.slug, entry.path),
    }
    return render_page(request, "memories/restore.html", context, partial="edit", status=422 if form.errors else 200)


def _version(entry: MemoryEntry, number: int | None) -> MemoryVersion | None:
    """Return the version to bring back; None for a deleted file as it was. Http404 where there is no text to bring."""
    if number is None and entry.state != State.LIVE:
        return None
    version = MemoryVersion.objects.filter(entry=entry, number=number or 0).select_related("blob").first()
    if version is None or version.blob is None or version.redacted_at:
        raise Http404("The file never had this version, or its text is gone.")
    return version


def _restored(
    request: UserRequest, entry: MemoryEntry, path: MemoryPath, version: MemoryVersion | None
) -> store.Outcome:
    """Bring the file back, and what it held, as one act."""
    actor = person(request)
    restore = Restore(path, version.number, data_of(version.blob)) if version else None
    if entry.state == State.LIVE:
        assert restore
        return store.apply(entry.store_id, Exactly(restore, path, entry.pk), actor=actor)
    if restore is None:
        return store.apply(entry.store_id, Undelete(entry.pk, path), actor=actor)
    actor = replace(actor, change_set=f"restore:{uuid4()}")
    with store.locked(entry.store_id) as tx:
        outcome = tx.apply(Undelete(entry.pk, path), actor=actor)
        again = tx.apply(restore, actor=actor)
    return outcome._replace(versions=outcome.versions + again.versions)


def _say(request: UserRequest, outcome: store.Outcome, path: MemoryPath, number: int | None) -> None:
    """Say what came back, with the way back from that."""
    if not outcome.versions:
        messages.success(request, f"{path.name} says the same as version {number:,}. Nothing was changed.")
    elif number is None:
        messages.success(request, f"Restored {path.name}.", extra_tags=undo_of(outcome))
    else:
        newest = outcome.versions[-1].number
        said = f"Restored version {number:,} of {path.name} as version {newest:,}."
        messages.success(request, said, extra_tags=undo_of(outcome))
