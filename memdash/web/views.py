"""Pages that belong to no app: the palette, the list of keys and preferences."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from memdash.web import palette as jumping
from memdash.web import preferences as browser
from memdash.web.pages import render_page
from memdash.web.targets import local_target

QUERY_LENGTH = 200


@require_GET
def palette(request: HttpRequest) -> HttpResponse:
    """Show pages to jump to; the script shows the same in a dialog."""
    query = request.GET.get("q", "").strip()[:QUERY_LENGTH]
    context = {"title": "Search or jump", "query": query, "groups": jumping.groups_for(request, query)}
    return render_page(request, "web/palette.html", context, partial="palette")


@require_GET
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys and what they do."""
    return render_page(request, "web/keys.html", {"title": "Keys"}, partial="keys")


@login_not_required
@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Remember the theme or whether single keys work, and go back to the page this came from."""
    response = redirect(local_target(request.POST.get("next", ""), request))
    if (theme := request.POST.get("theme")) in browser.THEMES:
        browser.remember(response, "theme", theme)
    if (single_keys := request.POST.get("keys")) in ("on", "off"):
        browser.remember(response, "keys", single_keys)
    return response
