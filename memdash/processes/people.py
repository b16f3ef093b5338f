"""The first operator, and the links with which people who have no password yet sign in."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

FIRST_NAME = "admin"


def first_operator() -> User:
    """Return the longest-standing active operator; where there is none yet, make one without a password."""
    users = get_user_model().objects
    operator = users.filter(is_superuser=True, is_active=True).order_by("pk").first()
    return operator or users.create_superuser(_free_name(FIRST_NAME))


def _free_name(name: str) -> str:
    users = get_user_model().objects
    number = 1
    free = name
    while users.filter(username=free).exists():
        number += 1
        free = f"{name}{number}"
    return free
