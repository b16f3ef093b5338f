"""What people say about files, beside the text that agents see."""

from typing import ClassVar

from django.db import models

from memories.models.entries import MemoryEntry
from memories.models.fields import LastingId, PathField
from memories.models.stores import MemoryStore
from memories.text import LABEL, NOTE


class FileLabel(models.Model):
    """A label of a file, found by the label in a store or in many; it stays through renames and in the trash."""

    id = LastingId(primary_key=True)
    # Directories go with each change that empties them, which need not look here: they have no label.
    store = models.ForeignKey(
        MemoryStore, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    entry = models.ForeignKey(
        MemoryEntry, on_delete=models.DO_NOTHING, related_name="label_rows", db_constraint=False, db_index=False
    )
    label = PathField(max_length=LABEL)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("entry", "label"), name="label_once")]
        indexes: ClassVar = [
            models.Index(fields=("label", "store", "entry"), name="label_in_stores"),
            models.Index(fields=("store", "label"), name="label_of_store"),
        ]

    def __str__(self) -> str:
        return self.label


class FileNote(models.Model):
    """The note that people keep on a file."""

    entry = models.OneToOneField(
        MemoryEntry, primary_key=True, on_delete=models.DO_NOTHING, related_name="note_row", db_constraint=False
    )
    text = models.TextField(max_length=NOTE)
    written_by = models.CharField(max_length=255)
    written_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"note on {self.entry_id}"
