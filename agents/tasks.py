"""Doors for the worker. A message may come twice, late, or for a run that is over; all of that is normal."""

from celery import shared_task
from django.conf import settings

from agents import jobs, runs


@shared_task(name="agents.drive_run")
def drive_run(run_id: int) -> None:
    """Drive the run as far as it goes now; without work in it, or while another worker holds it, nothing happens."""
    runs.drive(run_id)


@shared_task(name="agents.reconcile_runs")
def reconcile_runs() -> None:
    """Hint again at runs that nobody works on; a second scheduler's message in the same slot changes nothing."""
    jobs.once_a_slot("reconcile-runs", settings.MEMDASH_RECONCILE_SECONDS, runs.reconcile)
