"""Stores: the list, making one, and its settings."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access
from memories.forms import NewStoreForm, StoreSettingsForm
from memories.models import Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.store import create_store
from memories.views import addresses
from memories.views.store_list import ORDERS, STATES, store_list


@require_GET
def stores(request: UserRequest) -> HttpResponse:
    """List the stores a person may reach, those that need attention first; the address holds filters and order."""
    context = {
        "title": "Stores",
        "list": store_list(request),
        "roles": Role.choices,
        "states": [(key, label) for key, (label, _) in STATES.items()],
        "orders": list(ORDERS),
    }
    return render_page(request, "memories/stores.html", context)


@require_http_methods(["GET", "POST"])
def new_store(request: UserRequest) -> HttpResponse:
    """Show the form for a store, or make it with the person as its owner."""
    form = NewStoreForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            store = _made(request, form)
        except IntegrityError:
            form.add_error("slug", "This address is taken.")
        else:
            messages.success(request, f"Made {store.name}.")
            return redirect(addresses.files(store.slug, MemoryPath.ROOT.text))
    status = 422 if form.errors else 200
    return render_page(request, "memories/store_new.html", {"title": "New store", "form": form}, status=status)


@require_http_methods(["GET", "POST"])
def store_settings(request: UserRequest, slug: str) -> HttpResponse:
    """Show a store's settings, or save what its owner changed in them."""
    store = access.store_for(request.user, slug)
    if not access.may_own(request.user, store):
        raise PermissionDenied("Only an owner of the store may change its settings.")
    form = StoreSettingsForm(request.POST or None, initial=StoreSettingsForm.values_of(store))
    if request.method == "POST" and form.is_valid():
        # The counters beside these fields belong to the write path.
        MemoryStore.objects.filter(pk=store.pk).update(**form.changes())
        messages.success(request, "Saved. It counts from the next call of an agent.")
        return redirect("memories:store-settings", slug=slug)
    context = {"title": f"Settings · {store.name}", "store": store, "form": form}
    return render_page(request, "memories/store_settings.html", context, status=422 if form.errors else 200)


def _made(request: UserRequest, form: NewStoreForm) -> MemoryStore:
    given = form.cleaned_data
    with transaction.atomic():
        store = create_store(name=given["name"], slug=given["slug"] or None, description=given["description"])
        Member.objects.create(store=store, user=request.user, role=Role.OWNER)
    return store
