"""Periodic jobs: each slot of time is worked once, however many schedulers send for it."""

import time
from collections.abc import Callable

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.models import JobSlot

SILENT_ROUNDS = 4


def once_a_slot(job: str, seconds: float, work: Callable[[], object]) -> bool:
    """Do ``work`` unless somebody has claimed the job's present slot of ``seconds``; return whether it was done."""
    slot = int(time.time() // seconds)
    try:
        with transaction.atomic():
            JobSlot.objects.create(job=job, slot=slot, claimed_at=timezone.now())
            JobSlot.objects.filter(job=job, slot__lt=slot).delete()
    except IntegrityError:
        return False
    work()
    return True


def silent_for() -> float | None:
    """Return the seconds since a worker last claimed a slot, or None when none ever has."""
    newest = JobSlot.objects.order_by("-claimed_at").values_list("claimed_at", flat=True).first()
    return (timezone.now() - newest).total_seconds() if newest else None


def is_at_work(silent: float | None) -> bool:
    """Say whether a worker that has been silent for so many seconds is taken to be at work."""
    return silent is not None and silent <= SILENT_ROUNDS * settings.MEMDASH_RECONCILE_SECONDS
