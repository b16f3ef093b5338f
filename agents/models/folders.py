"""Folders whose files become versions."""

from typing import ClassVar

from django.db import models

from agents.models.agents import Agent
from memories.models.fields import PathField


class Layout(models.TextChoices):
    """Where the files of a folder lie; not known as long as there is none."""

    UNKNOWN = ""
    MEMORIES = "memories", "below its directory memories, as the SDK's tool lays them"
    PLAIN = "plain", "in the folder itself"


class WatchedFolder(models.Model):
    """A folder on this machine that an agent's program writes; what changes in it is taken into the agent's store."""

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="folder")
    path = models.CharField(max_length=4096)
    layout = models.CharField(max_length=8, choices=Layout, default=Layout.UNKNOWN, blank=True)
    root = models.CharField(
        max_length=41,
        default="",
        blank=True,
        help_text="the directory in which its files were last seen, by device and inode",
    )
    in_background = models.BooleanField(
        default=True, help_text="followed by the process that serves pages, and not by memdash watch alone"
    )
    added_by = models.CharField(max_length=255)
    added_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="when it was last found in order")
    problem = models.CharField(max_length=1000, blank=True, help_text="why it is not followed just now, in words")
    problem_since = models.DateTimeField(null=True, blank=True)
    claim = models.CharField(max_length=160, blank=True, help_text="the one process that follows it")
    claimed_until = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True, help_text="when what is missing was said to be deleted")
    accepted_by = models.CharField(max_length=255, blank=True)
    waiting = models.JSONField(default=list, help_text="files that could not be taken, the first of them: name, why")
    waiting_count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.path


class FolderFile(models.Model):
    """A file as the folder held it when it was last in step with the store, whatever the store has made of it since.

    Written in the transaction that took it, so that a file on disk that differs from it has changed, and one that does
    not has not, also for a process that starts after another was killed.
    """

    folder = models.ForeignKey(WatchedFolder, on_delete=models.CASCADE, related_name="files")
    path = PathField(max_length=1024)
    sha256 = models.CharField(max_length=64)
    inode = models.CharField(max_length=20)
    missing_since = models.DateTimeField(
        null=True, blank=True, help_text="gone with too many others at once to be taken for deleted"
    )

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("folder", "path"), name="folder_file_once")]

    def __str__(self) -> str:
        return self.path
