"""Every address of the product."""

from django.urls import include, path
from django.urls.resolvers import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("memdash.accounts.urls")),
    path("", include("memories.urls")),
    path("", include("agents.urls")),
]
