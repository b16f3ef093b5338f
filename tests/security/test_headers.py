"""Every answer forbids what pages of ours do not need: strangers' scripts, frames, guesses at types, caches."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.browser import cases
from tests.support.routes import routes

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def addresses(client: Client) -> dict[str, str]:
    """An address for every route: of a page with a row where there is a case, else of nothing."""
    operator = User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    client.force_login(operator)
    return routes() | {name: path for name, case in cases.cases().items() if (path := case.path())}


def test_every_answer_carries_the_policy_and_its_companions(client: Client, addresses: dict[str, str]) -> None:
    for route, address in addresses.items():
        headers = client.get(address).headers

        sandboxed = headers["Content-Security-Policy"].startswith("sandbox;")
        assert sandboxed or set(headers["Content-Security-Policy"].split("; ")) == POLICY, route
        assert headers["X-Frame-Options"] == "DENY", route
        assert headers["X-Content-Type-Options"] == "nosniff", route
        assert headers["Referrer-Policy"] == "same-origin", route
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin", route


def test_pages_are_kept_by_no_cache(client: Client, addresses: dict[str, str]) -> None:
    for route, address in addresses.items():
        kept = client.get(address).headers["Cache-Control"]

        assert kept == "no-store" or kept.startswith("private"), route


def test_nobody_sees_more_than_the_way_in_without_signing_in(addresses: dict[str, str]) -> None:
    open_to_all = {name for name, case in cases.cases().items() if not case.signed_in} | {
        "web:preferences",
        "api:memory",
    }

    for route, address in addresses.items():
        answer = Client().get(address)

        assert route in open_to_all or answer.headers["Location"].startswith("/sign-in/?next="), route
