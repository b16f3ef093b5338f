"""Where to go once an act is taken back: to what came back, since the page one was on may be of what is gone."""

from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.db.models import Max, Min
from django.urls import Resolver404, resolve

from memories.models import MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.moving import HEADING
from memories.views.neighbours import nearest_folder


def place_after(store: MemoryStore, undoing: UUID, at: str) -> str:
    """Return where somebody goes from the page ``at`` after the change set ``undoing``.

    From the page of a file or folder of the store: to the file that came back, or to the folder of all that did; if
    nothing did, to the nearest folder that is left. Any other page shows what there is by itself.
    """
    here = _path_of(store, at)
    if here is None:
        return at
    back = MemoryEntry.objects.live().filter(store=store, versions__change_set__uuid=undoing)
    ends = back.aggregate(first=Min("path"), last=Max("path"))
    if ends["first"]:
        target = _common(MemoryPath(ends["first"]), MemoryPath(ends["last"]))
    elif here.is_root or MemoryEntry.objects.filter(store=store).at(here).exists():
        target = here
    else:
        target = nearest_folder(store, here)
    return at if target == here else addresses.files(store.slug, target.text) + HEADING


def _path_of(store: MemoryStore, address: str) -> MemoryPath | None:
    """Return the path whose page in the store the address is; None for any other page."""
    try:
        page = resolve(unquote(urlsplit(address).path))
    except Resolver404:
        return None
    if page.view_name != "memories:files" or page.kwargs["slug"] != store.slug:
        return None
    return addresses.read(page.kwargs.get("path", ""))


def _common(first: MemoryPath, last: MemoryPath) -> MemoryPath:
    """Return the path itself if both are the same, else the directory that holds both and all between them."""
    if first == last:
        return first
    return next(folder for folder in first.ancestors() if folder.holds(last) or folder.is_root)
