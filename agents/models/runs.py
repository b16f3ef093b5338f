"""A conversation: driven here to its end, or led elsewhere and known by its calls. The rows are the only state."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from agents.models.agents import Agent
from agents.models.fields import BlocksField


class RunState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    FAILED = "failed"
    OUTSIDE = "outside"


LIVE_STATES = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING)


class Run(models.Model):
    """One conversation; it keeps the settings it started with.

    One that is led elsewhere, under ``session``, has no messages here, only the calls that came; no worker drives it.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField(help_text="counts the agent's runs from 1")
    title = models.CharField(max_length=200)
    started_by = models.CharField(max_length=255)
    started_by_id = models.BigIntegerField(null=True, blank=True)
    session = models.CharField(max_length=255, null=True, blank=True, help_text="how a run outside calls itself")  # noqa: DJ001  (NULL: runs here have none, and an outside one may have an empty one)
    settings = models.JSONField(help_text="the agent's model, prompt, budgets and context rules at the start")

    state = models.CharField(max_length=9, choices=RunState.choices, default=RunState.QUEUED)
    reason = models.CharField(max_length=60, blank=True, help_text="code of why it stopped, failed or waits")
    detail = models.CharField(max_length=1000, blank=True, help_text="the same in words, with what to do next")
    wake_at = models.DateTimeField(null=True, blank=True, help_text="a waiting run is retried then")
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancelled_by = models.CharField(max_length=255, blank=True)

    lease_owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    lease_epoch = models.PositiveIntegerField(default=0, help_text="the fencing number")
    attempts = models.PositiveIntegerField(default=0, help_text="tries since the last new answer or tool call")

    last_seq = models.PositiveIntegerField(default=0, help_text="of its messages")
    last_event = models.PositiveBigIntegerField(default=0, help_text="of its live events")
    turns = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cache_read_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_tokens = models.PositiveBigIntegerField(default=0)
    active_seconds = models.FloatField(default=0, help_text="time driven by a worker, waits left out")

    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("agent", "number"), name="run_number_once"),
            models.UniqueConstraint(fields=("agent", "session"), name="run_session_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=("state", "lease_until"), condition=Q(state__in=LIVE_STATES), name="run_live"),
            models.Index(fields=("-created_at",), name="run_newest"),
            models.Index(fields=("agent", "-created_at"), name="run_agent_newest"),
        ]

    def __str__(self) -> str:
        return f"Run {self.number}, {self.title}"

    @property
    def tokens(self) -> int:
        """Return how many tokens of any kind it has used so far."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def is_live(self) -> bool:
        """Return whether it has not ended: queued, running, or waiting for a retry."""
        return self.state in LIVE_STATES

    @property
    def is_outside(self) -> bool:
        """Return whether it is led elsewhere, and known here by its calls alone."""
        return self.state == RunState.OUTSIDE

    @property
    def may_go_on(self) -> bool:
        """Return whether more may come of it by itself: it is live, or led elsewhere, where none here sees its end."""
        return self.is_live or self.is_outside


class Message(models.Model):
    """One stored message, never changed and always sendable."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="messages")
    seq = models.PositiveIntegerField()
    role = models.CharField(max_length=9)
    content = BlocksField(help_text="content blocks as the API takes them")
    marks = models.JSONField(default=list, help_text="per block of a person's message: its name and trust")
    author = models.CharField(max_length=255, blank=True)
    turn = models.PositiveIntegerField(default=0, help_text="turn of an answer; of results, the turn they answer")
    stop_reason = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=200, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    usage = BlocksField(default=dict, help_text="tokens as the API counted them")
    applied_edits = BlocksField(default=list, help_text="what the API left out of the context it read")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        constraints: ClassVar = [models.UniqueConstraint(fields=("run", "seq"), name="message_seq_once")]

    def __str__(self) -> str:
        return f"{self.role} message {self.seq}"


class PendingMessage(models.Model):
    """A person's message that waits until the agent is free; it has no seq until then."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="pending")
    content = BlocksField()
    marks = models.JSONField(default=list)
    author = models.CharField(max_length=255)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"pending message {self.pk}"


class ToolCall(models.Model):
    """One use of the tool, stored in the transaction that applied it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="tool_calls")
    tool_use_id = models.CharField(max_length=255)
    turn = models.PositiveIntegerField()
    position = models.PositiveIntegerField(help_text="place among the content blocks of its answer")
    name = models.CharField(max_length=200)
    input = BlocksField()
    content = BlocksField(help_text="the result: a text or content blocks")
    is_error = models.BooleanField()
    path = models.CharField(max_length=1024, blank=True)
    first_seq = models.PositiveBigIntegerField(null=True, help_text="range of the store's seq it made")
    last_seq = models.PositiveBigIntegerField(null=True)
    milliseconds = models.FloatField(default=0)
    cause = models.CharField(max_length=2000, blank=True, help_text="what made an agent elsewhere act, in its words")
    external = BlocksField(default=list, help_text="what an agent elsewhere says it had read from outside")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("turn", "position")
        constraints: ClassVar = [models.UniqueConstraint(fields=("run", "tool_use_id"), name="tool_call_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.tool_use_id}"


class Attempt(models.Model):
    """One request that gave no stored answer, so that retries can be seen."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="failed_attempts")
    turn = models.PositiveIntegerField()
    cause = models.CharField(max_length=500)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    partial_text = models.TextField(blank=True, help_text="what had streamed; for the eye only, never sent")
    retry_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"turn {self.turn}: {self.cause}"


class RunEvent(models.Model):
    """A live event; streamed chunks are pruned once the whole answer is stored."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20)
    data = BlocksField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        constraints: ClassVar = [models.UniqueConstraint(fields=("run", "seq"), name="run_event_seq_once")]

    def __str__(self) -> str:
        return f"event {self.seq}, {self.kind}"
