"""Sessions that last while they are used, and the way to the sign-in page for everyone else."""

from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect

from memdash.accounts.sessions import touch


class SessionInUse(MiddlewareMixin):
    """Put off the end of a session that is used."""

    def process_request(self, request: HttpRequest) -> None:
        """Note that the session is in use."""
        touch(request)


class SignInRequired(LoginRequiredMiddleware):
    """Close every page that is not marked open; a part of a page sends the whole browser to sign in."""

    def handle_no_permission(  # type: ignore[override]  # htmx needs an answer of its own
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponseBase:
        """Lead to the sign-in page and from there back to the page that is open."""
        htmx = getattr(request, "htmx", None)
        if not htmx:
            return super().handle_no_permission(request, view_func)
        page = urlencode({"next": htmx.current_url_abs_path or "/"})
        return HttpResponseClientRedirect(f"{resolve_url(self.get_login_url(view_func))}?{page}")
