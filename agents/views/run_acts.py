"""What people do with runs: begin one, say more or take that back, end it, let it go on."""

import re
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents import runs
from agents.access import may_manage, may_run, run_for, runnable_by
from agents.demo.examples import EXAMPLES
from agents.forms import AgentChoice
from agents.models import Run
from agents.views import sending
from agents.views.composing import Composed
from memdash.web.hidden_text import beginning
from memdash.web.pages import render_page, wants_part
from memdash.web.requests import UserRequest
from memories.refusals import Refused

END = "#end"
"""The place on a run's page after its last entry."""

NUMBER: Final = re.compile(r"(?:[0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.[0-9]{1,6})?")
"""Commas part thousands: in “1,50” somebody may mean something else by one."""


@require_http_methods(["GET", "POST"])
def new_run(request: UserRequest) -> HttpResponse:
    """Show the form for the first message of a run, or begin the run; ``agent`` is the agent's slug."""
    agents = list(runnable_by(request.user).select_related("store").order_by("name", "pk"))
    slug = request.POST.get("agent") or request.GET.get("agent") or (agents[0].slug if len(agents) == 1 else "")
    agent = next((each for each in agents if each.slug == slug), None)
    composed = Composed(request)
    is_sent = request.method == "POST" and not composed.wants_room
    choice = AgentChoice(request.POST if is_sent else None, agents=agents)
    if is_sent and all((choice.is_valid(), composed.is_valid())) and agent:
        try:
            run = runs.start(agent, composed.text, attachments=composed.attachments, user=request.user)
        except Refused as refusal:
            composed.message.add_error("text", str(refusal))
        else:
            return redirect("agents:run", uuid=run.uuid)
    context = {
        "title": f"New run · {agent.name}" if agent else "New run",
        "agents": agents,
        "agent": agent,
        "choice": choice,
        "may_manage": agent is not None and may_manage(request.user, agent),
        "composed": composed,
        "action": reverse("agents:new-run"),
        "examples": EXAMPLES.get(agent.model, ()) if agent else (),
    }
    return render_page(request, "agents/compose.html", context, status=_status(request, composed))


@require_http_methods(["GET", "POST"])
def message(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Show the form for a further message, or send it: a busy agent gets it when it is free, an ended run goes on."""
    run = _actable(request, uuid)
    composed = Composed(request)
    if request.method == "POST" and not composed.wants_room and composed.is_valid():
        try:
            runs.send(run, composed.text, attachments=composed.attachments, user=request.user)
        except Refused as refusal:
            composed.message.add_error("text", str(refusal))
        else:
            return _done(request, run)
    context = {
        "title": f"Message · {run.title}",
        "run": run,
        "agent": run.agent,
        "choice": None,
        "sending": sending.of_one_sent_now(run, run.pending.count()),
        "composed": composed,
        "action": reverse("agents:message", args=[run.uuid]),
    }
    response = render_page(request, "agents/compose.html", context, status=_status(request, composed))
    if wants_part(request):
        # The composer below a conversation has room for words only; whatever needs more room gets the whole page.
        response["HX-Retarget"], response["HX-Reswap"], response["HX-Reselect"] = "#main", "outerHTML", "#main"
    return response


@require_POST
def withdraw(request: UserRequest, uuid: UUID, message_id: int) -> HttpResponse:
    """Take back a message that waits; the toast offers to put it back."""
    run = _actable(request, uuid)
    try:
        number = runs.withdraw(run, message_id)
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        undo = reverse("agents:put-back", args=[run.uuid, number])
        messages.success(request, "Withdrawn. The agent does not get that message.", extra_tags=undo)
    return _done(request, run)


@require_POST
def put_back(request: UserRequest, uuid: UUID, number: int) -> HttpResponse:
    """Let a withdrawn message wait again; ``number`` is what withdrawing it gave."""
    run = _actable(request, uuid)
    try:
        runs.put_back(run, number)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return _done(request, run)


@require_POST
def cancel(request: UserRequest, uuid: UUID) -> HttpResponse:
    """End the run; what it did is kept, and messages that wait go on waiting."""
    run = _actable(request, uuid)
    runs.cancel(run, user=request.user)
    return _done(request, run)


@require_POST
def resume(request: UserRequest, uuid: UUID) -> HttpResponse:
    """Let a run go on that waits, stopped, failed or was cancelled; ``budget`` is a larger limit to go on with."""
    run = _actable(request, uuid)
    try:
        runs.resume(run, user=request.user, budget=_amount(request.POST.get("budget", "")))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return _done(request, run)


def _actable(request: UserRequest, uuid: UUID) -> Run:
    """Return the run if this person may act on it; raise Http404 or PermissionDenied."""
    run = run_for(request.user, uuid)
    if not may_run(request.user, run.agent):
        raise PermissionDenied(f"You can look but not act. Ask an owner of {run.agent.store.name} for access.")
    if run.is_outside:
        raise Http404("The run is led elsewhere.")
    return run


def _amount(written: str) -> Decimal | None:
    """Return the limit somebody wrote, or None for none; raise Refused for what is no number that could be one."""
    if not written.strip():
        return None
    if NUMBER.fullmatch(written.strip()):
        amount = Decimal(written.strip().replace(",", ""))
        if 0 < amount < 10**9:
            return amount
    raise Refused(f"“{beginning(written, 40)}” is no limit. Write a number above 0 and below 1,000,000,000.")


def _done(request: HttpRequest, run: Run) -> HttpResponse:
    """Answer an act: the page follows its run by itself where scripts are, and is shown again where they are not."""
    if not wants_part(request):
        return redirect(reverse("agents:run", args=[run.uuid]) + END)
    return HttpResponse(render_to_string("web/toasts.html", {"swapped": True}, request))


def _status(request: HttpRequest, composed: Composed) -> int:
    return 422 if request.method == "POST" and not composed.wants_room else 200
