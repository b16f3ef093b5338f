"""The page of one run, its news, and what may be taken from it."""

from time import time_ns
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from agents.access import may_run, run_for
from agents.views import outside
from agents.views.calls import asked, pretty, result_text
from agents.views.exports import as_json
from agents.views.transcript import window
from agents.views.updates import since, surroundings
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.models import ChangeSet
from memories.views.numbers import number_in

POLLING_ENDS = 286
"""The status by which htmx, and our script, know that asking again is of no use."""


@require_GET
def run(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Show a conversation and what came of it; ``?until=`` names the last turn of an earlier page.

    Of a run that is led elsewhere it names the last call, and ``?turn=`` a turn to begin with.
    """
    found = run_for(request.user, uuid)
    until = number_in(request, "until")
    context: dict[str, Any] = {
        "title": f"{found.title} · {found.agent.name}",
        "run": found,
        # A browser that is here already does not ask again for the same address with another place in it.
        "asked_at": time_ns(),
        "window": outside.window(found, until, number_in(request, "turn"))
        if found.is_outside
        else window(found, until),
        **surroundings(found, may_run(request.user, found.agent)),
    }
    return render_page(request, "agents/run.html", context)


@require_GET
def log(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Answer with what happened after event ``?since=``: 204 when nothing did, 286 when nothing more will."""
    found = run_for(request.user, uuid)
    update = since(found.pk, number_in(request, "since") or 0, may_run(request.user, found.agent))
    if update is None:
        return HttpResponse(status=204 if found.may_go_on else POLLING_ENDS)
    return HttpResponse(update.html, status=POLLING_ENDS if update.over else 200)


@require_GET
def call(request: UserRequest, uuid: UUID, turn: int, position: int) -> HttpResponse:
    """Show one tool call whole: what was asked and what was answered."""
    found = run_for(request.user, uuid)
    made = found.tool_calls.filter(turn=turn, position=position).first()
    if made is None:
        raise Http404("There is no such tool call in this run.")
    verb, path = asked(made.input, made.name)
    context = {
        "title": f"{verb} {path} · {found.title}",
        "run": found,
        "call": made,
        "verb": verb,
        "path": path,
        "asked": pretty(made.input),
        "result": result_text(made.content),
    }
    return render_page(request, "agents/call.html", context)


@require_GET
def undo(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Lead to the page that takes back what the run changed; Http404 when it changed nothing."""
    found = run_for(request.user, uuid)
    changes = ChangeSet.objects.filter(store=found.agent.store_id, key=f"run:{found.uuid}").first()
    if changes is None:
        raise Http404("The run changed no file.")
    return redirect(f"{reverse('memories:undo-act', args=[changes.uuid])}?next={reverse('agents:run', args=[uuid])}")


@require_GET
def download(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Give the run as JSON: its settings, messages, tool calls and failed tries, as they are stored."""
    found = run_for(request.user, uuid)
    response = JsonResponse(as_json(found), json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{found.agent.slug}-run-{found.number}.json"'
    return response
