"""What a person does to a file from its page. Actions go to the file's id, so a rename in between does no harm."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from memdash.web.errors import NotUnderstood
from memdash.web.pages import wants_part
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, store
from memories.actors import Actor, ActorKind
from memories.commands import Lock, Pin
from memories.forms import SeenForm
from memories.models import ChangeSet, MemoryEntry, MemoryStore
from memories.moments import seen as marks
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.views import addresses
from memories.views.files import show
from memories.views.numbers import number_of
from memories.views.unseeing import unsee_url

VERBS: Final[Mapping[str, tuple[type[Pin] | type[Lock], bool, str]]] = MappingProxyType(
    {
        "pin": (Pin, True, "Pinned {name}."),
        "unpin": (Pin, False, "Unpinned {name}."),
        "lock": (Lock, True, "Locked {name}. Agents may read it but not change it."),
        "unlock": (Lock, False, "Unlocked {name}."),
    }
)
"""The command of each verb, and what is said when it is done."""


@require_POST
def mark(request: UserRequest, file_id: UUID, verb: str) -> HttpResponse:
    """Pin or lock a file, or undo that; the toast offers the way back."""
    entry = writable_file(request, file_id)
    command, on, said = VERBS[verb]
    path = MemoryPath(entry.path)
    try:
        outcome = store.apply(entry.store_id, command(path, on), actor=person(request))
    except Refused as refusal:
        messages.error(request, refusal.words)
    else:
        messages.success(request, said.format(name=path.name), extra_tags=undo_of(outcome))
    if wants_part(request):
        return show(request, entry.store, path)
    return redirect(local_target(request.POST.get("next", ""), request, addresses.files(entry.store.slug, entry.path)))


@require_POST
def seen(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Note which version of the file the person has seen: the one that was on the page; no access stamp is touched."""
    entry = access.file_for(request.user, file_id)
    form = SeenForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood("The version that was on the page is missing. Nothing was changed.")
    # One that came while the page was open is still new.
    version = min(form.cleaned_data["version"], entry.version)
    marks.mark(request.user.pk, files={entry.pk: version})
    if wants_part(request):
        return HttpResponse(status=204)
    return redirect(addresses.files(entry.store.slug, entry.path))


@require_POST
def all_seen(request: UserRequest, slug: str) -> HttpResponse:
    """Note that the person has seen everything in the store, up to the change that was on the page; with undo."""
    memory: MemoryStore = access.store_for(request.user, slug)
    shown = number_of(request.POST.get("seq", ""))
    seq = memory.seq if shown is None else min(shown, memory.seq)
    moment = marks.mark(request.user.pk, stores={memory.pk: seq})
    messages.success(request, "Everything here counts as seen.", extra_tags=unsee_url(moment))
    return redirect(addresses.files(slug, MemoryPath.ROOT.text))


def writable_file(request: UserRequest, file_id: UUID) -> MemoryEntry:
    """Return the file if the person may change it; Http404 or, for those who may only look, PermissionDenied."""
    entry: MemoryEntry = access.file_for(request.user, file_id)
    if not access.may_write(request.user, entry.store):
        raise PermissionDenied("You can look but not change.")
    return entry


def writable_store(request: UserRequest, slug: str) -> MemoryStore:
    """Return the store if the person may change what is in it; Http404 or PermissionDenied as for a file."""
    memory: MemoryStore = access.store_for(request.user, slug)
    if not access.may_write(request.user, memory):
        raise PermissionDenied("You can look but not change.")
    return memory


def undo_of(outcome: store.Outcome) -> str:
    """Return the address that takes an act back; empty when it changed nothing."""
    return reverse("memories:undo-act", args=[outcome.change_set]) if outcome.change_set else ""


def undo_of_act(act: ChangeSet) -> str:
    """Return the address that takes an act back."""
    return reverse("memories:undo-act", args=[act.uuid])


def led(request: UserRequest, address: str) -> HttpResponse:
    """Lead the browser to another page, whoever asked: a form, or htmx, which would put the page into this one."""
    return HttpResponseClientRedirect(address) if wants_part(request) else redirect(address)


def person(request: UserRequest) -> Actor:
    """Return the person who makes the request as the author of a change."""
    return Actor(ActorKind.PERSON, request.user.get_username(), user_id=request.user.pk)
