"""What holds for every answer of ours."""

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from memdash.web import errors

NUL: Final = "\0"


class NoStore(MiddlewareMixin):
    """Keep pages out of every cache: they hold memory, and a signed-out browser must not show them again."""

    def process_response(self, _request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Forbid keeping the answer, unless its view decided otherwise."""
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class WithoutNul(MiddlewareMixin):
    """Refuse addresses with the character U+0000: no text here has it, and PostgreSQL takes it in no question."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer such an address with 400, before any page reads it."""
        query = request.GET
        if NUL in request.path_info or any(NUL in text for name in query for text in (name, *query.getlist(name))):
            text = "The address holds the character U+0000, which nothing here has. Take it out and try again."
            return errors.answer(request, 400, text=text)
        return None


class MethodNotAllowed(MiddlewareMixin):
    """Answer somebody who opens the address of a form with a page in place of an empty one."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say what the address is for, and keep the methods that it takes."""
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        answer = errors.answer(request, response.status_code)
        answer.headers["Allow"] = response.headers["Allow"]
        return answer
