"""Every address of the product."""

from django.urls import include, path
from django.urls.resolvers import URLPattern, URLResolver

handler400 = "memdash.web.errors.bad_request"
handler403 = "memdash.web.errors.denied"
handler404 = "memdash.web.errors.not_found"
handler500 = "memdash.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("agents.api.urls")),
    path("", include("memdash.web.urls")),
    path("", include("memdash.accounts.urls")),
    path("", include("memories.urls")),
    path("", include("agents.urls")),
]
