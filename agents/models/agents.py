"""Who uses a store through the memory tool."""

import uuid
from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models

from memories.models import MemoryStore

DEFAULT_MODEL = "claude-opus-5-5"


class Place(models.TextChoices):
    """Where an agent runs: in our worker, or elsewhere with its own program."""

    HERE = "here", "Runs here"
    API = "api", "Elsewhere, API"
    FOLDER = "folder", "A folder"


class Agent(models.Model):
    """A model with a system prompt, budgets and a store; its settings count from the next run."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=255)
    place = models.CharField(max_length=6, choices=Place.choices, default=Place.HERE)
    store = models.ForeignKey(MemoryStore, on_delete=models.PROTECT, related_name="agents")
    model = models.CharField(max_length=200, default=DEFAULT_MODEL)
    system_prompt = models.TextField(blank=True)
    max_output_tokens = models.PositiveIntegerField(
        default=8192, validators=[MinValueValidator(1)], help_text="of one turn"
    )
    max_turns = models.PositiveIntegerField(null=True, blank=True, default=40)
    max_run_output_tokens = models.PositiveIntegerField(null=True, blank=True, default=100_000)
    max_minutes = models.PositiveIntegerField(null=True, blank=True, default=60)
    max_cost = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True, help_text="US dollars")
    context_editing = models.BooleanField(default=True)
    context_trigger = models.PositiveIntegerField(default=100_000, help_text="input tokens")
    context_keep = models.PositiveIntegerField(default=3, help_text="tool calls")
    compaction = models.BooleanField(default=False)
    compaction_trigger = models.PositiveIntegerField(
        default=150_000, validators=[MinValueValidator(50_000)], help_text="input tokens"
    )
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)
    last_run_number = models.PositiveIntegerField(default=0, help_text="numbers the agent's runs from 1")

    class Meta:
        ordering = ("name", "id")
        indexes: ClassVar = [models.Index(fields=("store",), name="agent_store")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_scripted(self) -> bool:
        """Return whether its answers come from the scripted demo model and not from Claude."""
        return self.model.startswith("demo/")
