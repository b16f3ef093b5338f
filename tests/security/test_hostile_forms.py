"""Numbers no row holds and characters no database takes, in each field of each form and in each field of a call."""

import json
from inspect import getmembers, isclass
from typing import Any

import pytest
from django import forms
from django.db import connection
from django.test import Client

from agents import connect_forms, token_forms
from agents import forms as agent_forms
from agents.models import Agent, Scope
from memdash.accounts import forms as account_forms
from memories import forms as store_forms
from tests.db.test_faults import CASES, TEA, of_file
from tests.support.outside import NOTES, creating, elsewhere, new_token
from tests.support.people import browser_of, operator

pytestmark = pytest.mark.django_db(transaction=True)

MODULES = (agent_forms, token_forms, connect_forms, store_forms, account_forms)
HUGE = 2**63
NUL = "a\0b"


def number_fields() -> dict[str, forms.Field]:
    """Return every field of a form that takes a number."""
    return {
        f"{form.__name__}.{name}": field
        for module in MODULES
        for _, form in getmembers(module, isclass)
        if issubclass(form, forms.Form)
        for name, field in form.base_fields.items()
        if isinstance(field, forms.IntegerField | forms.FloatField | forms.DecimalField)
    }


@pytest.mark.parametrize("number", [str(HUGE), "9" * 5000, "1e400", "nan", "-1"])
def test_no_field_takes_a_number_that_no_row_holds(number: str) -> None:
    fields = number_fields()

    assert len(fields) > 15
    for name, field in fields.items():
        with pytest.raises(forms.ValidationError):
            pytest.fail(f"{name} took {field.clean(number)}")


def test_the_largest_number_of_a_setting_fits_its_column() -> None:
    for name, field in agent_forms.AgentForm.base_fields.items():
        if isinstance(field, forms.IntegerField) and not isinstance(field, forms.DecimalField | forms.FloatField):
            column = Agent._meta.get_field(name).get_internal_type()
            _, largest = connection.ops.integer_field_range(column)
            assert isinstance(field.max_value, int) and (largest is None or field.max_value <= largest), name


@pytest.mark.parametrize("version", [str(HUGE), "9" * 5000, "0", "-1", "1.5", ""])
@pytest.mark.parametrize("page", ["edit", "draft"])
def test_a_version_that_no_file_has_is_refused_in_words(page: str, version: str) -> None:
    answer = browser_of(operator()).post(of_file(page), {**TEA, "base_version": version})

    assert 400 <= answer.status_code < 500
    assert answer.content


MORE = [
    (lambda: "/tokens/", {"name": "a", "agent": "b", "scope": "read", "expires": "7", "once": "c"}),
    (lambda: "/agents/connect", {"name": "a", "place": "api", "store": "b", "once": "c", "folder": "/x"}),
    (lambda: "/agents/new", {"name": "a", "store": "b"}),
    (lambda: "/runs/new", {"add": "", "agent": "b", "texts-TOTAL_FORMS": "1", "texts-0-name": "x"}),
    (lambda: "/sign-in/", {"name": "a", "password": "b", "next": "/"}),
    (lambda: "/preferences", {"theme": "dark", "next": "/"}),
]


@pytest.mark.parametrize(("address", "sent"), [*((case.address, case.sent) for case in CASES), *MORE])
def test_no_form_fails_by_what_is_in_a_field(address: Any, sent: dict[str, Any]) -> None:
    browser = Client(raise_request_exception=False)
    browser.cookies = browser_of(operator()).cookies
    where = address()

    failed = {
        (name, value[:20]): status
        for name in {*sent, "next"}
        for value in (NUL, str(HUGE), "9" * 5000)
        if (status := browser.post(where, sent | {name: value}).status_code) >= 500
    }

    assert failed == {}


@pytest.mark.parametrize("session", [None, "s-1"])
def test_a_call_with_a_number_that_no_row_holds_is_answered_in_words(session: str | None) -> None:
    token, secret = new_token(elsewhere(), scope=Scope.WRITE)
    told = {"session": session} if session else {}
    inputs = [
        creating(),
        {"command": "view", "path": NOTES, "view_range": [1, HUGE]},
        {"command": "view", "path": NOTES, "view_range": [HUGE, -1]},
        {"command": "insert", "path": NOTES, "insert_line": HUGE, "insert_text": "x"},
        {"command": "view", "path": NOTES, "turn": HUGE},
        {"command": "view", "path": NUL, "tool_use_id": NUL, "cause": NUL, "agent": NUL, "external": [NUL]},
    ]

    answers = [
        Client(raise_request_exception=False).post(
            f"/api/v1/stores/{token.store.slug}/memory",
            json.dumps({**each, **told}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        for each in inputs
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 422, 200]


def test_a_cookie_that_no_database_takes_is_none() -> None:
    browser = Client(raise_request_exception=False)
    browser.cookies.load('memdash-session="abc\\000defghijkl"')

    assert browser.get("/stores/").status_code == 302
