"""Pages that belong to no app: the palette, the rail, the list of keys and preferences."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from memdash.web import palette as jumping
from memdash.web import preferences as browser
from memdash.web import slots
from memdash.web.pages import render_page
from memdash.web.targets import local_target

QUERY_LENGTH = 200


@require_GET
def palette(request: HttpRequest) -> HttpResponse:
    """Show pages to jump to; the script shows the same in a dialog."""
    query = request.GET.get("q", "").strip()[:QUERY_LENGTH]
    context = {
        "title": "Search or jump",
        "query": query,
        "groups": jumping.groups_for(request, query),
        "searches": jumping.ways_to_search(request, query),
    }
    return render_page(request, "web/palette.html", context, partial="palette", over=True)


@require_GET
def rail(request: HttpRequest) -> HttpResponse:
    """Show the pages of the rail with their counts as they are now; ``?at=`` is the path of the page that asks."""
    context = {"items": slots.fill("rail", request), "at": request.GET.get("at", "")}
    return HttpResponse(render_to_string("web/rail.html#pages", context, request))


@require_GET
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys and what they do."""
    return render_page(request, "web/keys.html", {"title": "Keys"}, partial="keys", over=True)


@login_not_required
@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Remember the theme and go back to the page this came from."""
    response = redirect(local_target(request.POST.get("next", ""), request))
    if (theme := request.POST.get("theme")) in browser.THEMES:
        browser.remember(response, "theme", theme)
    return response


@require_POST
def switch_keys(request: HttpRequest, state: str) -> HttpResponse:
    """Switch single keys "on" or "off" in this browser, say so with the way back, and return to the page."""
    inverse = reverse("web:keys-on" if state == "off" else "web:keys-off")
    messages.success(request, f"Single-letter keys are {state} in this browser.", extra_tags=inverse)
    response = redirect(local_target(request.POST.get("next", ""), request))
    browser.remember(response, "keys", state)
    return response
