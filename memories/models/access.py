"""Who belongs to a store."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from memories.models.stores import MemoryStore


class Role(models.TextChoices):
    VIEWER = "viewer"
    CURATOR = "curator"
    OWNER = "owner"


class Member(models.Model):
    """A person's role in a store; the operator needs none."""

    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=7, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("store", "user"), name="member_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.store}"
