"""Stores: one memory tree each."""

import uuid

from django.db import models

FILE_BYTES = 1024 * 1024
STORE_FILES = 10_000
STORE_BYTES = 100 * 1024 * 1024


class MemoryStore(models.Model):
    """One memory tree with its limits and its stored counters; it knows no agent."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=255)
    description = models.CharField(max_length=1024, blank=True)
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True, help_text="since when it is gone, its making undone")

    max_file_bytes = models.PositiveBigIntegerField(default=FILE_BYTES)
    max_files = models.PositiveBigIntegerField(default=STORE_FILES)
    max_bytes = models.PositiveBigIntegerField(default=STORE_BYTES)
    create_overwrites = models.BooleanField(default=False)

    paused_at = models.DateTimeField(null=True, blank=True, help_text="since when agents may read but not write")
    paused_by = models.CharField(max_length=255, blank=True)

    unseen_since = models.DateTimeField(
        null=True, blank=True, help_text="since when an agent may read it where no read can be seen"
    )

    seq = models.PositiveBigIntegerField(default=0)
    file_count = models.PositiveBigIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    last_activity_at = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField(
        null=True, blank=True, help_text="of its newest version; never goes back, whatever the clock does"
    )

    class Meta:
        ordering = ("name", "id")

    def __str__(self) -> str:
        return self.name
