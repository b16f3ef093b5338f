"""Periodic jobs, each done once a slot however many schedulers ask for it."""

from typing import ClassVar

from django.db import models


class JobSlot(models.Model):
    """A slot of time of a periodic job that some worker has claimed."""

    job = models.CharField(max_length=60)
    slot = models.PositiveBigIntegerField(help_text="seconds since 1970 divided by the job's interval")
    claimed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=("job", "slot"), name="job_slot_once")]

    def __str__(self) -> str:
        return f"{self.job}, slot {self.slot}"
