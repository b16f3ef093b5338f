"""Taking an act back: at once where nothing stands in the way, else on a page that shows what would happen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memdash.web.formats import counted as in_words
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, undo
from memories.models import ChangeSet, MemoryVersion
from memories.paths import MemoryPath
from memories.refusals import PathRefused, Refused
from memories.undo import Answer, FilePlan, Replies, Reply, TooMuch, Undone, Verdict
from memories.views import addresses
from memories.views.acts import person
from memories.views.change_sets import Act, acts_of
from memories.views.landing import place_after
from memories.views.undo_rows import Row, counted, listed, readers_of, rows_of
from memories.views.undo_settings import undo_settings

PURGED: Final = 100
"""Paths that a page of purged files lists."""

GROUPS: Final = (
    (Verdict.ASKED, "Your answer is needed"),
    (Verdict.GOES_BACK, "Goes back"),
    (Verdict.LATER, "Came later"),
    (Verdict.KEPT, "Kept as it is"),
)


@dataclass(slots=True)
class Group:
    """Files of which the same would become: ``count`` of them, the first as rows."""

    key: str
    title: str
    rows: list[Row]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.rows)


@require_http_methods(["GET", "POST"])
def undo_act(request: UserRequest, change_set: UUID) -> HttpResponse:
    """Show what taking an act back would do to each file, or do it.

    A POST without what the page asks for, as a toast sends it, is carried out at once if everything goes back; else
    the page is shown first.
    """
    act = change_set_for(request, change_set)
    if act.settings is not None:
        return undo_settings(request, act)
    (about,) = acts_of(request, [act])
    if about.is_final or request.method != "POST":
        return _purged(request, about) if about.is_final else _page(request, act)
    if not access.may_write(request.user, act.memory):
        raise PermissionDenied("You can look but not change.")
    shown = request.POST.get("shown", "")
    others = Answer.KEEP if "others" in request.POST else None
    replies: Replies = {}
    try:
        if not shown and not _is_plain(undo.plan(act)):
            return redirect("memories:undo-act", act.uuid)
        replies, fault = replies_in(request.POST)
        if fault:
            raise fault
        done = undo.undo(act, actor=person(request), replies=replies, others=others, shown=shown)
    except Refused as refusal:
        if not shown:
            messages.error(request, str(refusal))
            return redirect(_next(request, act))
        return _page(request, act, refusal, replies, others)
    messages.success(request, _said(done), extra_tags=reverse("memories:undo-act", args=[done.change_set]))
    return redirect(place_after(act.memory, done.change_set, _next(request, act)))


def change_set_for(request: UserRequest, uuid: UUID) -> ChangeSet:
    """Return the change set if the person may see its store, or is the operator; otherwise raise Http404."""
    found = ChangeSet.objects.filter(uuid=uuid).select_related("store")
    if not request.user.is_superuser:
        found = found.filter(store__in=access.all_stores_for(request.user))
    act = found.first()
    if act is None:
        raise Http404("There is no such change, or you are not a member of its store.")
    return act


def _purged(request: UserRequest, about: Act) -> HttpResponse:
    """Say which files an act purged, which nothing takes back; 409 to who asks for that."""
    act = about.change_set
    paths = MemoryVersion.objects.filter(store=act.store_id, change_set=act, seq__gte=act.first_seq or 0)
    listed = paths.order_by("seq").values_list("path", flat=True)
    context = {
        "title": f"Purged files · {act.memory.name}",
        "store": act.memory,
        "act": about,
        "page": Paginator(listed, PURGED).get_page(request.GET.get("page")),
    }
    return render_page(request, "memories/purged.html", context, status=200 if request.method == "GET" else 409)


def _is_plain(plans: list[FilePlan]) -> bool:
    return all(made.verdict is Verdict.GOES_BACK for made in plans)


def replies_in(fields: QueryDict) -> tuple[Replies, Refused | None]:
    """Return what the person answered, by file, and what is wrong with a name; a file whose box is empty is kept."""
    replies: dict[UUID, Reply] = {}
    fault: Refused | None = None
    for file in uuids_in(fields, "file"):
        answer, name = fields.get(f"answer-{file}", ""), fields.get(f"path-{file}", "")
        if answer in set(Answer):
            path = None
            try:
                path = MemoryPath.parse(f"{MemoryPath.ROOT}/{name}") if name else None
            except PathRefused as refusal:
                fault = refusal
            replies[file] = Reply(Answer(answer), path)
    for file in uuids_in(fields, "offered"):
        replies[file] = Reply(Answer.WHOLE if str(file) in fields.getlist("back") else Answer.KEEP)
    return replies, fault


def uuids_in(fields: QueryDict, name: str) -> list[UUID]:
    """Return the ids that a form or an address gives under ``name``; what is none is passed over."""
    return [UUID(text) for text in fields.getlist(name) if _is_uuid(text)]


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _said(done: Undone) -> str:
    if not done.files:
        return "Undone."
    kept = f", {in_words(done.kept, 'file')} kept" if done.kept else ""
    return f"Undone. {in_words(done.back, 'file')} went back{kept}."


def _next(request: UserRequest, act: ChangeSet) -> str:
    return local_target(request.POST.get("next", ""), request, addresses.files(act.memory.slug, MemoryPath.ROOT.text))


def grouped(request: UserRequest, slug: str, plans: Sequence[FilePlan], replies: Replies) -> list[Group]:
    """Return the plans by what would become of the files, as many rows of each as a page has room for."""
    groups = []
    for verdict, title in GROUPS:
        these = [made for made in plans if made.verdict is verdict]
        if these:
            rows = rows_of(request, slug, listed(these, verdict), replies)
            groups.append(Group(verdict.value, title, rows, len(these)))
    return groups


def _stores(request: UserRequest, act: ChangeSet) -> int:
    """Return in how many stores that the person may see the act did something."""
    return undo.siblings_of(act).filter(store__in=access.stores_for(request.user)).count()


def _page(
    request: UserRequest,
    act: ChangeSet,
    refusal: Refused | None = None,
    replies: Replies | None = None,
    others: Answer | None = None,
) -> HttpResponse:
    """Return the page, with what was replied already and what that leaves open; 409 for what was refused."""
    replies = replies or {}
    plans: list[FilePlan] = []
    shown, is_too_much = "", False
    try:
        plans = undo.plan(act)
        shown = undo.fingerprint(plans)
        plans = undo.asked_again(act.memory_id, plans, replies, others)
    except TooMuch as too_much:
        refusal, is_too_much = too_much, True
    (about,) = acts_of(request, [act])
    back = ChangeSet.objects.filter(store=act.memory_id, undoes=act.uuid).order_by("-pk").first()
    groups = grouped(request, act.memory.slug, plans, replies)
    context = {
        "title": f"Undo {about.title} · {act.memory.name}",
        "store": act.memory,
        "act": about,
        "groups": groups,
        "counts": counted(plans),
        "file_count": len(plans),
        "marks": bool(act.marks) and not is_too_much,
        "is_too_much": is_too_much,
        "readers": readers_of(request, act, plans),
        "shown": shown,
        "may_write": access.may_write(request.user, act.memory),
        "undone_by": back,
        "store_count": _stores(request, act),
        "refusal": refusal,
        "next": _next(request, act)
        if request.method == "POST"
        else local_target(request.GET.get("next", ""), request, ""),
    }
    status = 200 if request.method == "GET" else 409
    return render_page(request, "memories/undo.html", context, status=status)
