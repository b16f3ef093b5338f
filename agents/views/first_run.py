"""The page that stands in place of the list of agents while nothing exists yet."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest


def first_run(request: UserRequest) -> HttpResponse:
    """Show the ways in, and what of the installation is ready."""
    context = {
        "title": "Set up memdash",
        "database": connection.display_name,
        "is_embedded": settings.MEMDASH_EMBEDDED,
        "has_key": bool(settings.MEMDASH_ANTHROPIC_API_KEY),
        "is_operator": request.user.is_superuser,
    }
    return render_page(request, "agents/first_run.html", context)


@require_POST
def load_demo(request: UserRequest) -> HttpResponse:
    """Make the demo agents with their history, in an installation that has no store yet."""
    if not request.user.is_superuser:
        raise PermissionDenied("Demo data is loaded by the operator.")
    from agents.demo import history  # noqa: PLC0415  (weeks of made-up history that hardly any process needs)

    if history.is_due():
        history.load(request.user)
        messages.success(request, "Loaded the demo data.")
    else:
        messages.error(request, "There is memory here already, so no demo data was loaded.")
    return HttpResponseClientRedirect(reverse("agents:home")) if wants_part(request) else redirect("agents:home")
