"""Tokens with which programs elsewhere use a store."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from agents.models.agents import Agent
from memories.models import MemoryStore


class Scope(models.TextChoices):
    READ = "read", "Read"
    WRITE = "write", "Read and write"


class ApiToken(models.Model):
    """Lets a program use one store as one agent; only the hash of the token is kept."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=255)
    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="tokens")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tokens")
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.WRITE)
    prefix = models.CharField(max_length=10, help_text="its first characters, by which people know it")
    ending = models.CharField(max_length=4, help_text="its last characters, by which people know it")
    sha256 = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="it never may more than they may",
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.CharField(max_length=255, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_from = models.CharField(max_length=45, blank=True, help_text="address of the last caller")

    class Meta:
        ordering = ("-made_at", "-id")
        indexes: ClassVar = [models.Index(fields=("agent", "-made_at"), name="token_agent")]

    def __str__(self) -> str:
        return f"{self.name}, {self.prefix}"


class TokenDay(models.Model):
    """What came with a token on one day (UTC), answered and refused."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("token", "day"), name="token_day_once")]

    def __str__(self) -> str:
        return f"{self.token}, {self.day}"


class RefusedCall(models.Model):
    """A call that was turned away at the door of a store, so that people can see why nothing arrives."""

    store = models.ForeignKey(MemoryStore, null=True, on_delete=models.CASCADE, related_name="refused_calls")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.CASCADE, related_name="refused_calls")
    status = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=40, help_text="code of why")
    ending = models.CharField(max_length=4, blank=True, help_text="the last characters of the token that was shown")
    address = models.CharField(max_length=45, blank=True)
    refused_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=("store", "-refused_at"), name="refused_store")]

    def __str__(self) -> str:
        return f"{self.status} at {self.refused_at}"
