"""What holds for every answer of ours."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase

Answer = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class NoStore:
    """Keep pages out of every cache: they hold memory, and a signed-out browser must not show them again."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        response = self.get_response(request)
        if isinstance(response, HttpResponseBase):
            return _uncached(response)
        return self._later(response)

    async def _later(self, response: Awaitable[HttpResponseBase]) -> HttpResponseBase:
        return _uncached(await response)


def _uncached(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Cache-Control", "no-store")
    return response
