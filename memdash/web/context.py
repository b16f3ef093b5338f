"""What the base template needs on every page."""

from django.db import connection
from django.http import HttpRequest

from memdash.web.preferences import keys_on, theme_of


def page(request: HttpRequest) -> dict[str, object]:
    """Return the person's theme and whether single keys work, and the name of the database."""
    return {"theme": theme_of(request), "keys": keys_on(request), "database": connection.display_name}
