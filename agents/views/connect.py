"""Connecting an agent: where it runs, its name and store, a token and a program to paste, and its first call."""

import shlex
from datetime import timedelta
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from agents import folders
from agents.access import agent_for, may_run, ownable_by
from agents.connect_forms import ConnectForm, FolderAgainForm, TokenAgainForm
from agents.demo import SUPPORT_DESK
from agents.folders import FolderRefused
from agents.making import create_agent_for
from agents.models import Agent, ApiToken, Place, Scope, WatchedFolder
from agents.snippets import snippets
from agents.views.choosing import stores_to_choose
from agents.views.first_call import WAITING, Came, first_call, newest_token
from agents.views.recording import follow, followed, make_agent, record_making, record_token
from agents.views.runs import POLLING_ENDS
from agents.views.tokens import MADE_BEFORE, make_once
from memdash.web import names
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories.views.acts import undo_of_act

TOKEN_DAYS: Final = 90


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def connect(request: UserRequest) -> HttpResponse:
    """Ask where an agent runs and what it is called, or make it.

    One that runs here goes on to the form of its settings. For one that runs elsewhere the answer shows its token, this
    once; the same form sent again by a reload makes nothing. ``?store=`` chooses a store.
    """
    asked = request.GET.get("store", "")
    form = ConnectForm(request.POST or None, request=request, stores=ownable_by(request.user), initial={"store": asked})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        match given["place"]:
            case Place.HERE:
                chosen = {"name": given["name"], "store": given["store"].slug if given["store"] else ""}
                return redirect(f"{reverse('agents:new')}?{urlencode(chosen)}")
            case Place.FOLDER:
                if agent := _with_folder(request, form):
                    return redirect("agents:connection", slug=agent.slug)
            case _:
                return _with_token(request, form)
    context = {
        "title": "Connect an agent",
        "form": form,
        "stores": stores_to_choose(request, str(form["store"].value() or "")),
        "has_key": bool(settings.MEMDASH_ANTHROPIC_API_KEY),
        "token_ends": timezone.now() + timedelta(days=TOKEN_DAYS),
    }
    return render_page(request, "agents/connect.html", context, status=form.status if form.errors else 200)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def connection(request: UserRequest, slug: str) -> HttpResponse:
    """Show how an agent's program or folder is connected, or make another token for it and show that, this once."""
    agent = _agent(request, slug)
    if agent.place == Place.FOLDER:
        return _folder_page(request, agent)
    form = TokenAgainForm(request.POST or None, request=request)
    if request.method == "POST" and not agent.archived_at and form.is_valid():
        made = _make_token(request, agent, form)
        if made is None:
            messages.info(request, MADE_BEFORE)
            return redirect("agents:connection", slug=slug)
        record_token(request, made[0])
        return _page(request, agent, TokenAgainForm(None, request=request), made=made)
    return _page(request, agent, form, status=form.status if form.errors else 200)


@require_GET
def first(request: UserRequest, slug: str) -> HttpResponse:
    """Answer with the first call, or why none came through: 204 when ``?seen=`` is still so, 286 when it has come."""
    agent = _agent(request, slug)
    token = newest_token(agent)
    if token is None:
        raise Http404("The agent has no token that a call could come with.")
    context = _first(agent, token)
    if request.GET.get("seen") == context["key"]:
        return HttpResponse(status=204)
    status = POLLING_ENDS if isinstance(context["call"], Came) else 200
    return render_page(request, "agents/first_call.html", context, status=status)


def _agent(request: UserRequest, slug: str) -> Agent:
    """Return the agent if the person may change its memory; otherwise raise Http404 or PermissionDenied."""
    agent = agent_for(request.user, slug)
    if not may_run(request.user, agent):
        raise PermissionDenied("Only curators and owners of the agent's store may connect it.")
    return agent


def _with_token(request: UserRequest, form: ConnectForm) -> HttpResponse:
    """Make an agent that runs elsewhere with its first token, and show that."""
    given = form.cleaned_data
    if earlier := ApiToken.objects.filter(uuid=given["once"], made_by=request.user).select_related("agent").first():
        messages.info(request, MADE_BEFORE)
        return redirect("agents:connection", slug=earlier.agent.slug)
    with transaction.atomic():
        agent, act = make_agent(request, name=given["name"], store=given["store"], place=Place.API, model="")
        made = _make_token(request, agent, form)
        if made is None:
            transaction.set_rollback(True)
    if made is None:
        messages.info(request, MADE_BEFORE)
        return redirect("agents:connect")
    messages.success(request, f"Made {names.label(request, agent)}.", extra_tags=undo_of_act(act))
    return _page(request, agent, TokenAgainForm(None, request=request), made=made)


def _with_folder(request: UserRequest, form: ConnectForm) -> Agent | None:
    """Make an agent that is a folder and have that followed; None, with an error in the form, if it cannot be."""
    given = form.cleaned_data
    try:
        with transaction.atomic():
            agent = create_agent_for(
                request.user, name=given["name"], store=given["store"], place=Place.FOLDER, model=""
            )
            change = followed(request, agent, given["folder"])
            more = [change] if change else []
            act = record_making(request, agent, *more, new_store=given["store"] is None)
    except FolderRefused as refusal:
        form.add_error("folder", str(refusal))
        return None
    messages.success(request, f"Made {names.label(request, agent)}.", extra_tags=undo_of_act(act))
    return agent


def _make_token(request: UserRequest, agent: Agent, form: ConnectForm | TokenAgainForm) -> tuple[ApiToken, str] | None:
    return make_once(
        request.user,
        agent,
        uuid=form.cleaned_data["once"],
        name=agent.name,
        scope=Scope.WRITE,
        expires_at=timezone.now() + timedelta(days=TOKEN_DAYS),
    )


@require_GET
def client(request: UserRequest) -> HttpResponse:  # noqa: ARG001 (the same file for everybody)
    """Hand out the one file that a program in Python needs of memdash, as a download."""
    response = HttpResponse(files("memdash").joinpath("client.py").read_bytes(), content_type="text/x-python")
    response["Content-Disposition"] = 'attachment; filename="client.py"'
    return response


def _page(
    request: UserRequest,
    agent: Agent,
    form: TokenAgainForm,
    *,
    made: tuple[ApiToken, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    token, secret = made or (newest_token(agent), "")
    url = settings.MEMDASH_PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
    context: dict[str, Any] = {
        "title": f"Connect {agent.name}",
        "agent": agent,
        "form": form,
        "token": token,
        "secret": secret,
        "token_ends": timezone.now() + timedelta(days=TOKEN_DAYS),
        "snippets": snippets(url, agent.store.slug),
        "demo_model": SUPPORT_DESK,
        **(_first(agent, token) if token else {"call": None, "key": ""}),
    }
    return render_page(request, "agents/connection.html", context, status=status)


def _first(agent: Agent, token: ApiToken) -> dict[str, Any]:
    call = first_call(agent, token)
    return {"agent": agent, "token": token, "call": call, "key": call.key if call else WAITING}


def _folder_page(request: UserRequest, agent: Agent) -> HttpResponse:
    """Show how it stands with the agent's folder, or have one followed."""
    form = FolderAgainForm(request.POST or None)
    if request.method == "POST" and not agent.archived_at and form.is_valid():
        try:
            act = follow(request, agent, form.cleaned_data["folder"])
        except FolderRefused as refusal:
            form.add_error("folder", str(refusal))
        else:
            said = f"The folder of {agent.name} is followed from now on."
            messages.success(request, said, extra_tags=undo_of_act(act) if act else "")
            return redirect("agents:connection", slug=agent.slug)
    folder = WatchedFolder.objects.filter(agent=agent).first()
    context = {
        "title": f"Folder of {agent.name}",
        "agent": agent,
        "form": form,
        "folder": folder,
        "status": folders.status(folder) if folder else None,
        "command": f"memdash watch {shlex.quote(folder.path) if folder else 'DIR'} --agent {agent.slug}",
        "is_operator": request.user.is_superuser,
    }
    return render_page(request, "agents/folder.html", context, status=422 if form.errors else 200)
