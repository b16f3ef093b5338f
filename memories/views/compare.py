"""Two stores, or one at two moments, side by side; what is chosen is taken across."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from memdash.web import formats, names
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.moments import time_of
from memories.refusals import ContentChanged, Refused
from memories.taking import Choice, Comparison, Side, compared, take
from memories.views.acts import person
from memories.views.asked import EVERY, FLIPS, KINDS, Asked, seq_of
from memories.views.compare_rows import LABELS, ROWS, fitting, in_words, rows_of
from memories.views.differences import whole

STORES: Final = 50
"""Stores that the fields offer, those changed last; others are typed."""

FIELD: Final = "%Y-%m-%dT%H:%M:%S"

CHANGED: Final = "Something changed while you looked; nothing was taken. This is how it stands now."


@require_http_methods(["GET", "POST"])
def compare(request: UserRequest) -> HttpResponse:
    """Show what would make one side like the other, or take what was chosen of it.

    ``?source=`` and ``?target=`` are stores, ``?source_at=`` and ``?target_at=`` changes of theirs, found by a date and
    a time in ``source_on`` and ``target_on``.
    """
    if request.method == "POST":
        return _post(request)
    asked = Asked.read(request.GET.dict())
    dated = _dated(request, asked)
    return redirect(dated.url()) if "source_on" in request.GET else _page(request, asked)


@require_GET
def compare_file(request: UserRequest) -> HttpResponse:
    """Show all of one difference: ``?key=`` names it, ``?open=`` and ``?page=`` a part of it."""
    asked = Asked.read(request.GET.dict()).sides()
    comparison = _comparison(request, asked)
    choice = comparison.by_key.get(request.GET.get("key", "")) if comparison else None
    if choice is None or comparison is None:
        raise Http404("There is no such difference any more.")
    address = asked.url("memories:compare-file", key=choice.key)
    context = {
        "title": f"{choice.difference.file.memory_path.relative} · Compare",
        "path": choice.difference.file.memory_path.relative,
        "label": LABELS[choice.kind],
        "comparison": comparison,
        "source": _words(request, comparison.source),
        "target": _words(request, comparison.target),
        "whole": whole(request, choice.difference, address),
        "list_url": asked.url(),
    }
    return render_page(request, "memories/compare_file.html", context, partial="difference")


def _post(request: UserRequest) -> HttpResponse:
    """Go on to another part of the list with what is ticked, or take it."""
    asked = Asked.read(request.POST.dict())
    comparison = _comparison(request, asked)
    if comparison is None:
        return redirect(asked.url())
    may_write = access.may_write(request.user, comparison.target.store)
    asked = asked.ticked(comparison, request.POST.getlist("offered"), request.POST.getlist("take"))
    if "go" in request.POST:
        return _go(request, asked)
    if not may_write:
        raise PermissionDenied("You can look but not change.")
    if asked.of_base(comparison) != request.POST.get("print", ""):
        return _page(request, replace(asked, base="", flips=""), ContentChanged(CHANGED))
    named = [key for key in asked.flips.split() if key not in comparison.by_key]
    keys = [choice.key for choice in asked.chosen(comparison)] + ([] if asked.base else named)
    reason = f"Taken from {comparison.source.store.name}"
    try:
        taken = take(comparison.source, comparison.target, keys, actor=person(request), reason=reason)
    except Refused as refusal:
        return _page(request, asked, refusal)
    said = f"Taken into {comparison.target.store.name}: {in_words(taken.choices)}."
    messages.success(request, said, extra_tags=reverse("memories:undo-act", args=[taken.change_set]))
    return redirect(asked.sides().url())


def _go(request: UserRequest, asked: Asked) -> HttpResponse:
    """Lead to where a button of the form leads: ``first:20``, ``kind:added``, ``base:every``."""
    name, _, value = request.POST["go"].partition(":")
    changes: dict[str, Any] = {}
    match name:
        case "first":
            changes = {"first": value}
        case "kind":
            changes = {"kind": value, "first": ""}
        case "base":
            changes = {"base": value, "flips": ""}
    flips = asked.flips.split()
    if len(flips) > FLIPS:
        messages.error(request, f"At most {FLIPS} files are kept chosen between pages. Take these first.")
        asked = replace(asked, flips=" ".join(flips[:FLIPS]))
    return redirect(asked.url(**changes))


def _dated(request: UserRequest, asked: Asked) -> Asked:
    """Return what is asked for with moments found by the dates that were typed, where these are other ones."""
    found: dict[str, Any] = {}
    for side in ("source", "target"):
        typed, was = request.GET.get(f"{side}_on"), request.GET.get(f"{side}_was", "")
        slug = getattr(asked, side)
        if typed is not None and slug and f"{slug} {typed}" != was:
            found[f"{side}_at"] = seq_of(access.store_for(request.user, slug), typed)
    return replace(asked, **found)


def _comparison(request: UserRequest, asked: Asked) -> Comparison | None:
    """Return what the two sides differ in; None until both are chosen, Http404 for one that is not there to be seen."""
    source, target = (
        _side(request, slug, seq) for slug, seq in ((asked.source, asked.source_at), (asked.target, asked.target_at))
    )
    if source is None or target is None or source == target:
        return None
    return compared(source, target)


def _side(request: UserRequest, slug: str, seq: str) -> Side | None:
    if not slug:
        return None
    store = access.store_for(request.user, slug)
    if seq and int(seq) > store.seq:
        raise Http404("The store has not had so many changes.")
    return Side(store, int(seq) if seq and int(seq) < store.seq else None)


def _page(request: UserRequest, asked: Asked, refusal: Refused | None = None) -> HttpResponse:
    comparison = _comparison(request, asked)
    stores = list(access.stores_for(request.user).order_by("-last_activity_at", "pk")[: STORES + 1])
    context: dict[str, Any] = {
        "title": "Compare",
        "asked": asked,
        "stores": sorted(stores, key=lambda store: store.name) if len(stores) <= STORES else [],
        "sides": [_field(request, asked, side) for side in ("source", "target")],
        "swap_url": asked.swapped().url(swapped="1"),
        "is_swapped": "swapped" in request.GET,
        "is_same": bool(asked.source and asked.target) and comparison is None,
        "comparison": comparison,
        "refusal": refusal,
    }
    if comparison:
        context |= _compared(request, asked, comparison)
    return render_page(request, "memories/compare.html", context, status=409 if refusal else 200)


def _compared(request: UserRequest, asked: Asked, comparison: Comparison) -> dict[str, Any]:
    listed = comparison.of_kind(asked.kind)
    first = asked.first if asked.first < len(listed) else 0
    shown = fitting(listed, first)
    chosen = asked.chosen(comparison)
    keys = {choice.key for choice in chosen}
    here = {choice.key for choice in shown}
    elsewhere = [choice for choice in chosen if choice.key not in here]
    following = first + len(shown)
    can_write = access.may_write(request.user, comparison.target.store)
    takeable = [choice for choice in comparison.choices if not choice.refused]
    return {
        "source": _words(request, comparison.source),
        "target": _words(request, comparison.target),
        "rows": rows_of(request, comparison, asked, shown, keys),
        "kinds": [("", "All", len(comparison.choices))]
        + [(kind.value, LABELS[kind], comparison.counts[kind]) for kind in KINDS],
        "file_count": comparison.same + len(comparison.choices),
        "listed_count": len(listed),
        "first": first + 1,
        "last": following,
        "next": following if following < len(listed) else 0,
        "has_previous": first > 0,
        "previous": max(0, first - ROWS),
        "may_take": can_write and comparison.target.is_now,
        "can_write": can_write,
        "with_now": replace(asked.sides(), target_at="").url(),
        "chosen_count": len(chosen),
        "chosen_words": in_words(chosen),
        "elsewhere": _counts(elsewhere),
        "elsewhere_count": len(elsewhere),
        "flips": " ".join(key for key in asked.flips.split() if key in comparison.by_key),
        "print": asked.of_base(comparison),
        "takeable": len(takeable),
        "every": asked.kind or EVERY,
    }


def _counts(choices: Sequence[Choice]) -> dict[str, int]:
    return {kind.value: sum(choice.kind is kind for choice in choices) for kind in KINDS}


def _field(request: UserRequest, asked: Asked, side: str) -> dict[str, str]:
    """Return what the fields of a side hold: its store, its change, and when that was written."""
    slug, seq = getattr(asked, side), getattr(asked, f"{side}_at")
    written = time_of(access.store_for(request.user, slug), int(seq)) if slug and seq else None
    shown = timezone.localtime(written).strftime(FIELD) if written else ""
    label = "From" if side == "source" else "To"
    return {"name": side, "label": label, "slug": slug, "at": seq, "on": shown, "was": f"{slug} {shown}"}


def _words(request: UserRequest, side: Side) -> str:
    """Return a side's name, and when it was so."""
    name = names.label(request, side.store)
    if side.seq is None:
        return name
    written = time_of(side.store, side.seq)
    return f"{name} as of {formats.moment(written)}" if written else f"{name} before its first change"
