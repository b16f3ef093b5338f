"""Trash that is being emptied, which may take many transactions."""

import uuid
from typing import ClassVar

from django.db import models

from memories.models.stores import MemoryStore


class Emptying(models.Model):
    """A person's order to purge what a store had in its trash up to ``upto_seq``; later deletions are not meant.

    The row says what is due, so a worker that is killed, or a message that comes twice, loses and doubles nothing.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="emptyings")
    user_id = models.BigIntegerField(null=True)
    actor_label = models.CharField(max_length=255)
    upto_seq = models.PositiveBigIntegerField()
    total = models.PositiveBigIntegerField(help_text="files that were in the trash when it was asked for")
    purged = models.PositiveBigIntegerField(default=0)
    asked_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=("store",), condition=models.Q(finished_at__isnull=True), name="emptying_due"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_label} empties the trash of {self.store}"
