"""Rows of signing in: sessions, one-time links, and counts of failed tries."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class Session(AbstractBaseSession):
    """One browser that is signed in. Its columns repeat what the session's data says, for the list of sessions."""

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    started_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)
    address = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=60, default="")

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    @classmethod
    def get_session_store_class(cls) -> Any:
        """Return the engine that reads and writes these rows."""
        from memdash.accounts.sessions import SessionStore  # noqa: PLC0415  (the engine is built on this model)

        return SessionStore


class LoginLink(models.Model):
    """A one-time way in. The token itself is in the link alone; here is its SHA-256."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_links")
    token_sha256 = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    spent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"link for {self.user}, until {self.expires_at:%H:%M}"


class Tries(models.Model):
    """Failed sign-ins for one account or from one address; ``key`` is a keyed hash of which."""

    key = models.CharField(max_length=64, unique=True)
    failures = models.PositiveIntegerField(default=0)
    wait_until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "tries"

    def __str__(self) -> str:
        return f"{self.failures} failed"
