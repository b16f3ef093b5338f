"""Folders whose files become versions."""

from django.db import models

from agents.models.agents import Agent


class WatchedFolder(models.Model):
    """A folder on this machine that an agent's program writes; what changes in it is taken into the agent's store."""

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="folder")
    path = models.CharField(max_length=4096)
    added_by = models.CharField(max_length=255)
    added_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="when it was last found in order")
    problem = models.CharField(max_length=1000, blank=True, help_text="why it is not followed just now, in words")
    problem_since = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.path
