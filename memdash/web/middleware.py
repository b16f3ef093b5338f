"""What holds for every answer of ours."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


class NoStore(MiddlewareMixin):
    """Keep pages out of every cache: they hold memory, and a signed-out browser must not show them again."""

    def process_response(self, _request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Forbid keeping the answer, unless its view decided otherwise."""
        response.headers.setdefault("Cache-Control", "no-store")
        return response
