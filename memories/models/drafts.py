"""Edits that are not saved yet; kept here, since memory text never goes into a browser's storage."""

from django.conf import settings
from django.db import models

from memories.models.entries import MemoryEntry
from memories.models.fields import PathField
from memories.models.stores import MemoryStore


class Draft(models.Model):
    """A person's unsaved text of a file, or of one that is to be made at ``path``, with the version it began from."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="drafts")
    entry = models.ForeignKey(MemoryEntry, null=True, on_delete=models.CASCADE, related_name="drafts")
    path = PathField(max_length=1024, blank=True)
    text = models.TextField(blank=True)
    base_version = models.PositiveBigIntegerField(default=0)
    base_sha256 = models.CharField(max_length=64, blank=True)
    discarded_at = models.DateTimeField(null=True, blank=True, help_text="kept for seven days from then")
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user}'s draft of {self.path}"

    @property
    def mark(self) -> str:
        """What an editor knows the draft by; each save changes it, so that nobody replaces a text without having it."""
        return f"{self.pk}@{self.saved_at.isoformat()}"
