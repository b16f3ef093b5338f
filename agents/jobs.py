"""Periodic jobs: each slot of time is worked once, however many schedulers send for it."""

import time
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.models import JobSlot


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
