"""Comparing any two versions that a person may see: of one file, of two, of files of two stores."""

from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories import access, diffs
from memories.diffs import opened_lines
from memories.forms import VersionForm
from memories.paths import MemoryPath
from memories.views.diff_room import room_with
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.trails import LAYOUTS, file_of, layout_of
from memories.views.versions import Edition, edition_of, key_of

SIDES: Final = ("old", "new")
STORES: Final = 200
"""How many stores the form offers."""


@require_GET
def compare_versions(request: UserRequest) -> HttpResponse:
    """Show what differs between ``?old=`` and ``?new=``, each the id of a file and a number ("<uuid>@7").

    Two ``?pick=`` are versions picked in a history, in any order; one is compared with the newest of its file. The
    fields of the form, a store, a path and a number for each side, lead to the same address. ``?layout=``, ``?open=``
    and ``?page=`` are those of a history.
    """
    if picked := request.GET.getlist("pick"):
        return redirect(_of_picked(request, picked))
    if "find" in request.GET or not all(request.GET.get(side) for side in SIDES):
        return _looked_for(request)
    old = edition_of(request, request.GET["old"])
    return _page(request, old, edition_of(request, request.GET["new"], beside=old))


def _looked_for(request: UserRequest) -> HttpResponse:
    """Answer with the form for two versions, or lead to those that it names."""
    stores = _stores(request)
    forms = [VersionForm(stores, request.GET if "find" in request.GET else None, prefix=side) for side in SIDES]
    # Both, so that each says what is wrong with it.
    valid = [form.is_valid() for form in forms]
    if all(valid):
        keys = [_found(request, form) for form in forms]
        if all(keys):
            return redirect(_address(*keys))
    context: dict[str, Any] = {"title": "Compare versions", "at": reverse("memories:stores"), "forms": forms}
    status = 422 if any(form.errors for form in forms) else 200
    return render_page(request, "memories/compare_versions.html", context, status=status)


def _page(request: UserRequest, old: Edition, new: Edition) -> HttpResponse:
    layout = layout_of(request)
    opened = opened_lines(request.GET.get("open", ""))
    own = "?" + urlencode({"old": old.key, "new": new.key, "layout": layout})
    text = diffs.opened_text(opened)
    open_url = f"{own}&open={text + ',' if text else ''}"
    diff = _diff(old, new, page=number_in(request, "page") or 1, opened=opened, open_url=open_url)
    stores = _stores(request)
    is_same = old.entry.pk == new.entry.pk
    redacted = next((side.version for side in (old, new) if side.version.redacted_at), None)
    context: dict[str, Any] = {
        "title": f"{old.name} and version {new.version.number:,}{'' if is_same else f' of {new.path.name}'}",
        "at": above(request, new.entry.store)[0].url,
        "old": old,
        "new": new,
        "sides": (old, new),
        "diff": None if redacted else diff,
        "redacted": redacted,
        "are_images": old.is_image or new.is_image,
        "layout": layout,
        "layouts": [(name, "?" + urlencode({"old": old.key, "new": new.key, "layout": name})) for name in LAYOUTS],
        "swapped_url": "?" + urlencode({"old": new.key, "new": old.key, "layout": layout}),
        "open_url": open_url,
        "page_url": f"{own}&open={text}&page=",
        "restorable": [
            side for side in (old, new) if side.is_restorable and access.may_write(request.user, side.entry.store)
        ],
        "forms": [
            VersionForm(
                stores,
                prefix=name,
                initial={
                    "store": side.entry.store.slug,
                    "path": MemoryPath(side.entry.path).relative,
                    "number": side.version.number,
                },
            )
            for name, side in zip(SIDES, (old, new), strict=True)
        ],
    }
    response = render_page(request, "memories/compare_versions.html", context, partial="diff")
    if wants_part(request):
        response["HX-Push-Url"] = request.get_full_path()
    return response


def _diff(old: Edition, new: Edition, *, page: int, opened: list[range], open_url: str) -> diffs.Diff:
    if old.is_image or new.is_image:
        return diffs.IMAGES
    return diffs.compare(
        old.text or "",
        new.text or "",
        renamed=old.entry.pk == new.entry.pk and old.version.path != new.version.path,
        page=page,
        opened=opened,
        room=room_with(open_url),
    )


def _of_picked(request: UserRequest, picked: list[str]) -> str:
    """Return the address that compares what was picked, the older one first."""
    found = [edition_of(request, key) for key in picked[:2]]
    if len(found) == 1:
        newest = found[0].entry
        return _address(found[0].key, key_of(newest.uuid, newest.version))
    old, new = sorted(found, key=lambda side: (side.version.authored_at, side.version.number))
    return _address(old.key, new.key)


def _found(request: UserRequest, form: VersionForm) -> str:
    """Return the key of the version that a side of the form asks for; empty, with words at the field, for none."""
    given = form.cleaned_data
    store = access.store_for(request.user, given["store"])
    try:
        entry = file_of(store, given["path"], "")
        number = given["number"] or entry.version
        edition_of(request, key_of(entry.uuid, number))
    except Http404 as missing:
        form.add_error("number" if "version" in str(missing) else "path", str(missing))
        return ""
    return key_of(entry.uuid, number)


def _address(old: str, new: str) -> str:
    return f"{reverse('memories:compare-versions')}?{urlencode({'old': old, 'new': new})}"


def _stores(request: UserRequest) -> list[tuple[str, str]]:
    stores = access.stores_for(request.user).order_by("name", "slug")[:STORES]
    return [(store.slug, store.name) for store in stores]
