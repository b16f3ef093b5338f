"""Putting a store, or chosen files, back to a moment: a preview of every file, then one act that can be undone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memdash.web.formats import counted as in_words
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, moments, undo
from memories.models import MemoryStore, MemoryVersion
from memories.moments.steps import Made
from memories.refusals import ContentChanged, Refused
from memories.undo import Answer, FilePlan, Moment, Replies, TooMuch, Verdict
from memories.views import addresses
from memories.views.acts import person
from memories.views.causes import Causes
from memories.views.places import above
from memories.views.time_tree import moment_in
from memories.views.undo_rows import Row, counted
from memories.views.undoing import grouped, replies_in, uuids_in

SHOWN: Final = 3
"""How many of those who changed a file since are named."""


@require_http_methods(["GET", "POST"])
def put_back(request: UserRequest, slug: str) -> HttpResponse:
    """Show what putting the store back to its moment ``?at=`` would do to each file, or do it.

    ``?file=`` names files by their public ids, for which alone it is meant then; with ``?ticked=`` also where none is
    named. Without ``shown`` from the page a POST shows the page; where a file changed after it was shown, nothing is
    done and it is shown anew, with 409.
    """
    store = access.store_for(request.user, slug)
    seq = moment_in(request, store)
    # Without a box ticked it is none of the files, and never all of them.
    is_chosen = "ticked" in request.GET or "file" in request.GET
    chosen = frozenset(uuids_in(request.GET, "file")) if is_chosen else None
    if request.method != "POST":
        return _page(request, store, seq, chosen)
    if not access.may_write(request.user, store):
        raise PermissionDenied("You can look but not change.")
    others = Answer.KEEP if "others" in request.POST else None
    replies: Replies = {}
    try:
        if not (shown := request.POST.get("shown", "")):
            raise ContentChanged("This is what would happen. Nothing was done yet.")
        replies, fault = replies_in(request.POST)
        if fault:
            raise fault
        done = undo.put_back(
            store, seq, actor=person(request), replies=replies, only=chosen, others=others, shown=shown
        )
    except Refused as refusal:
        return _page(request, store, seq, chosen, refusal=refusal, replies=replies, others=others)
    said = f"{in_words(done.back, 'file')} put back as of change {seq:,}."
    messages.success(request, said, extra_tags=reverse("memories:undo-act", args=[done.change_set]))
    return redirect(addresses.files(slug, "/memories"))


def _page(
    request: UserRequest,
    store: MemoryStore,
    seq: int,
    chosen: frozenset[UUID] | None,
    *,
    refusal: Refused | None = None,
    replies: Replies | None = None,
    others: Answer | None = None,
) -> HttpResponse:
    replies = replies or {}
    plans: list[FilePlan] = []
    shown, is_too_much = "", False
    try:
        plans = undo.plan(Moment(store.pk, seq, chosen))
        shown = undo.fingerprint(plans)
        plans = undo.asked_again(store.pk, plans, replies, others)
    except TooMuch as too_much:
        refusal, is_too_much = too_much, True
    groups = grouped(request, store.slug, plans, replies)
    _say_who(request, store, seq, [group.rows for group in groups])
    when = moments.time_of(store, seq)
    context: dict[str, Any] = {
        "title": f"Put files back · {store.name}",
        "store": store,
        "at": above(request, store)[0].url,
        "seq": seq,
        "when": when,
        "day": timezone.localtime(when) if when else None,
        "chosen": chosen,
        "groups": groups,
        "counts": counted(plans),
        "file_count": sum(made.verdict is not Verdict.LATER for made in plans),
        "is_too_much": is_too_much,
        "shown": shown,
        "may_write": access.may_write(request.user, store),
        "refusal": refusal,
        "back": addresses.time(store.slug, "/memories", at=seq),
    }
    return render_page(request, "memories/put_back.html", context, status=200 if request.method == "GET" else 409)


def _say_who(request: UserRequest, store: MemoryStore, seq: int, groups: Sequence[list[Row]]) -> None:
    """Let each row name who changed the file since the moment; one query, and that of whoever knows runs."""
    wanted = [row.plan.entry.pk for rows in groups for row in rows]
    changes = MemoryVersion.objects.filter(store=store, seq__gt=seq, entry__in=wanted)
    rows_by = changes.order_by().values_list("entry", "actor_kind", "actor_label", "run_id").annotate(last=Max("seq"))
    who: dict[int, list[Made]] = defaultdict(list)
    for entry, kind, label, run_id, last in rows_by:
        who[entry].append(Made(last, 0, kind, label, run_id, None))
    for made in who.values():
        made.sort(reverse=True, key=lambda each: each.seq)
    causes = Causes(request, [each for made in who.values() for each in made[:SHOWN]])
    for rows in groups:
        rows[:] = [
            replace(
                row,
                since=tuple(causes.of(each) for each in who[row.plan.entry.pk][:SHOWN]),
                more_since=max(0, len(who[row.plan.entry.pk]) - SHOWN),
            )
            for row in rows
        ]
