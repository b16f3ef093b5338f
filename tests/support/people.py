"""People of each kind, and their browsers."""

import itertools

from django.contrib.auth.models import User
from django.test import Client

from memories.models import Member, MemoryStore, Role

_numbers = itertools.count(1)


def stranger() -> User:
    """Return somebody who is a member of no store."""
    return User.objects.create_user(f"person{next(_numbers)}")


def member(memory: MemoryStore, role: Role) -> User:
    """Return somebody with this role in the store."""
    user = stranger()
    Member.objects.create(store=memory, user=user, role=role)
    return user


def operator() -> User:
    """Return a superuser."""
    return User.objects.create_superuser(f"operator{next(_numbers)}")


def browser_of(user: User) -> Client:
    """Return a browser in which ``user`` is signed in."""
    client = Client()
    client.force_login(user)
    return client
