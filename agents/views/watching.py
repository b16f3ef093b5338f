"""What the operator does about a folder that is followed for an agent."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from agents import folders
from agents.access import agent_for
from agents.connect_forms import AcceptDeletionsForm
from agents.models import Agent
from agents.views.recording import set_on
from memdash.web.requests import UserRequest
from memories.views.acts import undo_of_act


@require_POST
def unfollow(request: UserRequest, slug: str) -> HttpResponse:
    """Follow the agent's folder no longer; what was taken from it stays."""
    agent = _agent(request, slug)
    if act := set_on(request, agent, "folder", {"path": ""}):
        said = f"The folder of {agent.name} is followed no longer. Its files here stay."
        messages.success(request, said, extra_tags=undo_of_act(act))
    else:
        messages.info(request, f"No folder of {agent.name} was followed.")
    return redirect("agents:connection", slug=slug)


@require_POST
def accept_deletions(request: UserRequest, slug: str) -> HttpResponse:
    """Have what was missing from the agent's folder when the page was made deleted here too."""
    agent = _agent(request, slug)
    form = AcceptDeletionsForm(request.POST)
    if form.is_valid() and folders.accept_deletions(agent, request.user, form.cleaned_data["until"]):
        messages.success(request, "What was missing from the folder is deleted within seconds. It goes to the trash.")
    else:
        messages.info(request, "Nothing of that is missing from the folder any more.")
    return redirect("agents:connection", slug=slug)


def _agent(request: UserRequest, slug: str) -> Agent:
    """Return the agent; Http404 to whoever may not see it, PermissionDenied to all others but the operator."""
    agent = agent_for(request.user, slug)
    if not request.user.is_superuser:
        raise PermissionDenied("Folders of the server are followed for the operator.")
    return agent
