"""How this browser shows pages: the theme and the single keys, kept in cookies so that no page flashes."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

THEMES: Final = ("system", "light", "dark")
YEAR_SECONDS: Final = 365 * 24 * 60 * 60


def theme_of(request: HttpRequest) -> str:
    """Return "light" or "dark", or "system" when the person has not chosen."""
    theme = request.COOKIES.get("theme", "system")
    return theme if theme in THEMES else "system"


def keys_on(request: HttpRequest) -> bool:
    """Say whether single-letter keys do something; they do until the person switches them off."""
    return request.COOKIES.get("keys") != "off"


def remember(response: HttpResponse, name: str, value: str) -> None:
    """Keep a preference in this browser for a year."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(name, value, max_age=YEAR_SECONDS, samesite="Lax", secure=secure, httponly=True)
