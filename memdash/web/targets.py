"""Where a redirect may lead: to our own pages only."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def local_target(target: str, request: HttpRequest, default: str = "/") -> str:
    """Return ``target`` if it is a path of this site, else ``default``."""
    # Django would take a word without a slash for the name of a page of ours, and fail where there is none.
    local = target.startswith("/") and url_has_allowed_host_and_scheme(
        target, allowed_hosts=None, require_https=request.is_secure()
    )
    return target if local else default
