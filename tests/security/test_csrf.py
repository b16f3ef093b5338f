"""Nothing changes without a form of ours: looking changes no row, and sending without the token is refused."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from memdash.accounts.models import Session
from tests.browser import cases, cases_api
from tests.support.routes import routes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator() -> User:
    """The operator of a product with one row of each kind."""
    operator = User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    return operator


def test_looking_at_every_page_changes_no_row(client: Client, operator: User) -> None:
    client.force_login(operator)
    addresses = [path for case in cases.cases().values() if (path := case.path())]
    before = every_row()

    for address in addresses:
        client.get(address)

    assert every_row() == before


def test_every_address_refuses_a_form_without_the_token(operator: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)

    answers = {route: client.post(address).status_code for route, address in routes().items()}

    # What asks for no cookie needs no token of a page: who may call shows the token of a program.
    api = {route: answers.pop(route) for route in cases_api.ROUTES}
    assert {route: status for route, status in answers.items() if status != 403} == {}
    assert api == {"api:memory": 401, "api:openapi": 405, "api:nothing": 404}


def test_a_token_of_another_browser_is_refused(operator: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    token = Client().get("/sign-in/").cookies

    answer = client.post("/sign-out/", {"csrfmiddlewaretoken": next(iter(token.values())).value})

    assert answer.status_code == 403


def test_addresses_that_only_take_forms_answer_no_look(client: Client, operator: User) -> None:
    client.force_login(operator)
    addresses = routes()

    answers = {route: client.get(addresses[route]).status_code for route in cases.post_only()}

    assert {route: status for route, status in answers.items() if status != 405} == {}


def every_row() -> dict[str, list[tuple[object, ...]]]:
    """Return all rows there are, sessions aside: these note when they were last in use."""
    return {
        model._meta.label: sorted(model._default_manager.values_list(), key=repr)
        for model in apps.get_models()
        if model is not Session
    }
