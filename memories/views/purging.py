"""Letting deleted files go for good. It asks first, says what stays, and only owners of a store may."""

from contextlib import suppress
from itertools import groupby
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Sum
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from memdash.web.formats import counted
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.commands.purges import MOST
from memories.models import Emptying, MemoryEntry, MemoryStore, State
from memories.refusals import Busy, Refused
from memories.store import purging
from memories.views.acts import person
from memories.views.numbers import number_in
from memories.views.trash_list import Roles, in_trash

NAMED = 20
"""Files that the page which asks names one by one."""

ONLY_OWNERS = "Only an owner of the store may purge what is in its trash."


@require_http_methods(["GET", "POST"])
def purge(request: UserRequest) -> HttpResponse:
    """Ask whether the chosen files shall go for good, or let them go once ``confirm`` says so."""
    given = request.POST if request.method == "POST" else request.GET
    ids = given.getlist("file")
    chosen = in_trash(request, ids)
    roles = Roles(request.user, (entry.store_id for entry in chosen))
    if not all(roles.may_own(entry.store_id) for entry in chosen):
        raise PermissionDenied(ONLY_OWNERS)
    if not chosen:
        messages.error(request, "None of these files is in the trash. Nothing was changed.")
        return redirect("memories:trash")
    if request.method == "POST" and "confirm" not in request.POST:
        query = urlencode({"file": [str(entry.uuid) for entry in chosen]}, doseq=True)
        return redirect(f"{reverse('memories:purge')}?{query}")
    if request.method == "POST":
        return _purged(request, chosen)
    context = _about_to_go(
        count=len(chosen),
        size=sum(entry.size for entry in chosen),
        versions=sum(entry.version for entry in chosen),
        named=chosen,
        action=reverse("memories:purge"),
    )
    return render_page(request, "memories/purge.html", {"title": "Purge from the trash", **context, "chosen": chosen})


@require_http_methods(["GET", "POST"])
def empty(request: UserRequest, slug: str) -> HttpResponse:
    """Ask whether all that is in a store's trash shall go for good, or begin to let it go.

    What was deleted after the page was shown is not meant. Where there is much, workers go on and a page tells how far.
    """
    memory: MemoryStore = access.store_for(request.user, slug)
    if not access.may_own(request.user, memory):
        raise PermissionDenied(ONLY_OWNERS)
    trash = MemoryEntry.objects.filter(store=memory, state=State.TRASH)
    upto = number_in(request, "upto") if request.method == "GET" else _posted_number(request, "upto")
    if request.method == "POST" and upto is not None:
        return _emptied(request, memory, upto)
    sums = trash.aggregate(count=Count("pk"), size=Sum("size", default=0), versions=Sum("version", default=0))
    context: dict[str, Any] = _about_to_go(
        **sums,
        named=list(trash.order_by("path", "-changed_seq")[:NAMED]),
        action=reverse("memories:empty-trash", args=[slug]),
    )
    context |= {"title": f"Empty the trash · {memory.name}", "store": memory, "upto": memory.seq}
    context["at"] = reverse("memories:trash")
    return render_page(request, "memories/purge.html", context)


@require_GET
def emptying(request: UserRequest, order: UUID) -> HttpResponse:
    """Show how far the emptying of a trash is."""
    found = Emptying.objects.filter(uuid=order, store__in=access.stores_for(request.user)).select_related("store")
    row = found.first()
    if row is None:
        raise Http404("There is no such order, or you are not a member of its store.")
    context = {"title": f"Emptying the trash · {row.store.name}", "order": row, "left": max(0, row.total - row.purged)}
    return render_page(request, "memories/emptying.html", context, partial="progress")


def _about_to_go(**facts: Any) -> dict[str, Any]:
    return {"store": None, "upto": None, "chosen": (), "more": facts["count"] - len(facts["named"][:NAMED])} | facts


def _purged(request: UserRequest, chosen: list[MemoryEntry]) -> HttpResponse:
    gone = 0
    for memory, group in groupby(chosen, key=lambda entry: entry.store):
        ids = tuple(entry.pk for entry in group)
        try:
            gone += len(purging.purge(memory.pk, ids, actor=person(request)).versions)
        except Refused as refusal:
            messages.error(request, refusal.words)
    if gone:
        messages.success(
            request, f"Purged {counted(gone, 'file')}. Nothing brings {'it' if gone == 1 else 'them'} back."
        )
    return redirect("memories:trash")


def _emptied(request: UserRequest, memory: MemoryStore, upto: int) -> HttpResponse:
    try:
        order = purging.begin(memory, actor=person(request), upto_seq=upto)
    except Refused as refusal:
        messages.error(request, refusal.words)
        return redirect("memories:empty-trash", slug=memory.slug)
    # The first files go at once, which is all of them for most. What is left, also when others keep the store, a worker
    # does: it is on order by now.
    with suppress(Busy):
        while purging.go_on(order) and order.total <= MOST:
            pass
    order.refresh_from_db()
    if order.finished_at is None:
        purging.send_for_a_worker()
        return redirect("memories:emptying", order=order.uuid)
    messages.success(request, f"Emptied the trash: {counted(order.purged, 'file')} gone for good.")
    return redirect("memories:trash")


def _posted_number(request: UserRequest, name: str) -> int | None:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
