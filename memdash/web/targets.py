"""Where a redirect may lead: to our own pages only."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def local_target(target: str, request: HttpRequest, default: str = "/") -> str:
    """Return ``target`` if it is relative to this site, else ``default``."""
    local = url_has_allowed_host_and_scheme(target, allowed_hosts=None, require_https=request.is_secure())
    return target if local else default
