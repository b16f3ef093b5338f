"""The ways in for programs elsewhere, as other pages lead to them: tabs of settings, the menu, the palette."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from agents.access import may_run, tokens_for
from agents.models import Agent, Place
from agents.views.token_rows import in_use
from memdash.web import slots
from memdash.web.palette import Jump
from memdash.web.requests import UserRequest
from memdash.web.slots import RailItem
from memories.models import MemoryStore


def register() -> None:
    """Fill the places that other apps leave open."""
    slots.register("settings", tokens, order=10)
    slots.register("user-menu", menu, order=5)
    slots.register("pages", pages)
    slots.register("store-empty", store_empty)


def tokens(request: UserRequest) -> RailItem:
    """Return the tokens as one of the pages of settings, with how many are in use."""
    count = in_use(tokens_for(request.user)).count()
    shown = f"{count:,}" if count else ""
    return RailItem("Tokens", reverse("agents:tokens"), "link", under=("/tokens/",), count=shown)


def menu(request: HttpRequest) -> SafeString:
    """Return the way to the tokens."""
    return render_to_string("agents/menu_tokens.html", {}, request)


def pages(_: HttpRequest) -> list[Jump]:
    """Return the pages that the palette leads to besides those of the rail."""
    return [
        Jump("Connect an agent", reverse("agents:connect"), "plus"),
        Jump("Tokens", reverse("agents:tokens"), "link"),
    ]


def store_empty(request: UserRequest, store: MemoryStore) -> SafeString | None:
    """Return the way to connect an agent that has not written anything yet from where it runs."""
    waiting = Agent.objects.filter(store=store, archived_at=None).exclude(place=Place.HERE).order_by("pk").first()
    if waiting is None or not may_run(request.user, waiting):
        return None
    return render_to_string("agents/store_waits.html", {"agent": waiting}, request)
