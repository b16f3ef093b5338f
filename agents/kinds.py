"""What people set about agents, their folders and their tokens, and about prices, for :mod:`memories.settings`."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from agents import folders
from agents.folders import FolderRefused
from agents.models import Agent, ApiToken, ModelPrice, WatchedFolder
from agents.models.runs import LIVE_STATES
from memories import settings
from memories.models import MemoryStore
from memories.refusals import Refused
from memories.settings import EXISTS, Change, Group, Kind, Plain, Right, RowKind, Thing


class AgentKind(RowKind):
    """An agent by its slug. One that is deleted stays as a row, and can be brought back."""

    name = "agent"
    model = Agent
    labels: ClassVar = {
        "name": "Name",
        "model": "Model",
        "system_prompt": "System prompt",
        "max_output_tokens": "Output tokens in one turn",
        "max_turns": "Turns",
        "max_run_output_tokens": "Output tokens",
        "max_minutes": "Minutes",
        "max_cost": "Cost, US$",
        "context_editing": "Clearing of old results",
        "context_trigger": "Input tokens above which results are cleared",
        "context_keep": "Tool calls whose results are kept",
        "compaction": "Compaction",
        "compaction_trigger": "Input tokens above which the conversation is summarised",
        EXISTS: "The agent",
    }
    briefly: ClassVar = {
        **dict.fromkeys(
            ("max_turns", "max_run_output_tokens", "max_minutes", "max_cost", "max_output_tokens"), "budget"
        ),
        **dict.fromkeys(
            ("context_editing", "context_trigger", "context_keep", "compaction", "compaction_trigger"), "context rules"
        ),
    }

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        changed: dict[str, Any] = dict(values)
        if EXISTS in changed:
            is_there = changed.pop(EXISTS)
            agent = self.rows(thing).select_related("store").get()
            if not is_there and agent.runs.filter(state__in=LIVE_STATES).exists():
                raise Refused(f"{agent.name} has a run that has not ended, and stays. End the run first.")
            if is_there and agent.store.archived_at:
                raise Refused(f"{agent.name} has no store any more, and stays deleted.")
            changed["archived_at"] = None if is_there else timezone.now()
        self.rows(thing).update(**changed)

    def url(self, thing: Thing) -> str:
        return reverse("agents:settings", args=[thing.key])

    def values_of(self, row: Agent) -> Mapping[str, Plain]:
        return {**super().values_of(row), EXISTS: row.archived_at is None}


class FolderKind(Kind):
    """The folder of an agent that is followed, by the agent's slug; empty for none."""

    name = "folder"
    right = Right.OPERATE
    labels: ClassVar = {"path": "Folder"}

    def called(self, thing: Thing) -> str:
        return str(Agent.objects.get(slug=thing.key))

    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        agent = Agent.objects.select_for_update().filter(slug=thing.key).first()
        if agent is None:
            return None
        return {"path": WatchedFolder.objects.filter(agent=agent).values_list("path", flat=True).first() or ""}

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        agent = Agent.objects.get(slug=thing.key)
        folders.unregister(agent)
        if path := values["path"]:
            assert thing.actor
            assert thing.actor.user_id
            try:
                folders.register(agent, str(path), User.objects.get(pk=thing.actor.user_id))
            except FolderRefused as refusal:
                raise Refused(str(refusal)) from refusal

    def url(self, thing: Thing) -> str:
        return reverse("agents:connection", args=[thing.key])

    def said(self, changes: Sequence[Change]) -> tuple[str, str]:
        (change,) = changes
        return ("had a folder followed for", "") if change.after else ("ended the following of the folder of", "")


class PriceKind(Kind):
    """The prices of a model, by its name. A model without any has no row."""

    name = "price"
    right = Right.OPERATE
    labels: ClassVar = {
        "input": "Input",
        "output": "Output",
        "cache_write": "Cache write",
        "cache_read": "Cache read",
    }
    briefly: ClassVar = dict.fromkeys(labels, "prices")

    def called(self, thing: Thing) -> str:
        return thing.key

    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        row = ModelPrice.objects.select_for_update().filter(model=thing.key).first()
        return {field: settings.plain(getattr(row, field, None)) for field in self.labels}

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        row, _ = ModelPrice.objects.update_or_create(model=thing.key, defaults=dict(values))
        if all(getattr(row, field) is None for field in self.labels):
            row.delete()

    def url(self, thing: Thing) -> str:
        return f"{reverse('agents:prices')}?{urlencode({'model': thing.key})}"


class TokenKind(RowKind):
    """A token by its public id. One that is revoked stays so."""

    name = "token"
    group = Group.MEMBERS
    right = Right.WRITE
    model = ApiToken
    column = "uuid"
    labels: ClassVar = {EXISTS: "The token"}

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        if values[EXISTS]:
            raise Refused("A token that was revoked stays so. Make another.")
        by = thing.actor.label if thing.actor else ""
        self.rows(thing).update(revoked_at=timezone.now(), revoked_by=by)

    def url(self, thing: Thing) -> str:
        return f"{reverse('agents:tokens')}#token-{thing.key}"

    def values_of(self, row: ApiToken) -> Mapping[str, Plain]:
        return {EXISTS: row.revoked_at is None}

    def said(self, changes: Sequence[Change]) -> tuple[str, str]:
        (change,) = changes
        return "made the token" if change.after else "revoked the token", ""


def register() -> None:
    """Have all of it changed and taken back as settings of stores are."""
    for kind in (AgentKind(), FolderKind(), PriceKind(), TokenKind()):
        settings.register(kind)
    if _holder not in settings.holders:
        settings.holders.append(_holder)


def made(agent: Agent, *, store: MemoryStore | None = None) -> list[Change]:
    """Return what the making of an agent changed, and of ``store`` where that was made for it."""
    changes = [Change("agent", agent.slug, EXISTS, None, True, agent.name)]
    return [Change("store", store.slug, EXISTS, None, True, store.name), *changes] if store else changes


def _holder(store: MemoryStore) -> str:
    agent = Agent.objects.filter(store=store, archived_at=None).first()
    return f"{agent.name} uses the store {store.name}, which stays." if agent else ""
