"""Tags for pages about a store, its agents' pages included."""

from typing import Any

from django import template
from django.http import HttpRequest

from memdash.web import slots
from memories import access
from memories.models import MemoryStore
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.places import Link, above, tabs_of

register = template.Library()


@register.inclusion_tag("memories/store_head.html", takes_context=True)
def store_head(context: template.Context, store: MemoryStore, current: str) -> dict[str, Any]:
    """Show whose memory a page is about, and the tabs of all such pages; ``current`` is the key of this one's tab."""
    request = context["request"]
    return pause_switch(context, store) | {
        "crumbs": above(request, store),
        "heading": _heading(request, store),
        "tabs": tabs_of(request, store, settings=access.may_own(request.user, store)),
        "current": current,
    }


@register.inclusion_tag("memories/pause_switch.html", takes_context=True)
def pause_switch(context: template.Context, store: MemoryStore) -> dict[str, Any]:
    """Show whether agents may write to the store, and the switch to those who may turn it."""
    request = context["request"]
    return {"request": request, "store": store, "may_write": access.may_write(request.user, store)}


@register.inclusion_tag("memories/crumbs.html", takes_context=True)
def store_crumbs(context: template.Context, store: MemoryStore, path: MemoryPath, here: str) -> dict[str, Any]:
    """Show the way to a page about a path: what stands above the store, the store, the names of the path."""
    request = context["request"]
    names = [*reversed(list(path.ancestors())), path][1:]
    return {
        "crumbs": [
            *above(request, store),
            Link(_heading(request, store), addresses.files(store.slug, MemoryPath.ROOT.text)),
            *(Link(step.name, addresses.files(store.slug, step.text)) for step in names),
        ],
        "here": here,
    }


def _heading(request: HttpRequest, store: MemoryStore) -> str:
    return next(iter(slots.fill("store-title", request, store=store)), store.name)
