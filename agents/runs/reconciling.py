"""Finding runs that have work and nobody at it."""

from django.utils import timezone

from agents.models import Run
from agents.runs import hints
from agents.runs.lease import takeable


def reconcile() -> int:
    """Hint again at the runs that are queued, due for a retry, or whose lease lapsed; return how many that were.

    While the broker holds a hint for each of them, as it does when all workers are busy, it is told nothing new: else
    its queue would grow with every call.
    """
    idle = list(Run.objects.filter(takeable(timezone.now())).order_by("updated_at").values_list("pk", flat=True))
    waiting = hints.waiting() if idle else None
    if waiting is not None and waiting >= len(idle):
        return 0
    for run_id in idle:
        hints.send(run_id)
    return len(idle)
