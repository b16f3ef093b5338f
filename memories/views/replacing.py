"""Find and replace: every place where a text occurs, as it is and as it would be, and the act that does it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memdash.web import formats
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, replacing
from memories.forms import ReplaceForm
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.refusals import ContentChanged, Refused
from memories.replacing import Plan, Scope, TooMuch
from memories.text import storable
from memories.views.acts import person
from memories.views.all_files import address_of
from memories.views.numbers import number_of
from memories.views.replace_pages import page_of
from memories.views.selections import uuids
from memories.views.undoing_together import address_of as undo_address

STORES: Final = 50
"""Stores of one act at most."""

OFFERED: Final = 50
"""Stores that the form offers by name."""

LEFT: Final = 20
"""Files that are named as left alone; those beyond are counted."""

FIELDS: Final = ("find", "put", "case", "word", "within", "in")
EVERY, SOME = "every", "some"


@dataclass(frozen=True, slots=True)
class Where:
    """The stores that are looked through, and all that the person might choose from."""

    chosen: list[MemoryStore]
    offered: list[MemoryStore]
    writable: int
    is_every: bool


@require_http_methods(["GET", "POST"])
def replace(request: UserRequest) -> HttpResponse:
    """Show where a text occurs in stores the person may write to, or replace it in the files that stayed ticked.

    A POST carries what was shown; once anything of that is another, nothing is done and the page shows the new state.
    """
    given = request.POST if request.method == "POST" else request.GET
    where = _where(request, given)
    is_asked = "find" in given or request.method == "POST"
    form = ReplaceForm(given if is_asked else None, initial={"within": given.get("within", "")})
    if not (form.is_bound and form.is_valid()):
        return _page(request, form, where)
    if not where.writable:
        return _page(request, form, where)
    if not where.chosen:
        form.add_error(None, "Choose at least one store.")
        return _page(request, form, where)
    try:
        if len(where.chosen) > STORES:
            raise TooMuch(f"You may write to {len(where.chosen):,} stores, and one act takes {STORES}. Choose some.")
        scope = Scope(tuple(where.chosen), form.cleaned_data["within"] or MemoryPath.ROOT)
        plan = replacing.planned(form.wanted(), scope)
    except TooMuch as refusal:
        return _page(request, form, where, refusal=refusal)
    return _act(request, form, where, plan) if request.method == "POST" else _page(request, form, where, plan=plan)


def _act(request: UserRequest, form: ReplaceForm, where: Where, plan: Plan) -> HttpResponse:
    """Replace what was shown, or go on to another page of it with the boxes as they are."""
    given, skipped = request.POST, _skipped(request.POST)
    if "page" in given:
        return redirect(_address(given, skip=_joined(skipped), page=given["page"]))
    try:
        if plan.shown != given.get("shown", ""):
            raise ContentChanged("Something changed while you looked; nothing was replaced. This is how it stands now.")
        done = replacing.carry_out(plan, {file.uuid for file in plan.files} - skipped, actor=person(request))
    except Refused as refusal:
        return _page(request, form, where, plan=plan, refusal=refusal)
    places, files = formats.counted(done.hits, "place"), formats.counted(done.files, "file")
    stores = f" of {len(done.change_sets)} stores" if len(done.change_sets) > 1 else ""
    messages.success(request, f"Replaced {places} in {files}{stores}.", extra_tags=undo_address(done.change_sets))
    return redirect(_address(given))


def _where(request: UserRequest, given: QueryDict) -> Where:
    """Return where to look; Http404 or PermissionDenied for a store that is asked for and is not the person's."""
    writable = access.writable_stores_for(request.user).order_by("name", "pk")
    slugs = set(given.getlist("store"))
    is_every = given.get("in", SOME if slugs else EVERY) == EVERY
    count = writable.count()
    if is_every:
        stores = list(writable[: max(STORES + 1, OFFERED)])
        return Where(stores[: STORES + 1], stores[:OFFERED], count, is_every=True)
    named = list(
        access.stores_for(request.user).filter(slug__in=filter(storable, slugs)).order_by("name", "pk")[: STORES + 1]
    )
    if len(named) < min(len(slugs), STORES + 1):
        raise Http404("There is no such store, or you are not a member of it.")
    if writable.filter(pk__in=[store.pk for store in named]).count() < len(named):
        raise PermissionDenied("You can look but not change.")
    others = list(writable.exclude(pk__in=[store.pk for store in named])[: max(0, OFFERED - len(named))])
    offered = sorted([*named, *others], key=lambda store: (store.name, store.pk))
    return Where(named, offered, count, is_every=False)


def _skipped(given: QueryDict) -> set[UUID]:
    """Return the files whose boxes were emptied, on this page or on others."""
    offered, ticked = set(uuids(given.getlist("offered"))), set(uuids(given.getlist("file")))
    return (set(uuids(given.get("skip", "").split(","))) - offered) | (offered - ticked)


def _joined(skipped: Collection[UUID]) -> str:
    return ",".join(sorted(each.hex for each in skipped))


def _address(given: QueryDict, **more: str) -> str:
    query = [(name, value) for name in FIELDS if (value := given.get(name, ""))]
    query += [("store", slug) for slug in given.getlist("store")]
    query += [(name, value) for name, value in more.items() if value]
    return f"{reverse('memories:replace')}?{urlencode(query)}"


def _page(
    request: UserRequest,
    form: ReplaceForm,
    where: Where,
    *,
    plan: Plan | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    """Return the page with what would happen now; 409 for what was refused."""
    given = request.POST if request.method == "POST" else request.GET
    skipped = _skipped(given)
    context: dict[str, Any] = {
        "title": "Find and replace",
        "form": form,
        "where": where,
        "chosen": {store.pk for store in where.chosen} if not where.is_every else set(),
        "plan": plan,
        "refusal": refusal,
        "at": reverse("memories:stores"),
        "store_fields": [] if where.is_every else [store.slug for store in where.chosen],
    }
    if plan:
        groups, number, pages = page_of(request, plan, number_of(given.get("page", "")) or 1, skipped)
        on_page = {shown.file.uuid for group in groups for shown in group.files}
        elsewhere = [file for file in plan.files if file.uuid not in on_page and file.uuid not in skipped]
        context |= {
            "groups": groups,
            "number": number,
            "pages": pages,
            "stores": len({file.memory.pk for file in plan.files}),
            "skip": _joined(skipped - on_page),
            "elsewhere_files": len(elsewhere),
            "elsewhere_hits": sum(len(file.hits) for file in elsewhere),
            "left": [
                (left, address_of(left.file.memory.slug, left.file.meant.path, left.file.uuid))
                for left in plan.left[:LEFT]
            ],
            "left_more": max(0, len(plan.left) - LEFT),
        }
    return render_page(request, "memories/replace.html", context, status=_status(form, refusal))


def _status(form: ReplaceForm, refusal: Refused | None) -> int:
    if refusal:
        return 409
    return 422 if form.is_bound and form.errors else 200
