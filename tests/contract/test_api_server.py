"""The API as a server process answers it: what its document says holds for whatever is sent."""

import json
from collections.abc import Iterator
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.new_token import token_at
from tests.support.server import Server, up

EXAMPLES = 25
BOUNDED = settings(
    max_examples=EXAMPLES, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    positive_data_acceptance,
    negative_data_rejection,
]
VIEW = b'{"command": "view", "path": "/memories"}'
TWO_MEGABYTES = 2 * 1024 * 1024


class Served(NamedTuple):
    """A server process, a store of it, and a token for that."""

    server: Server
    slug: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}

    def send(self, body: Any, **headers: str) -> tuple[int, Message, bytes]:
        """Post a body to the store's memory; return status, headers and body of the answer."""
        with closing(HTTPConnection(self.server.address.removeprefix("http://"), timeout=30)) as connection:
            connection.request("POST", f"/api/v1/stores/{self.slug}/memory", body, self.headers | headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve for the module's tests; what the server says to its log all the while holds no token."""
    data: Path = tmp_path_factory.mktemp("api") / "data"
    with up(data) as server:
        served = Served(server, *token_at(data))
        yield served
        server.stop()
        assert served.secret not in server.rest


def play(served: Served, mode: GenerationMode, headers: dict[str, str]) -> list[int]:
    """Send what the document allows, or what it does not, and check each answer; return the statuses that came."""
    schema = schemathesis.openapi.from_dict(json.loads(served.server.browser.get("/api/v1/openapi.json")[1]))
    endpoint = schema["/api/v1/stores/{slug}/memory"]["POST"]
    statuses = []

    with requests.Session() as session:

        @BOUNDED
        @given(case=endpoint.as_strategy(generation_mode=mode))
        def one(case: Any) -> None:
            case.path_parameters["slug"] = served.slug
            response = case.call(base_url=served.server.address, session=session, headers=headers)
            case.validate_response(response, checks=CHECKS)
            statuses.append(response.status_code)

        one()
    return statuses


def test_calls_that_the_document_allows_are_answered(served: Served) -> None:
    assert set(play(served, GenerationMode.POSITIVE, served.headers)) == {200}


def test_calls_that_the_document_forbids_are_problems(served: Served) -> None:
    statuses = play(served, GenerationMode.NEGATIVE, served.headers)

    assert max(statuses) < 500
    assert served.send(b"[]")[0] == 422


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_without_a_token_every_call_is_turned_away(served: Served, mode: GenerationMode) -> None:
    assert set(play(served, mode, {})) <= {401, 429}


def test_a_body_that_is_too_large_is_a_problem_however_it_comes(served: Served) -> None:
    too_much = b" " * (TWO_MEGABYTES + 1)

    for body in (too_much, iter([too_much[:TWO_MEGABYTES], b"  "])):
        status, headers, said = served.send(body)
        assert (status, headers["Content-Type"]) == (413, "application/problem+json")
        assert json.loads(said)["type"] == "urn:memdash:problem:too-large"

    assert served.send(VIEW)[0] == 200


def test_answers_carry_the_headers_of_every_answer_and_no_cookie(served: Served) -> None:
    _, headers, _ = served.send(VIEW)

    assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "Set-Cookie" not in headers


def test_a_server_that_is_called_by_another_name_answers_nothing(served: Served) -> None:
    assert served.send(VIEW, Host="evil.example")[0] == 400
