"""The addresses of the HTTP API, none of them a page."""

from django.urls import reverse

from tests.browser.cases import Case

CASES = {
    "api:openapi": Case(lambda: reverse("api:openapi"), signed_in=False, shown=False),
    "api:nothing": Case(lambda: reverse("api:nothing"), signed_in=False, shown=False, status=404),
}
POST_ONLY = {"api:memory"}
ROUTES = POST_ONLY | CASES.keys()
