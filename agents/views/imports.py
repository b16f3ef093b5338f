"""Importing a directory of the server, first as a rehearsal."""

from collections import Counter
from pathlib import Path
from typing import Final

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from agents.forms import FolderForm
from agents.importing import agent_to_fill, fill
from agents.making import NameUnclear
from agents.models import Agent
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.transfer.incoming import Fate, Report
from memories.transfer.manifest import ManifestRefused
from memories.transfer.opening import NoSource
from memories.transfer.source import Source

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
            agent, reports = _imported(request, form, dry_run=not is_done)
        except (NoSource, ManifestRefused, NameUnclear, OSError) as refusal:
            form.add_error("agent" if isinstance(refusal, NameUnclear) else "folder", str(refusal))
        else:
            counts = Counter(report.fate for report in reports)
            context |= {
                "has_plan": True,
                "agent": agent,
                "counts": [(fate.capitalize(), counts[fate]) for fate in Fate],
                "taken": counts[Fate.TAKEN],
                "reports": sorted(reports, key=lambda report: report.fate != Fate.SKIPPED)[:SHOWN],
                "left_out": max(0, len(reports) - SHOWN),
            }
    return render_page(request, "agents/import.html", context, status=422 if form.errors else 200)


def _imported(request: UserRequest, form: FolderForm, *, dry_run: bool) -> tuple[Agent, list[Report]]:
    folder = Path(form.cleaned_data["folder"])
    with Source.named(folder) as source:
        agent = agent_to_fill(form.cleaned_data["agent"], dry_run=dry_run)
        reports = fill(agent, source, reason=f"import of {folder.name}", user=request.user, dry_run=dry_run)
        return agent, list(reports)
