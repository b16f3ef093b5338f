"""The ways in for programs elsewhere, as other pages lead to them: tabs of settings, the menu, the palette."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from agents.access import tokens_for
from agents.views.token_rows import in_use
from memdash.web import slots
from memdash.web.palette import Jump
from memdash.web.requests import UserRequest
from memdash.web.slots import RailItem


def register() -> None:
    """Fill the places that other apps leave open."""
    slots.register("settings", tokens, order=10)
    slots.register("user-menu", menu, order=5)
    slots.register("pages", pages)


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
    return [Jump("Tokens", reverse("agents:tokens"), "link")]
