"""Addresses of the API."""

from django.urls import include, path, re_path
from django.views.decorators.http import require_safe

from agents.api.endpoints import document, endpoints, nothing, opened

app_name = "api"
urlpatterns = [
    path("v1/openapi.json", opened(require_safe(document)), name="openapi"),
    path("v1/", include(endpoints())),
    re_path("", opened(nothing), name="nothing"),
]
