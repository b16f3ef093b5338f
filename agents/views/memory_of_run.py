"""The memory that a run met and left behind, as moments of its store."""

from dataclasses import dataclass

from django.db.models import Max, Min

from agents.models import Run
from memories.models import MemoryVersion, ReadEvent
from memories.paths import ROOT
from memories.views import addresses


@dataclass(frozen=True, slots=True)
class MemoryOfRun:
    """Pages of the store as it was: ``before`` the run first read or changed it, and ``after`` its last change."""

    before: str = ""
    after: str = ""


def memory_of(run: Run) -> MemoryOfRun:
    """Return where the memory stands that the run met, and the one it left; empty where it did neither. Two queries."""
    made = MemoryVersion.objects.filter(run_id=run.uuid).aggregate(first=Min("seq"), last=Max("seq"))
    read = ReadEvent.objects.filter(run_id=run.uuid).aggregate(first=Min("seq"))["first"]
    met = [seq for seq in (made["first"] - 1 if made["first"] else None, read) if seq is not None]
    slug = run.agent.store.slug
    return MemoryOfRun(
        addresses.time(slug, ROOT, at=min(met)) if met else "",
        addresses.time(slug, ROOT, at=made["last"]) if made["last"] else "",
    )
