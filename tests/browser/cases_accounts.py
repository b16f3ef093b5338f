"""The pages of signing in and the account."""

from django.contrib.auth.models import User
from django.urls import reverse

from memdash.accounts import links
from tests.browser.cases import Case


def link() -> str:
    """Return the path of a fresh one-time link."""
    return links.create(User.objects.get(username="mara"))


CASES = {
    "accounts:sign-in": Case(lambda: reverse("accounts:sign-in"), signed_in=False),
    "accounts:link": Case(link, signed_in=False),
    "accounts:account": Case(lambda: reverse("accounts:account")),
    "accounts:password": Case(lambda: reverse("accounts:password")),
}
POST_ONLY = {"accounts:sign-out", "accounts:end-other-sessions"}
