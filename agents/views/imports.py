"""Importing a directory of the server, first as a rehearsal."""

import uuid
from collections import Counter
from pathlib import Path
from typing import Final

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from agents.forms import FolderForm
from agents.making import NameUnclear, agent_named, create_agent
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.actors import Actor, ActorKind
from memories.models import MemoryStore
from memories.transfer.incoming import Fate, Report, bring_in
from memories.transfer.manifest import ManifestRefused
from memories.transfer.source import NoSource, Source

SHOWN: Final = 200
"""How many files a page lists; the counts are of all."""


@require_http_methods(["GET", "POST"])
def import_folder(request: UserRequest) -> HttpResponse:
    """Show what importing a directory would do, or do it: sent again it changes nothing, so it needs no redirect."""
    if not request.user.is_superuser:
        raise PermissionDenied("Directories of the server are imported by the operator.")
    form = FolderForm(request.POST or None)
    is_done = request.POST.get("act") == "import"
    context: dict[str, object] = {"title": "Import a folder", "form": form, "is_done": is_done, "has_plan": False}
    if request.method == "POST" and form.is_valid():
        try:
            store, reports = _imported(request, form, dry_run=not is_done)
        except (NoSource, ManifestRefused, NameUnclear, OSError) as refusal:
            form.add_error("folder", str(refusal))
        else:
            counts = Counter(report.fate for report in reports)
            context |= {
                "has_plan": True,
                "store": store,
                "counts": [(fate.capitalize(), counts[fate]) for fate in Fate],
                "taken": counts[Fate.TAKEN],
                "reports": sorted(reports, key=lambda report: report.fate != Fate.SKIPPED)[:SHOWN],
                "left_out": max(0, len(reports) - SHOWN),
            }
    return render_page(request, "agents/import.html", context, status=422 if form.errors else 200)


def _imported(request: UserRequest, form: FolderForm, *, dry_run: bool) -> tuple[MemoryStore, list[Report]]:
    folder, name = Path(form.cleaned_data["folder"]), form.cleaned_data["agent"]
    source = Source(folder)
    actor = Actor(
        ActorKind.IMPORT,
        request.user.get_username(),
        user_id=request.user.pk,
        change_set=f"import:{uuid.uuid4()}",
        reason=f"import of {folder.name}"[:1024],
    )
    store = _store_of(name, dry_run=dry_run)
    return store, list(bring_in(store, source, actor=actor, dry_run=dry_run))


def _store_of(name: str, *, dry_run: bool) -> MemoryStore:
    """Return the store of the agent of this name; one that is not there yet is made, but not in a rehearsal."""
    if agent := agent_named(name):
        return agent.store
    return MemoryStore(name=name) if dry_run else create_agent(name=name).store
