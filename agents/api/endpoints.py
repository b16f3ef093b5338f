"""The endpoints, their document, and how everything that goes wrong becomes a problem."""

import json
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NoReturn

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser

from agents.api import door, problems
from agents.api.calls import Answer, MemoryCall
from agents.api.problems import Problem, Stopped
from agents.models import ApiToken
from agents.runs import outside
from agents.tokens import Reason, may_write

log = logging.getLogger(__name__)

DEEPEST: Final = 100
"""How deeply a body may nest; the tool's own input has two levels."""

View = Callable[..., HttpResponse]


class Json(Parser):
    """Reads bodies strictly: sent as JSON, in JSON's own numbers, and not nested without end."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the body's value, or raise Stopped."""
        if request.content_type != "application/json":
            raise Stopped(problems.NOT_JSON_TYPE)
        try:
            body = json.loads(request.body, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise Stopped(problems.NOT_JSON) from None
        if _is_deeper(body, DEEPEST):
            raise Stopped(problems.TOO_DEEP)
        return body


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON.")


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether lists and objects nest more than ``levels`` deep."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [
            item
            for outer in layer
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
        if not layer:
            return False
    return True


api = NinjaAPI(
    title="memdash",
    version="1",
    description="Use a store's memory from a program elsewhere, with a token made on the store's pages.",
    openapi_url=None,
    docs_url=None,
    parser=Json(),
    urls_namespace="api",
)

PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what to do next"},
    },
}
PROBLEMS: Final = {
    str(status): {"description": words, "content": {problems.MEDIA_TYPE: {"schema": PROBLEM}}}
    for status, words in {
        400: "The body is not JSON",
        401: "No token, or none that is good now",
        403: "The token may only view",
        404: "No such store for this token",
        413: "The request is larger than 2 MiB",
        415: "The body was not sent as JSON",
        422: "A field beside the tool's input has a wrong type, or the body is no object",
        429: "Too many calls; Retry-After says how many seconds to wait",
        500: "The server made a mistake",
        503: "The database cannot be reached",
    }.items()
}


@api.post(
    "/stores/{slug:slug}/memory",
    auth=door.Token(),
    response=Answer,
    operation_id="call_memory",
    summary="Call the memory tool",
    url_name="memory",
    openapi_extra={"responses": PROBLEMS},
)
def memory(request: HttpRequest, slug: str, call: MemoryCall) -> HttpResponse:  # noqa: ARG001  (the door has used it)
    """Execute one call of the memory tool on the store and return its answer.

    What the tool refuses is an answer too, with ``is_error``. Calls of one ``session`` are shown as one run.
    """
    token: ApiToken = request.auth  # type: ignore[attr-defined]  # set by the door
    if call.input.get("command") != "view" and not may_write(token):
        door.note(request, token, 403, Reason.SCOPE)
        raise Stopped(problems.READ_ONLY)
    came = outside.answer(
        token,
        outside.Call(
            call.input,
            session=call.session,
            turn=call.turn,
            tool_use_id=call.tool_use_id,
            cause=call.cause or "",
            agent=call.agent or "",
            external=call.external or (),
        ),
        address=door.address_of(request),
    )
    return JsonResponse({"content": came.content, "is_error": came.is_error})


def document(_request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document of the API."""
    return JsonResponse(api.get_openapi_schema(path_prefix="/api/v1/"))


def nothing(_request: HttpRequest) -> HttpResponse:
    """Answer any other address below /api/ as the API answers."""
    return problems.NO_ENDPOINT.response()


def opened(view: View) -> View:
    """Open ``view`` to callers without a cookie, of whom no form of ours is asked; it answers in problems alone."""

    @csrf_exempt
    @login_not_required
    @wraps(view)
    def answered(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        response = view(request, **kwargs)
        return problems.not_allowed(response["Allow"]).response() if response.status_code == 405 else response

    return answered


def endpoints() -> list[URLPattern]:
    """Return the addresses of the API's endpoints."""
    # The last one is ninja's own, which says where its documentation would be.
    patterns: list[Any] = api.urls[0][:-1]
    for pattern in patterns:
        pattern.callback = opened(pattern.callback)
    return patterns


def _answer(problem: Problem) -> Callable[[HttpRequest, Any], HttpResponse]:
    return lambda _request, _error: problem.response()


def _stopped(_request: HttpRequest, stopped: Any) -> HttpResponse:
    response: HttpResponse = stopped.problem.response()
    return response


def _unread(_request: HttpRequest, error: Any) -> HttpResponse:
    """Answer a body that could not be read; ninja says so of whatever went wrong in our parser."""
    cause = error.__cause__
    return (cause.problem if isinstance(cause, Stopped) else problems.NOT_JSON).response()


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:
    """Answer fields of a wrong type; what was sent is not repeated."""
    return problems.invalid(error.errors).response()


def _mistake(_request: HttpRequest, error: Any) -> HttpResponse:
    log.error("a call of the API failed", exc_info=error)
    return problems.MISTAKE.response()


api.add_exception_handler(Stopped, _stopped)
api.add_exception_handler(HttpError, _unread)
api.add_exception_handler(ValidationError, _invalid)
api.add_exception_handler(RequestDataTooBig, _answer(problems.TOO_LARGE))
api.add_exception_handler(OperationalError, _answer(problems.UNAVAILABLE))
api.add_exception_handler(InterfaceError, _answer(problems.UNAVAILABLE))
api.add_exception_handler(Exception, _mistake)
