"""Which live runs have read a file that somebody edits."""

from uuid import UUID

from django.db.models import Max
from django.urls import reverse

from agents.access import runs_for
from agents.models import Run
from agents.models.runs import LIVE_STATES
from memdash.web import names
from memdash.web.requests import UserRequest
from memories.models import MemoryEntry, MemoryStore, ReadEvent
from memories.views.places import LiveRun

MOST = 5


def live_readers(request: UserRequest, store: MemoryStore, entry: MemoryEntry) -> list[LiveRun]:
    """Return the store's live runs that the person may see, those that read the file last first, five at most.

    One query, and another where runs are live.
    """
    runs = runs_for(request.user).filter(agent__store=store, state__in=LIVE_STATES).select_related("agent")
    live: dict[UUID, Run] = {run.uuid: run for run in runs.order_by("-created_at")}
    if not live:
        return []
    reads = ReadEvent.objects.filter(entry=entry, run_id__in=live)
    read_at = dict(reads.values_list("run_id").annotate(last=Max("read_at")))
    ordered = sorted(live.values(), key=lambda run: -(read_at[run.uuid].timestamp() if run.uuid in read_at else 0))
    return [
        LiveRun(
            f"{names.label(request, run.agent)}, run {run.number}",
            reverse("agents:run", args=[run.uuid]),
            read_at.get(run.uuid),
        )
        for run in ordered[:MOST]
    ]
