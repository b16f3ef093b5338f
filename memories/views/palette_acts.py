"""What the palette offers to do in stores, and the way from it to the search.

What changes something leads to the page that has the button; nothing changes because somebody jumped.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.urls import reverse

from memdash.web import names
from memdash.web.palette import Group, Jump, does
from memdash.web.requests import UserRequest
from memories import access
from memories.models import Member, MemoryStore, Role
from memories.paths import MemoryPath
from memories.views import addresses

STORES: Final = 200
"""Of so many stores, those that changed last, the palette knows what can be done in them."""

VERBS: Final = ("new file in", "pause resume", "settings of", "search in", "new store")


def acts(request: UserRequest, query: str) -> list[Jump]:
    """Return what can be done that is called so; one query, and none where no verb was typed."""
    typed = query.casefold().split()
    if query and not any(any(verb.startswith(word) for verb in " ".join(VERBS).split()) for word in typed):
        return []
    found = [] if not query else [jump for jump in _acts(request) if does(jump.label, query)]
    return [*found, *([_new_store()] if does("New store", query) else [])]


def search(_request: UserRequest, query: str) -> Group:
    """Return the way to what holds the query."""
    words = query.removeprefix(">").strip()
    return Group(
        "Search", (Jump(f"Search contents for “{words}”", f"{_search()}?{urlencode({'q': words})}", "search"),)
    )


def _acts(request: UserRequest) -> Iterator[Jump]:
    mine = Member.objects.filter(store=OuterRef("pk"), user=request.user.pk)
    stores = access.stores_for(request.user).annotate(
        is_curated=Exists(mine.filter(role__in=(Role.CURATOR, Role.OWNER))),
        is_owned=Exists(mine.filter(role=Role.OWNER)),
    )
    for store in stores.order_by("-last_activity_at", "pk")[:STORES]:
        name = names.label(request, store)
        if request.user.is_superuser or store.is_curated:
            yield Jump(f"New file in {name}", addresses.new_file(store.slug, path=""), "plus")
            yield Jump(f"{'Resume' if store.paused_at else 'Pause'} {name}…", _files(store), "lock")
        if request.user.is_superuser or store.is_owned:
            yield Jump(f"Settings of {name}", reverse("memories:store-settings", args=[store.slug]), "settings")
        yield Jump(f"Search in {name}", f"{_search()}?store={store.slug}", "search")


def _new_store() -> Jump:
    return Jump("New store", reverse("memories:store-new"), "plus")


def _files(store: MemoryStore) -> str:
    return addresses.files(store.slug, MemoryPath.ROOT.text)


def _search() -> str:
    return reverse("memories:search")
