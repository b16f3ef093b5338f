"""The ways to stores and files from every page: the rail and the palette."""

from django.urls import reverse

from memdash.web import names
from memdash.web.palette import MOST, Group, Jump, group, holding, nearest_first
from memdash.web.requests import UserRequest
from memdash.web.slots import RailItem
from memories import access
from memories.models import Kind, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.levels import RELATIVE
from memories.views.trash_list import MOST_COUNTED, counted


def rail(request: UserRequest) -> list[RailItem]:
    """Return the rail's items for stores, for what happened in them, and for what was deleted, with its count."""
    trashed = counted(request)
    count = f"{trashed:,}" if trashed < MOST_COUNTED else f"{MOST_COUNTED - 1:,}+"
    return [
        RailItem("Stores", reverse("memories:stores"), "folder", under=("/stores/", "/compare/"), key="o"),
        RailItem("Search", reverse("memories:search"), "search", key="s"),
        RailItem("Activity", reverse("memories:activity"), "activity", under=("/acts/",), key="c"),
        RailItem(
            "Trash",
            reverse("memories:trash"),
            "trash",
            under=("/trash/",),
            count=count if trashed else "",
            counted="deleted",
            key="t",
        ),
    ]


def palette(request: UserRequest, query: str) -> list[Group]:
    """Return stores and files whose name or path holds the query's words; without a query, stores changed last."""
    reachable = access.stores_for(request.user)
    named = reachable.filter(holding(query, "name", "slug"))
    stores = nearest_first(named, query, "name", "slug", then=("-last_activity_at", "pk"))[:MOST]
    groups = [group("Stores", (_store(request, store) for store in stores))]
    words = "find and replace"
    if (
        query
        and access.writable_stores_for(request.user).exists()
        and all(word in words for word in query.lower().split())
    ):
        groups.append(group("Actions", [Jump("Find and replace", reverse("memories:replace"), "pencil")]))
    if query:
        live = MemoryEntry.objects.filter(store__in=reachable, state=State.LIVE, kind=Kind.FILE)
        named_so = live.alias(relative=RELATIVE).filter(holding(query, "relative")).select_related("store")
        files = nearest_first(named_so, query, "relative", then=("path",), is_path=True)[:MOST]
        groups.append(group("Files", (_file(request, entry) for entry in files)))
    return [each for each in groups if each]


def pages(_: UserRequest) -> list[Jump]:
    """Return the page of stores that the palette leads to besides those of the rail."""
    return [Jump("Compare stores", reverse("memories:compare"), "split")]


def _store(request: UserRequest, store: MemoryStore) -> Jump:
    place = names.slug_beside(request, store)
    return Jump(store.name, addresses.files(store.slug, MemoryPath.ROOT.text), "folder", place, slug=store.slug)


def _file(request: UserRequest, entry: MemoryEntry) -> Jump:
    relative = MemoryPath(entry.path).relative
    place = names.label(request, entry.store)
    return Jump(relative, addresses.files(entry.store.slug, entry.path), "file", place, is_path=True)
