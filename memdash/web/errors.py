"""Pages that say what went wrong: what happened, what is safe, what to do next; never a detail of the inside."""

import sys
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import BadRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from memdash.web.preferences import theme_of


@dataclass(frozen=True, slots=True)
class Words:
    """What an error page says."""

    title: str
    text: str
    icon: str = "alert"


class NotUnderstood(BadRequest):
    """What a request sent or asked for can be nothing; the words say what, and what is safe. Answered with 400."""


WORDS: Final = {
    400: Words("The server did not understand that", "Nothing was changed. Go back, reload the page and try again."),
    403: Words(
        "That was not allowed",
        "Nothing was changed. The page may have been open for too long: reload it and try again.",
        "lock",
    ),
    404: Words(
        "There is nothing here",
        "The address is wrong, what it led to is gone, or it is not shared with you.",
        "file",
    ),
    405: Words(
        "This is no page",
        "The address takes what a form of a page sends. Nothing was changed: go back to that page and use its button.",
        "file",
    ),
    500: Words(
        "The server made a mistake",
        "What was saved before is safe. Whether your last step was saved shows when you open its page again."
        " The operator finds the cause in the log.",
    ),
    503: Words("Not available right now", "What was saved is safe. Try again in a minute.", "off"),
}


def answer(request: HttpRequest, status: int, *, text: str = "") -> HttpResponse:
    """Return the page for ``status``; ``text`` says more about this case and replaces the general words."""
    words = WORDS[status]
    context = {"title": words.title, "text": text or words.text, "icon_name": words.icon, "status": status}
    user = getattr(request, "user", None)
    template = "web/error.html" if user is not None and user.is_authenticated else "web/error_solo.html"
    return HttpResponse(render_to_string(template, context, request), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refused to read, or a view did, which says why in words for people."""
    return answer(request, 400, text=str(exception) if isinstance(exception, NotUnderstood) else "")


def denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer somebody who may know of a thing but not do this to it; the exception's words say what, if it has any."""
    return answer(request, 403, text=str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 (Django names it)
    """Answer an address that leads nowhere, or nowhere this person may know of."""
    return answer(request, 404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 (Django names it)
    """Answer a form that came without the token of a page of ours."""
    return answer(request, 403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer after a bug, or while the database cannot be reached, with nothing that needs it."""
    out_of_reach = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    status = 503 if out_of_reach else 500
    words = WORDS[status]
    context = {"title": words.title, "text": words.text, "icon_name": words.icon, "status": status}
    context |= {"theme": theme_of(request), "keys": False, "messages": ()}
    return HttpResponse(render_to_string("web/error_solo.html", context), status=status)
