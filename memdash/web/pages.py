"""One view, one template: the whole page, or the part of it that htmx asked for."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django_htmx.middleware import HtmxDetails

from memdash.web import hidden_text
from memdash.web.html import joined


def wants_part(request: HttpRequest) -> bool:
    """Say whether htmx asked for a part of the page; a boosted link or a restored history entry takes the whole."""
    htmx = getattr(request, "htmx", None)
    return isinstance(htmx, HtmxDetails) and bool(htmx) and not (htmx.boosted or htmx.history_restore_request)


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partial: str | None = None,
    over: bool = False,
    status: int = 200,
) -> HttpResponse:
    """Answer with the page, or with its ``partial`` when htmx asked for a part.

    ``context["title"]`` names the thing and its place ("notes.md · Support desk"). A part carries it along for the
    browser's title, and the toasts that wait for the person; one that opens ``over`` a page leaves that page its title.
    """
    if partial and wants_part(request):
        part = render_to_string(f"{template}#{partial}", dict(context), request)
        body = joined(["" if over else _title(context), part, _toasts(request)])
    else:
        body = render_to_string(template, dict(context), request)
    response = HttpResponse(body, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _title(context: Mapping[str, Any]) -> str:
    title = hidden_text.spell(context.get("title", ""))
    return format_html("<title>{} · memdash</title>", title) if title else ""


def _toasts(request: HttpRequest) -> str:
    if not len(messages.get_messages(request)):
        return ""
    return render_to_string("web/toasts.html", {"swapped": True}, request)
