"""Taking an act on settings back: a page that shows what would happen to each, and doing it."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import settings
from memories.models import ChangeSet
from memories.refusals import Refused
from memories.settings import Fate, Step
from memories.views.acts import person, undo_of_act
from memories.views.change_sets import acts_of


@dataclass(frozen=True, slots=True)
class Row:
    """One setting on the page: what it was before the act, what the act made of it, and what becomes of it."""

    step: Step
    before: str
    after: str
    now: str

    @property
    def goes_back(self) -> bool:
        return self.step.fate is Fate.BACK

    @property
    def words(self) -> str:
        match self.step.fate:
            case Fate.BACK:
                return "Goes back"
            case Fate.SAME:
                return "As it was already"
            case Fate.CHANGED:
                return "Kept: changed since"
            case _:
                return f"Kept: {self.step.why or 'it is gone'}"


def undo_settings(request: UserRequest, act: ChangeSet) -> HttpResponse:
    """Show what taking the act back would do to each setting it changed, or do it.

    A setting that somebody changed since is kept, and named. Whoever may not set them sees neither values nor a button.
    """
    may_set = settings.may_set(request.user, act)
    if request.method != "POST":
        return _page(request, act, may_set=may_set)
    if not may_set:
        raise PermissionDenied("Only who may change these settings can undo that.")
    try:
        done = settings.take_back(act, actor=person(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(_next(request))
    kept = settings.kept_words(done.steps) if done.kept else []
    messages.success(request, " ".join(["Undone.", *kept]), extra_tags=undo_of_act(done.act))
    return redirect(reverse("memories:activity") if _took_a_store(done.act) else _next(request))


def _took_a_store(act: ChangeSet) -> bool:
    """Say whether the store is gone with the act, and with it the page on which somebody asked for it."""
    return any(
        change.kind == "store" and change.field == settings.EXISTS and not change.after
        for change in settings.changes_of(act)
    )


def _next(request: UserRequest) -> str:
    given = request.POST.get("next") or request.GET.get("next", "")
    return local_target(given, request, reverse("memories:activity"))


def _page(request: UserRequest, act: ChangeSet, *, may_set: bool) -> HttpResponse:
    (about,) = acts_of(request, [act])
    rows = [_row(step) for step in settings.plan(act, actor=person(request))] if may_set else []
    context = {
        "title": f"Undo {about.title} · {act.store.name if act.store else 'Prices'}",
        "store": act.store,
        "act": about,
        "rows": rows,
        "are_many": len({row.step.change[:2] for row in rows}) > 1,
        "back": sum(row.goes_back for row in rows),
        "may_set": may_set,
        "undone_by": ChangeSet.objects.filter(undoes=act.uuid).order_by("-pk").first(),
        "next": _next(request),
    }
    return render_page(request, "memories/undo_settings.html", context)


def _row(step: Step) -> Row:
    kind, field = settings.kind_of(step.change.kind), step.change.field
    before, after, now = (kind.shown(field, value) for value in (step.change.before, step.change.after, step.now))
    return Row(step, before, after, now)
