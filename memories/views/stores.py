"""Stores: the list, making one, and its settings."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from memdash.web import formats, names
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, settings
from memories.forms import MemberForm, NewStoreForm, StoreSettingsForm
from memories.models import ChangeSet, Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.store import create_store
from memories.views import addresses
from memories.views.acts import person, undo_of_act
from memories.views.places import above
from memories.views.store_list import STATES, agents_of, store_list
from memories.views.words import label_in, labelled


@require_GET
def stores(request: UserRequest) -> HttpResponse:
    """List the stores a person may reach, those that need attention first; the address holds filters and order.

    With ``?label=`` the files of all of them that bear the label are listed instead.
    """
    if label := label_in(request):
        found = labelled(request, access.stores_for(request.user), label)
        return render_page(request, "memories/labelled.html", {"title": f"Files labelled {label}", "found": found})
    shown = store_list(request)
    context = {
        "title": "Stores",
        "list": shown,
        "sorts": shown.asked.sorts(),
        "agents_known": any(row.agents is not None for row in shown.rows),
        "roles": Role.choices,
        "states": [(key, label) for key, (label, _) in STATES.items()],
    }
    return render_page(request, "memories/stores.html", context)


@require_http_methods(["GET", "POST"])
def new_store(request: UserRequest) -> HttpResponse:
    """Show the form for a store, or make it with the person as its owner."""
    form = NewStoreForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            store, act = _made(request, form)
        except IntegrityError:
            form.add_error("slug", "This address is taken.")
        else:
            messages.success(request, f"Made {names.label(request, store)}.", extra_tags=undo_of_act(act))
            return redirect(addresses.files(store.slug, MemoryPath.ROOT.text))
    status = 422 if form.errors else 200
    return render_page(request, "memories/store_new.html", {"title": "New store", "form": form}, status=status)


@require_http_methods(["GET", "POST"])
def store_settings(request: UserRequest, slug: str) -> HttpResponse:
    """Show a store's settings, or save what its owner changed in them."""
    store = _own_store(request, slug)
    form = StoreSettingsForm(request.POST or None, initial=StoreSettingsForm.values_of(store))
    if request.method == "POST" and form.is_valid():
        if act := settings.change("store", slug, form.changes(), store=store, actor=person(request)):
            said = "Saved. It counts from the next call of an agent."
            messages.success(request, said, extra_tags=undo_of_act(act))
        else:
            messages.info(request, "Nothing was changed.")
        return redirect("memories:store-settings", slug=slug)
    return _settings_page(request, store, form, MemberForm())


def _settings_page(
    request: UserRequest, store: MemoryStore, form: StoreSettingsForm, newcomer: MemberForm
) -> HttpResponse:
    context = {
        "title": f"Settings · {store.name}",
        "store": store,
        "at": above(request, store)[0].url,
        "form": form,
        "newcomer": newcomer,
        "limits": [
            (form["file_kib"], "K", ""),
            (
                form["most_files"],
                "files",
                f"{store.file_count:,} now. A lower limit removes none of them.",
            ),
            (form["store_mib"], "M", f"{formats.filesize(store.byte_count)} now. A lower limit removes nothing."),
        ],
        "agents": agents_of(request, [store])[store.pk] or (),
        "members": Member.objects.filter(store=store).select_related("user").order_by("user__username"),
        "roles": Role.choices,
    }
    status = 422 if form.errors or newcomer.errors else 200
    return render_page(request, "memories/store_settings.html", context, status=status)


@require_http_methods(["GET", "POST"])
def members(request: UserRequest, slug: str) -> HttpResponse:
    """Add a member, change their role or, without a role, take them out; a store keeps an owner.

    A look leads to where the members stand: the address stays in the browser when a name was wrong.
    """
    store = _own_store(request, slug)
    members_page = redirect(reverse("memories:store-settings", args=[slug]) + "#members")
    if request.method == "GET":
        return members_page
    form = MemberForm(request.POST)
    if not form.is_valid():
        as_it_is = StoreSettingsForm(initial=StoreSettingsForm.values_of(store))
        return _settings_page(request, store, as_it_is, form)
    user, role = form.cleaned_data["username"], form.cleaned_data["role"]
    is_now = f"now {Role(role).label.lower()}" if role else "no longer a member"
    try:
        act = settings.change("member", str(user.pk), {"role": role}, store=store, actor=person(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        if act:
            messages.success(request, f"{user} is {is_now} of {store.name}.", extra_tags=undo_of_act(act))
        else:
            messages.info(request, "Nothing was changed.")
    return members_page


def _own_store(request: UserRequest, slug: str) -> MemoryStore:
    """Return the store if the person owns it; Http404 or, for those who may only look, PermissionDenied."""
    store = access.store_for(request.user, slug)
    if not access.may_own(request.user, store):
        raise PermissionDenied("Only an owner of the store may change its settings.")
    return store


def _made(request: UserRequest, form: NewStoreForm) -> tuple[MemoryStore, ChangeSet]:
    given = form.cleaned_data
    with transaction.atomic():
        store = create_store(name=given["name"], slug=given["slug"] or None, description=given["description"])
        Member.objects.create(store=store, user=request.user, role=Role.OWNER)
        made = settings.Change("store", store.slug, settings.EXISTS, None, True, store.name)
        return store, settings.record([made], store=store, actor=person(request))
