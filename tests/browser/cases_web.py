"""The pages that belong to no app."""

from django.urls import reverse

from tests.browser.cases import Case

CASES = {
    "web:palette": Case(lambda: reverse("web:palette")),
    "web:rail": Case(lambda: reverse("web:rail"), whole=False),
    "web:keys": Case(lambda: reverse("web:keys")),
}
POST_ONLY = {"web:preferences", "web:keys-on", "web:keys-off"}
