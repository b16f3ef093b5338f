"""The record: who changed what, in which act, and who read what. Rows are added, never edited (redaction aside)."""

import uuid
from typing import Any, ClassVar, NamedTuple

from django.db import models
from django.db.models import F
from django.db.models.functions import Coalesce

from memories.models.entries import Blob, MemoryEntry
from memories.models.fields import LastingId, PathField
from memories.models.stores import MemoryStore

# The record outlives what it describes, so nothing in the database ties it down; its own indexes serve instead.
OUTLIVES: dict[str, Any] = {"on_delete": models.DO_NOTHING, "db_constraint": False, "db_index": False}


class Operation(models.TextChoices):
    CREATED = "created"
    MODIFIED = "modified"
    RENAMED = "renamed"
    DELETED = "deleted"
    RESTORED = "restored"
    PURGED = "purged"


class ReviewState(models.TextChoices):
    UNREVIEWED = "unreviewed"
    REVIEWED = "reviewed"
    REJECTED = "rejected"


class Author(models.Model):
    """Who acted, kept as text beside ids without foreign keys: the record outlives users, agents and tokens."""

    actor_kind = models.CharField(max_length=8)
    actor_label = models.CharField(max_length=255)
    user_id = models.BigIntegerField(null=True, blank=True)
    agent_id = models.BigIntegerField(null=True, blank=True)
    run_id = models.UUIDField(null=True, blank=True)
    token_id = models.BigIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


class Marked(NamedTuple):
    """A mark that an act set: on which file, or on the store (None), what it was before and what it became."""

    entry_id: int | None
    name: str
    before: Any
    after: Any


class ChangeSetQuerySet(models.QuerySet["ChangeSet"]):
    """Questions about acts."""

    def with_moment(self) -> "models.QuerySet[Any]":
        """Give each act ``moment``: when it was really done, by which lists of acts are in order."""
        return self.annotate(moment=Coalesce("authored_at", "recorded_at"))


class ChangeSet(Author):
    """What one act did (a run, a bulk action, an import, a change of settings), which can be undone as one.

    An act on settings belongs to no store where what it set does not, such as prices.
    """

    id = LastingId(primary_key=True)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    store = models.ForeignKey(MemoryStore, null=True, related_name="change_sets", **OUTLIVES)
    key = models.CharField(max_length=120, null=True, help_text='what groups later acts into it, such as "run:<uuid>"')  # noqa: DJ001  (NULL: shared by none, and many may have none)
    reason = models.CharField(max_length=1024, blank=True)
    marks = models.JSONField(
        default=list,
        help_text="marks it set: [id of the file, or null for the store, name, value before, value after]; older rows"
        " have no value before, and what they set was on or off",
    )
    settings = models.JSONField(
        null=True,
        blank=True,
        help_text="settings it changed: [kind, key, field, before, after, name of the thing then]; the values are for"
        " those alone who may set them",
    )
    first_seq = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="the store's seq of its first version; the others come later"
    )
    undoes = models.UUIDField(null=True, blank=True, help_text="the change set that this one took back")
    authored_at = models.DateTimeField(
        null=True, blank=True, help_text="when it was really done, where demo data say so"
    )
    recorded_at = models.DateTimeField()

    objects = ChangeSetQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("store", "key"), name="change_set_key_once")]
        indexes: ClassVar = [
            # One entry for each act, which lists of acts follow; the acts of one store are few enough to be sorted.
            models.Index(Coalesce("authored_at", "recorded_at").desc(), F("id").desc(), name="change_set_moment"),
            models.Index(fields=("undoes",), condition=models.Q(undoes__isnull=False), name="change_set_undoes"),
        ]

    def __str__(self) -> str:
        return self.key or str(self.uuid)

    @property
    def marked(self) -> list[Marked]:
        """The marks it set, in order."""
        rows: list[list[Any]] = self.marks
        return [Marked(*row) if len(row) > 3 else Marked(row[0], row[1], not row[2], row[2]) for row in rows]

    @property
    def memory(self) -> MemoryStore:
        """Return the store; acts on files and marks always have one."""
        assert self.store
        return self.store

    @property
    def memory_id(self) -> int:
        """Return the id of the store of an act on files or marks."""
        assert self.store_id
        return self.store_id


class MemoryVersion(Author):
    """One change of one file, known outside by the file's UUID and its number."""

    id = LastingId(primary_key=True)
    store = models.ForeignKey(MemoryStore, related_name="versions", **OUTLIVES)
    entry = models.ForeignKey(MemoryEntry, related_name="versions", **OUTLIVES)
    number = models.PositiveBigIntegerField(help_text="counts the versions of its file from 1")
    seq = models.PositiveBigIntegerField(help_text="counts the changes of its store from 1")
    operation = models.CharField(max_length=8, choices=Operation.choices)
    path = PathField(max_length=1024)
    moved_from = PathField(max_length=1024, blank=True)
    blob = models.ForeignKey(Blob, null=True, related_name="+", **OUTLIVES)
    sha256 = models.CharField(max_length=64, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    lines = models.PositiveBigIntegerField(default=0)
    spans = models.JSONField(
        default=list,
        help_text="hunks it replaced: [old start, old count, new start, new count], lines from 0; where lines of the "
        "origin came back, also the first of them there",
    )
    origin = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="number of the version that a restore brought back"
    )
    summary = models.CharField(max_length=80, blank=True)
    note = models.CharField(max_length=1024, blank=True, help_text="a person's words, shown in place of the summary")
    change_set = models.ForeignKey(ChangeSet, related_name="versions", **OUTLIVES)
    turn = models.PositiveIntegerField(null=True, blank=True)
    tool_use_id = models.CharField(max_length=255, blank=True)
    review_state = models.CharField(max_length=10, choices=ReviewState.choices, default=ReviewState.UNREVIEWED)
    authored_at = models.DateTimeField(help_text="when it was written; imports and demo data may say so")
    recorded_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True, blank=True)
    redacted_by = models.CharField(max_length=255, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("entry", "number"), name="version_number_once"),
            models.UniqueConstraint(fields=("store", "seq"), name="version_seq_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=("run_id", "seq"), name="version_run", condition=models.Q(run_id__isnull=False)),
            models.Index(
                fields=("agent_id", "authored_at"), name="version_agent", condition=models.Q(agent_id__isnull=False)
            ),
            # Only renames write to it; a file that was deleted is found among the entries by its path.
            models.Index(
                fields=("store", "moved_from", "seq"), name="version_moved", condition=models.Q(moved_from__gt="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path}, version {self.number}"


class ReadEvent(models.Model):
    """Which agent's run or token viewed which version, and when; a listing names the store's seq instead of a file."""

    id = LastingId(primary_key=True)
    store = models.ForeignKey(MemoryStore, related_name="reads", **OUTLIVES)
    entry = models.ForeignKey(MemoryEntry, null=True, related_name="reads", **OUTLIVES)
    path = PathField(max_length=1024)
    version = models.PositiveBigIntegerField(null=True, blank=True, help_text="number of the version that was shown")
    seq = models.PositiveBigIntegerField(help_text="the store's seq at that moment")
    first_line = models.PositiveBigIntegerField(null=True, blank=True, help_text="from 1; empty for a whole view")
    last_line = models.PositiveBigIntegerField(null=True, blank=True)
    actor_kind = models.CharField(max_length=8)
    actor_label = models.CharField(max_length=255)
    agent_id = models.BigIntegerField(null=True, blank=True)
    run_id = models.UUIDField(null=True, blank=True)
    token_id = models.BigIntegerField(null=True, blank=True)
    turn = models.PositiveIntegerField(null=True, blank=True)
    tool_use_id = models.CharField(max_length=255, blank=True)
    read_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=("entry", "read_at"), name="read_entry"),
            models.Index(fields=("run_id",), name="read_run", condition=models.Q(run_id__isnull=False)),
            models.Index(fields=("agent_id", "read_at"), name="read_agent", condition=models.Q(agent_id__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.actor_label} read {self.path}"


class Receipt(models.Model):
    """The answer to a call under a dedupe key, so that a redelivered call repeats nothing."""

    id = LastingId(primary_key=True)
    store = models.ForeignKey(MemoryStore, related_name="receipts", **OUTLIVES)
    key = models.CharField(max_length=255)
    input_sha256 = models.CharField(max_length=64)
    content = models.JSONField()
    is_error = models.BooleanField()
    first_seq = models.PositiveBigIntegerField(null=True, help_text="range of seq it made; empty for none")
    last_seq = models.PositiveBigIntegerField(null=True)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("store", "key"), name="receipt_once")]

    def __str__(self) -> str:
        return self.key
