"""Paths of a store and the bytes behind them."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from memories.models.fields import LastingId, PathField
from memories.models.stores import MemoryStore
from memories.paths import MemoryPath


class Kind(models.TextChoices):
    FILE = "file"
    DIRECTORY = "directory"


class State(models.TextChoices):
    LIVE = "live"
    TRASH = "trash"
    QUARANTINED = "quarantined"
    PURGED = "purged"


class Media(models.TextChoices):
    """What a file holds, decided by its content and never by its name."""

    TEXT = "text/plain"
    PNG = "image/png"
    JPEG = "image/jpeg"


class Encoding(models.TextChoices):
    RAW = "raw"
    ZSTD = "zstd"


class Blob(models.Model):
    """Bytes of a store, kept once by their SHA-256."""

    id = LastingId(primary_key=True)
    store = models.ForeignKey(MemoryStore, on_delete=models.DO_NOTHING, related_name="blobs", db_index=False)
    sha256 = models.CharField(max_length=64)
    encoding = models.CharField(max_length=8, choices=Encoding.choices)
    size = models.PositiveBigIntegerField(help_text="bytes before compression")
    data = models.BinaryField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("store", "sha256"), name="blob_once_per_store")]

    def __str__(self) -> str:
        return self.sha256


class EntryQuerySet(models.QuerySet["MemoryEntry"]):
    """Questions about paths."""

    def live(self) -> "EntryQuerySet":
        """Return what agents find in a store: neither in the trash nor quarantined."""
        return self.filter(state=State.LIVE)

    def at(self, *paths: MemoryPath) -> "EntryQuerySet":
        """Return what lives at these paths of a store, found by its index."""
        depths = {path.depth for path in paths}
        return self.live().filter(depth__in=depths, path__in=[path.text for path in paths])

    def files(self) -> "EntryQuerySet":
        """Return files, without the directories they lie in."""
        return self.filter(kind=Kind.FILE)


class MemoryEntry(models.Model):
    """One path: a file, which keeps its identity through renames, or a directory with its subtree's sums."""

    # A directory's id may come again: nothing names it, and files are never taken away one by one.
    id = LastingId(primary_key=True)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    store = models.ForeignKey(MemoryStore, on_delete=models.DO_NOTHING, related_name="entries", db_index=False)
    path = PathField(max_length=1024)
    depth = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    state = models.CharField(max_length=11, choices=State.choices, default=State.LIVE)
    media = models.CharField(max_length=10, choices=Media.choices, default=Media.TEXT)
    blob = models.ForeignKey(Blob, null=True, on_delete=models.DO_NOTHING, related_name="+", db_index=False)
    size = models.PositiveBigIntegerField(default=0, help_text="bytes; of a directory, of all live files below it")
    lines = models.PositiveBigIntegerField(default=0)
    file_count = models.PositiveBigIntegerField(default=0, help_text="live files below a directory")
    version = models.PositiveBigIntegerField(default=0, help_text="number of the newest version; 0 for a directory")
    changed_seq = models.PositiveBigIntegerField(default=0, help_text="the store's seq of the newest version")
    predecessor = models.UUIDField(null=True, blank=True, help_text="the deleted file that had this path before")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    accessed_at = models.DateTimeField(null=True, blank=True, help_text="an agent's last view of it")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    pinned = models.BooleanField(default=False)
    locked = models.BooleanField(default=False)
    labels = models.TextField(  # noqa: DJ001  (NULL: the tool's own statements need not name it)
        null=True,
        blank=True,
        editable=False,
        help_text="as FileLabel has them, a line each, so that lists need not ask",
    )

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            # The depth follows from the path. Before it, it makes the one index serve look-ups and levels alike.
            models.UniqueConstraint(
                fields=("store", "depth", "path"), condition=Q(state="live"), name="entry_live_path_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=("store", "path", "changed_seq"), condition=Q(state="trash"), name="entry_trash_path"),
            models.Index(
                fields=("store", "path", "changed_seq"), condition=Q(state="purged"), name="entry_purged_path"
            ),
            models.Index(
                fields=("store", "accessed_at"),
                condition=Q(state="live", accessed_at__isnull=False),
                name="entry_accessed",
            ),
            models.Index(fields=("expires_at",), condition=Q(expires_at__isnull=False), name="entry_expires"),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def label_list(self) -> tuple[str, ...]:
        """The labels that people gave the file, in order."""
        return tuple(self.labels.split("\n")) if self.labels else ()
