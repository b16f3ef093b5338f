"""Tags for pages about a store, its agents' pages included."""

from typing import Any

from django import template
from django.urls import reverse

from memdash.web import slots
from memories import access
from memories.models import MemoryStore
from memories.views.places import Link, tabs_of

register = template.Library()


@register.inclusion_tag("memories/store_head.html", takes_context=True)
def store_head(context: template.Context, store: MemoryStore, current: str) -> dict[str, Any]:
    """Show whose memory a page is about, and the tabs of all such pages; ``current`` is the key of this one's tab."""
    request = context["request"]
    crumbs = slots.fill("store-crumbs", request, store=store) or [Link("Stores", reverse("memories:stores"))]
    return {
        "request": request,
        "store": store,
        "crumbs": crumbs,
        "heading": next(iter(slots.fill("store-title", request, store=store)), store.name),
        "tabs": tabs_of(request, store, settings=access.may_own(request.user, store)),
        "current": current,
    }
