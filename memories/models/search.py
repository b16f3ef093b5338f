"""What of memory is indexed for search. The index is made of files and can be made again; nothing else rests on it.

The words themselves lie beside these rows in a form that each database has of its own (``memories.search``).
"""

from typing import Any, ClassVar

from django.db import models

from memories.models.entries import MemoryEntry, State
from memories.models.fields import PathField
from memories.models.stores import MemoryStore

# A file may go while its row here is still to be taken away.
FOLLOWS: dict[str, Any] = {"on_delete": models.DO_NOTHING, "db_constraint": False, "related_name": "+"}


class Indexed(models.Model):
    """How far the index of a store goes: every change up to ``seq`` is in it."""

    store = models.OneToOneField(
        MemoryStore, primary_key=True, db_constraint=False, on_delete=models.CASCADE, related_name="indexed"
    )
    seq = models.PositiveBigIntegerField(default=0)
    unclean_since = models.DateTimeField(
        null=True, blank=True, help_text="since when words may be left of text that was taken away"
    )

    def __str__(self) -> str:
        return f"{self.store_id} up to {self.seq}"


class Document(models.Model):
    """A file as it was indexed.

    Its id is made of its store, its state and the ``seq`` of its change: a store is a range of ids, the newest last.
    """

    id = models.BigIntegerField(primary_key=True)
    store = models.ForeignKey(MemoryStore, db_index=False, **FOLLOWS)
    entry = models.OneToOneField(MemoryEntry, **FOLLOWS)
    state = models.CharField(max_length=11, choices=State.choices)
    seq = models.PositiveBigIntegerField(help_text="the store's seq of the change it was indexed with")
    path = PathField(max_length=1024)
    actor_kind = models.CharField(max_length=8)
    actor_label = models.CharField(max_length=255)
    changed_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=("store", "-changed_at"), name="document_newest")]

    def __str__(self) -> str:
        return self.path
