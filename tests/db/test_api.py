"""The HTTP API: a store's memory for programs elsewhere, one call of the memory tool a request."""

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents import tokens
from agents.api import door
from agents.models import ApiToken, RefusedCall, Run, Scope, TokenDay
from agents.tokens import use
from agents.tokens.rates import Rates
from memories.models import Member, Role
from tests.support.outside import NOTES, creating, elsewhere, new_token
from tests.support.people import browser_of, member, operator

pytestmark = pytest.mark.django_db(transaction=True)

VIEW = {"command": "view", "path": "/memories"}
PROBLEM = "application/problem+json"


@pytest.fixture
def made() -> tuple[ApiToken, str]:
    """Return a token that may write, and its secret."""
    return new_token()


def send(token: ApiToken, secret: str, body: object, *, slug: str = "", **given: Any) -> Any:
    """Post a call and return the response; ``body`` may be bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {secret}"} | given.pop("headers", {})
    options = {"content_type": "application/json", "headers": headers, **given}
    return Client().post(f"/api/v1/stores/{slug or token.store.slug}/memory", data, **options)


def problem_of(response: Any, status: int) -> dict[str, Any]:
    """Return the problem that an answer is, after a look at its shape."""
    assert (response.status_code, response["Content-Type"]) == (status, PROBLEM)
    problem: dict[str, Any] = response.json()
    assert set(problem) == {"type", "title", "status", "detail"}
    assert problem["status"] == status and problem["type"].startswith("urn:memdash:problem:")
    assert problem["detail"].endswith((".", "…"))
    return problem


def test_a_call_is_answered_as_the_tool_answers(made: tuple[ApiToken, str]) -> None:
    created, unknown = send(*made, creating()), send(*made, {"command": "dance"})

    assert created.status_code == unknown.status_code == 200
    assert created.json() == {"content": f"File created successfully at: {NOTES}", "is_error": False}
    assert unknown.json()["is_error"] and "Unknown command: dance" in unknown.json()["content"]


def test_fields_that_nobody_knows_are_ignored_and_those_beside_the_input_never_reach_the_tool(
    made: tuple[ApiToken, str],
) -> None:
    body = creating() | {"session": "s", "turn": 1, "cause": "c", "agent": "a", "external": "e", "surprise": [1]}

    assert not send(*made, body | {"tool_use_id": "t"}).json()["is_error"]

    kept = Run.objects.get().tool_calls.get()
    assert kept.input == creating() | {"surprise": [1]}
    assert (kept.turn, kept.cause, kept.external, kept.tool_use_id) == (1, "c", ["e"], "t")


def test_null_says_the_same_as_leaving_a_field_out(made: tuple[ApiToken, str]) -> None:
    names = ("session", "turn", "tool_use_id", "cause", "agent", "external")

    assert not send(*made, creating() | dict.fromkeys(names)).json()["is_error"]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ([], 422, "The body must be a JSON object."),
        (b"", 422, "The body is missing"),
        (b"{", 400, "not JSON"),
        (b'{"turn": NaN}', 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, 400, "too deeply"),
        (b"\xff\xfe\xff", 400, "not JSON"),
        (VIEW | {"session": 7}, 422, "session must be a string."),
        (VIEW | {"turn": "2"}, 422, "turn must be a whole number from 0 to 2,147,483,647."),
        (VIEW | {"turn": 2**31}, 422, "turn must be a whole number"),
        (VIEW | {"turn": 1.5}, 422, "turn must be a whole number"),
        (VIEW | {"turn": True}, 422, "turn must be a whole number"),
        (VIEW | {"external": [1]}, 422, "external must be a string or a list of strings."),
        (VIEW | {"cause": ["x"]}, 422, "cause must be a string."),
    ],
)
def test_what_is_no_call_is_a_problem_that_says_what_to_mend(
    made: tuple[ApiToken, str], body: object, status: int, says: str
) -> None:
    assert says in problem_of(send(*made, body), status)["detail"]
    assert not Run.objects.exists()


def test_other_types_of_content_methods_addresses_and_sizes_are_problems(made: tuple[ApiToken, str]) -> None:
    client, address = Client(), f"/api/v1/stores/{made[0].store.slug}/memory"

    problem_of(send(*made, VIEW, content_type="text/plain"), 415)
    problem_of(send(*made, VIEW, content_type="multipart/form-data; boundary=x"), 415)
    problem_of(send(*made, b'"' + b"x" * (2 * 1024 * 1024) + b'"'), 413)
    for method in ("get", "put", "delete", "patch", "options"):
        answer = getattr(client, method)(address)
        problem_of(answer, 405)
        assert answer["Allow"] == "POST"
    for path in ("/api/", "/api/v1/", "/api/v2/stores/x/memory", "/api/v1/stores/no.slug/memory"):
        problem_of(client.get(path), 404)
        problem_of(client.post(path), 404)


def test_a_turn_may_be_written_as_any_whole_number(made: tuple[ApiToken, str]) -> None:
    for turn in (2, 2.0):
        assert send(*made, VIEW | {"session": "s", "turn": turn}).status_code == 200

    assert {call.turn for call in Run.objects.get().tool_calls.all()} == {2}


def test_json_may_say_its_character_set(made: tuple[ApiToken, str]) -> None:
    assert send(*made, VIEW, content_type="application/json; charset=utf-8").status_code == 200


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("state", ["good", "revoked", "expired", "left", "demoted", "disabled", "agent", "operator"])
def test_who_may_do_what(scope: Scope, state: str) -> None:
    agent = elsewhere()
    user = operator() if state == "operator" else member(agent.store, Role.CURATOR)
    ends = timezone.now() - timedelta(seconds=1) if state == "expired" else None
    token, secret = new_token(agent, scope=scope, user=user, expires_at=ends)
    match state:
        case "revoked":
            tokens.revoke(token, by=user)
        case "left":
            Member.objects.all().delete()
        case "demoted":
            Member.objects.update(role=Role.VIEWER)
        case "disabled":
            User.objects.update(is_active=False)
        case "agent":
            type(agent).objects.update(archived_at=timezone.now())
    ended = state in {"revoked", "expired", "left", "disabled", "agent"}
    may_write = scope == Scope.WRITE and state in {"good", "operator"}

    read, written, foreign = (
        send(token, secret, VIEW),
        send(token, secret, creating()),
        send(token, secret, VIEW, slug=elsewhere().store.slug),
    )

    assert read.status_code == (401 if ended else 200)
    assert written.status_code == (401 if ended else 200 if may_write else 403)
    assert foreign.status_code == (401 if ended else 404)
    for answer in (read, written, foreign):
        if answer.status_code != 200:
            assert secret not in str(problem_of(answer, answer.status_code))
    assert agent.store.versions.count() == (1 if may_write else 0)


def test_a_foreign_store_answers_like_one_that_does_not_exist(made: tuple[ApiToken, str]) -> None:
    foreign, nowhere = send(*made, VIEW, slug=elsewhere().store.slug), send(*made, VIEW, slug="nowhere")

    assert foreign.json() == nowhere.json()


def test_a_person_who_is_signed_in_cannot_use_it_and_needs_no_form(made: tuple[ApiToken, str]) -> None:
    person = browser_of(operator())
    address = f"/api/v1/stores/{made[0].store.slug}/memory"

    answer = person.post(address, json.dumps(VIEW), content_type="application/json")

    assert problem_of(answer, 401)["type"].endswith(":no-token")
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert Client(enforce_csrf_checks=True).post(address).status_code == 401


def test_calls_of_read_tokens_without_a_command_change_nothing(made: tuple[ApiToken, str]) -> None:
    token, secret = new_token(made[0].agent, scope=Scope.READ)

    for command in ("create", "View", "", None, ["view"]):
        problem_of(send(token, secret, {"command": command, "path": NOTES, "file_text": "x"}), 403)


def test_refused_calls_are_noted_where_somebody_looks_for_them(made: tuple[ApiToken, str]) -> None:
    token, secret = made
    other = elsewhere().store.slug
    tokens.revoke(token, by=operator())
    reader, reading = new_token(token.agent, scope=Scope.READ)

    send(token, secret, VIEW)
    send(token, "mdh_nobody-made-this-one-9f2c", VIEW)
    send(token, "mdh_nobody-made-this-one-9f2c", VIEW, slug="nowhere")
    send(reader, reading, creating())
    send(reader, reading, VIEW, slug=other)

    noted = RefusedCall.objects.order_by("pk").values_list("store", "status", "reason", "ending", "token", "address")
    here = token.store_id
    assert list(noted) == [
        (here, 401, "revoked", token.ending, token.pk, "127.0.0.1"),
        (here, 401, "unknown", "9f2c", None, "127.0.0.1"),
        (here, 403, "scope", reader.ending, reader.pk, "127.0.0.1"),
        (here, 404, "other store", reader.ending, reader.pk, "127.0.0.1"),
    ]
    assert {day.token_id: (day.calls, day.refused) for day in TokenDay.objects.all()} == {
        token.pk: (0, 1),
        reader.pk: (0, 2),
    }


def test_the_oldest_notes_of_refused_calls_go(made: tuple[ApiToken, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "KEPT", 3)
    reader, reading = new_token(made[0].agent, scope=Scope.READ)

    for _ in range(7):
        send(reader, reading, creating())

    first = RefusedCall.objects.order_by("pk").values_list("pk", flat=True)[0]
    assert RefusedCall.objects.count() == 3
    assert first == max(RefusedCall.objects.values_list("pk", flat=True)) - 2


def test_an_address_that_goes_on_failing_has_to_wait_and_a_good_token_gets_in(made: tuple[ApiToken, str]) -> None:
    token, secret = made

    with time_machine.travel(timezone.now(), tick=False):
        statuses = [send(token, f"mdh_{n}-nobody-made-this-one", VIEW).status_code for n in range(30)]
        late = send(token, "mdh_nobody-made-this-one", VIEW)

    assert statuses == [401] * 20 + [429] * 10
    assert problem_of(late, 429)["type"].endswith(":too-many-refusals")
    assert int(late["Retry-After"]) >= 1
    assert RefusedCall.objects.count() == 20
    assert send(token, secret, VIEW).status_code == 200


def test_a_token_that_calls_too_often_waits(
    made: tuple[ApiToken, str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(door, "RATES", Rates(lambda: now[0]))
    settings.MEMDASH_TOKEN_CALLS_PER_MINUTE = 2

    statuses = [send(*made, VIEW).status_code for _ in range(4)]
    late = send(*made, VIEW)
    now[0] += 60
    again = send(*made, VIEW)

    assert (statuses, again.status_code) == ([200, 200, 429, 429], 200)
    assert late["Retry-After"] == "60" and "2 times a minute" in problem_of(late, 429)["detail"]
    # Noting each would let a program that runs wild write all the time.
    assert [note.reason for note in RefusedCall.objects.all()] == ["rate"]


def test_the_last_use_is_kept_and_calls_are_counted_by_the_day(made: tuple[ApiToken, str]) -> None:
    token, secret = made
    before = timezone.now()

    for body in (VIEW, creating(), {"command": "dance"}):
        send(token, secret, body)

    token.refresh_from_db()
    assert token.used_at and token.used_at >= before and token.used_from == "127.0.0.1"
    assert [(day.day, day.calls, day.refused) for day in TokenDay.objects.all()] == [(before.date(), 3, 0)]


def test_a_failure_inside_says_nothing_of_the_inside(
    made: tuple[ApiToken, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: object, **more: object) -> None:
        raise RuntimeError("the inside")

    monkeypatch.setattr("agents.runs.outside.answer", broken)

    answer = send(*made, VIEW)

    assert "inside" not in str(problem_of(answer, 500))
    assert "a call of the API failed" in caplog.text


def test_no_token_stands_in_the_database_or_in_the_log(
    made: tuple[ApiToken, str], caplog: pytest.LogCaptureFixture
) -> None:
    token, secret = made
    caplog.set_level("DEBUG")

    for header in (f"Bearer {secret}", f"bearer {secret}", f"Basic {secret}", f"Bearer {secret}x"):
        send(token, secret, creating(), headers={"Authorization": header})
    send(token, secret, VIEW | {"session": 1})
    tokens.revoke(token, by=operator())
    send(token, secret, VIEW)

    rows = [row for model in apps.get_models() for row in model._default_manager.values_list()]
    assert len(rows) > 10
    held = json.dumps(rows, default=str) + caplog.text
    assert secret not in held and secret[4:] not in held and secret[10:-4] not in held


def test_the_document_describes_the_endpoint_without_asking_who_looks() -> None:
    answer = Client().get("/api/v1/openapi.json")

    assert answer.status_code == 200
    document = answer.json()
    (path,) = document["paths"]
    assert path == "/api/v1/stores/{slug}/memory"
    operation = document["paths"][path]["post"]
    assert set(operation["responses"]) == {"200", "400", "401", "403", "404", "413", "415", "422", "429", "500", "503"}
    fields = document["components"]["schemas"]["MemoryCall"]["properties"]
    assert {"command", "path", "old_str", "session", "turn", "tool_use_id", "cause", "agent", "external"} <= set(fields)
    assert "input" not in fields
