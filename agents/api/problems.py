"""What the API answers when it cannot do what was asked: problem details (RFC 9457), each with the next step."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.http import HttpResponse

MEDIA_TYPE: Final = "application/problem+json"

NAMED: Final = 5
"""Wrong fields that one answer names."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An answer that is no result. ``code`` is for programs, ``detail`` says what to do next."""

    status: int
    code: str
    title: str
    detail: str
    headers: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return its body."""
        return {
            "type": f"urn:memdash:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }

    def response(self) -> HttpResponse:
        """Return it as an answer."""
        body = json.dumps(self.as_json())
        return HttpResponse(body, status=self.status, content_type=MEDIA_TYPE, headers=self.headers)


class Stopped(Exception):
    """A call ends here, with a problem for an answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def unauthorized(code: str, detail: str) -> Problem:
    """Return what a call without a good token meets."""
    return Problem(401, code, "Not authorized", detail, {"WWW-Authenticate": 'Bearer realm="memdash"'})


def too_often(code: str, detail: str, seconds: float) -> Problem:
    """Return what a caller meets who should wait for so many seconds."""
    return Problem(429, code, "Too many calls", detail, {"Retry-After": str(max(1, math.ceil(seconds)))})


def not_found(detail: str) -> Problem:
    """Return what an address leads to where there is nothing for this caller."""
    return Problem(404, "not-found", "Not found", detail)


def not_allowed(allowed: str) -> Problem:
    """Return what a request with another method than the allowed ones meets."""
    return Problem(
        405, "method-not-allowed", "Method not allowed", f"This address takes {allowed}.", {"Allow": allowed}
    )


def invalid(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return what a body meets whose fields have wrong types, given pydantic's errors; it repeats no value."""
    rules = [_rule(error) for error in errors[:NAMED]]
    detail = f"{' '.join(rules)} Nothing was changed. Mend that and send the call again."
    return Problem(422, "invalid", "Invalid body", detail)


def _rule(error: Mapping[str, Any]) -> str:
    if error["type"] == "missing":
        return "The body is missing: send one JSON object."
    fields = [str(part) for part in error["loc"][2:]]
    return f"{fields[0] if fields else 'The body'} {error['msg'].removeprefix('Value error, ')}."


NO_ENDPOINT: Final = not_found("There is no such endpoint. /api/v1/openapi.json lists those there are.")
NO_STORE: Final = not_found("There is no such store for this token. Take the address from the page of the token.")
TOO_LARGE: Final = Problem(
    413, "too-large", "Request too large", "The request is larger than 2 MiB. Nothing was saved. Send less at once."
)
NOT_JSON_TYPE: Final = Problem(
    415, "not-json", "Unsupported media type", "Send the body as JSON, with Content-Type: application/json."
)
NOT_JSON: Final = Problem(
    400, "malformed", "Malformed body", "The body is not JSON. Send one JSON object, encoded as UTF-8."
)
TOO_DEEP: Final = Problem(
    400, "too-deep", "Malformed body", "The body nests lists or objects too deeply. Send the input of the memory tool."
)
READ_ONLY: Final = Problem(
    403,
    "read-only",
    "Not allowed",
    "This token may only view. Nothing was changed. Use one that may write, made by somebody who may.",
)
MISTAKE: Final = Problem(
    500,
    "internal-error",
    "Internal error",
    "The server made a mistake. With a tool_use_id the call may be sent again safely; its log tells the operator more.",
)
UNAVAILABLE: Final = Problem(
    503, "unavailable", "Not available", "The database cannot be reached. Send the call again.", {"Retry-After": "5"}
)
