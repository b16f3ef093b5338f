"""What a person has seen besides their own changes, so that pages can mark what is new to them."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from memories.models.entries import MemoryEntry
from memories.models.stores import MemoryStore


class StoreSeen(models.Model):
    """Everything of the store up to ``seq`` counts as seen by the person, who said so at ``seen_at``.

    Until then it was up to ``before``, as ``before_at`` says since when: taking the mark back goes there again.
    """

    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    seen_at = models.DateTimeField(null=True, blank=True)
    before = models.PositiveBigIntegerField(null=True, blank=True)
    before_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("store", "user"), name="store_seen_once")]

    def __str__(self) -> str:
        return f"{self.user} saw {self.store} up to {self.seq}"


class FileSeen(models.Model):
    """The newest version of a file that the person has seen since, and the one ``before``, 0 for none."""

    entry = models.ForeignKey(MemoryEntry, on_delete=models.CASCADE, related_name="seen_by")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveBigIntegerField()
    before = models.PositiveBigIntegerField(null=True, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("entry", "user"), name="file_seen_once")]

    def __str__(self) -> str:
        return f"{self.user} saw version {self.version} of {self.entry}"
