"""Taking back what one act did in several stores: at once where all goes back, else on a page that says what stays."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memdash.web.formats import counted as in_words
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, undo
from memories.models import ChangeSet
from memories.refusals import Refused
from memories.undo import FilePlan, TooMuch, Undone, Verdict
from memories.views.acts import person
from memories.views.change_sets import acts_of
from memories.views.undo_rows import counted
from memories.views.undoing import change_set_for


@dataclass(frozen=True, slots=True)
class Part:
    """What the act did in one store, and what would become of that."""

    change_set: ChangeSet
    plans: list[FilePlan]
    may_write: bool

    @property
    def counts(self) -> dict[str, int]:
        return counted(self.plans)

    @property
    def url(self) -> str:
        return reverse("memories:undo-act", args=[self.change_set.uuid])


@require_http_methods(["GET", "POST"])
def undo_everywhere(request: UserRequest, change_set: UUID) -> HttpResponse:
    """Show what taking the act back would do in each store the person sees, or do it in all of those together.

    A POST without what the page shows, as a toast sends it, is carried out at once if everything goes back.
    """
    act = change_set_for(request, change_set)
    try:
        parts = parts_of(request, act)
    except TooMuch as too_much:
        messages.error(request, str(too_much))
        return redirect("memories:undo-act", act.uuid)
    if len(parts) < 2:
        return redirect("memories:undo-act", act.uuid)
    if request.method != "POST":
        return _page(request, act, parts)
    mine = [part for part in parts if part.may_write]
    if not mine:
        raise PermissionDenied("You can look but not change.")
    shown = request.POST.get("shown", "")
    is_plain = all(made.verdict is Verdict.GOES_BACK for part in parts for made in part.plans)
    if not shown and not (is_plain and len(mine) == len(parts)):
        return redirect("memories:undo-everywhere", act.uuid)
    try:
        done = undo.undo_together([part.change_set for part in mine], actor=person(request), shown=shown)
    except Refused as refusal:
        return _page(request, act, parts_of(request, act), refusal)
    messages.success(request, _said(done), extra_tags=address_of([each.change_set for each in done]))
    return redirect(local_target(request.POST.get("next", ""), request, reverse("memories:activity")))


def parts_of(request: UserRequest, act: ChangeSet) -> list[Part]:
    """Return what the act did in each store that the person may see, with what would become of it."""
    found = undo.siblings_of(act).filter(store__in=access.stores_for(request.user)).select_related("store")
    change_sets = list(found.order_by("store__name", "store"))
    writable = set(
        access.writable_stores_for(request.user).filter(change_sets__in=change_sets).values_list("pk", flat=True)
    )
    return [Part(each, undo.plan(each), each.memory_id in writable) for each in change_sets]


def address_of(change_sets: "list[UUID] | tuple[UUID, ...]") -> str:
    """Return the address that takes back an act of which these are the change sets; empty without any."""
    if not change_sets:
        return ""
    name = "memories:undo-everywhere" if len(change_sets) > 1 else "memories:undo-act"
    return reverse(name, args=[change_sets[0]])


def _said(done: list[Undone]) -> str:
    back, kept = sum(each.back for each in done), sum(each.kept for each in done)
    stays = f", {in_words(kept, 'file')} kept" if kept else ""
    return f"Undone in {in_words(len(done), 'store')}. {in_words(back, 'file')} went back{stays}."


def _page(request: UserRequest, act: ChangeSet, parts: list[Part], refusal: Refused | None = None) -> HttpResponse:
    (about,) = acts_of(request, [act])
    mine = [part for part in parts if part.may_write]
    context = {
        "title": f"Undo {about.title} in {len(parts)} stores",
        "act": about,
        "parts": parts,
        "mine": len(mine),
        "back": sum(part.counts["back"] for part in mine),
        "asked": sum(part.counts["asked"] for part in mine),
        "shown": undo.fingerprint_together([part.plans for part in mine]),
        "refusal": refusal,
        "next": local_target(request.POST.get("next") or request.GET.get("next", ""), request, ""),
    }
    return render_page(request, "memories/undo_everywhere.html", context, status=409 if refusal else 200)
