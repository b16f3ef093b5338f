"""One-time sign-in links: for the first start, and for whoever has no password at hand."""

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from memdash.accounts.models import LoginLink

LIFE: Final = timedelta(minutes=15)


def create(user: User) -> str:
    """Return the path of a link that signs ``user`` in once within 15 minutes; links that are over are removed."""
    now = timezone.now()
    LoginLink.objects.filter(expires_at__lt=now).delete()
    token = secrets.token_urlsafe(32)
    LoginLink.objects.create(user=user, token_sha256=_digest(token), expires_at=now + LIFE)
    return reverse("accounts:link", args=[token])


def owner(token: str) -> User | None:
    """Return whom the link would sign in, without spending it; None when it is unknown, spent or too old."""
    link = LoginLink.objects.select_related("user").filter(
        token_sha256=_digest(token), spent_at=None, expires_at__gt=timezone.now(), user__is_active=True
    )
    return found.user if (found := link.first()) else None


def spend(token: str) -> User | None:
    """Use the link up and return whom it signs in; of several at once only one gets in."""
    user = owner(token)
    now = timezone.now()
    spent = LoginLink.objects.filter(token_sha256=_digest(token), spent_at=None, expires_at__gt=now)
    return user if user and spent.update(spent_at=now) == 1 else None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
