"""Pausing what agents change in a store, and letting them write again."""

from typing import Final, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memdash.web import names
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, store
from memories.commands import Pause
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.views import addresses
from memories.views.acts import person


class Said(NamedTuple):
    """What is said when it is done, what when it was so already, and the route that undoes it."""

    done: str
    already: str
    inverse: str


SAID: Final = {
    True: Said("Paused changes to {name}. Agents read and do not write.", "{name} was paused already.", "unpause"),
    False: Said("Agents may write to {name} again.", "Agents may write to {name} already.", "pause"),
}


@require_POST
def pause(request: UserRequest, slug: str, on: bool) -> HttpResponse:
    """Close the store to changes by agents, or open it again; it counts from their next call, also in a live run."""
    memory = access.store_for(request.user, slug)
    if not access.may_write(request.user, memory):
        raise PermissionDenied("Only curators and owners of the store may pause what agents change in it.")
    said, name = SAID[on], names.label(request, memory)
    try:
        outcome = store.apply(memory.pk, Pause(on), actor=person(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        if outcome.change_set:
            undo = reverse(f"memories:{said.inverse}", args=[slug])
            messages.success(request, said.done.format(name=name), extra_tags=undo)
        else:
            messages.info(request, said.already.format(name=name))
    root = addresses.files(slug, MemoryPath.ROOT.text)
    return redirect(local_target(request.POST.get("next", ""), request, root))
