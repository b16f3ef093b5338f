"""The request of somebody who is signed in, for type checkers."""

from django.contrib.auth.models import User
from django.http import HttpRequest


class UserRequest(HttpRequest):
    """A request that the sign-in middleware let through."""

    user: User
