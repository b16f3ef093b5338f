"""Every hostile payload in every place that takes text: content, paths, names of agents and stores, a conversation."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from agents import runs
from agents.demo import SUPPORT_DESK
from agents.making import create_agent
from agents.models import Agent, Message, Run, RunState, ToolCall
from memories import store, tool
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, Label, Note
from memories.models import MemoryEntry
from memories.paths import MemoryPath
from memories.store import drafts
from memories.text import as_label
from tests.browser import hostile_together

PAYLOADS: Final = json.loads((Path(__file__).parent.parent / "data/security/xss_payloads.json").read_text())
FILE: Final = "/memories/notes.md"


class Place(NamedTuple):
    """A kind of page that shows payloads, one page for each."""

    route: str
    query: str = ""


PLACES: Final = {
    "rendered": Place("memories:files"),
    "raw": Place("memories:files", "?view=raw"),
}


def seed() -> dict[str, list[str]]:
    """Make an agent, a store, files and a run for each payload, and an agent that meets them all.

    Return the addresses by kind of page.
    """
    mara = User.objects.get(username="mara")
    pages: dict[str, list[str]] = {}
    for case in PAYLOADS:
        for kind, address in _pages(case["payload"], mara).items():
            pages.setdefault(kind, []).append(address)
    lists = [reverse("agents:home"), reverse("agents:runs"), reverse("memories:stores"), reverse("web:palette")]
    lists += [reverse("memories:trash"), reverse("memories:activity")]
    found = [f"{reverse('memories:search')}?q=again&page={number}" for number in range(1, 6)]
    together = hostile_together.seed([case["payload"] for case in PAYLOADS], mara)
    return pages | {
        "together": together,
        "lists": [*lists, *found, *(f"{reverse('web:palette')}?q={quote(text)}" for text in ("xss", "evil", "<"))],
    }


def _pages(payload: str, mara: User) -> dict[str, str]:
    agent = create_agent(name=payload, model=SUPPORT_DESK, system_prompt=payload)
    path = f"/memories/{payload}"
    writer = Actor(ActorKind.AGENT, payload)
    create = {"command": "create", "path": FILE, "file_text": f"{payload}\n"}
    insert = {"command": "insert", "path": FILE, "insert_line": 1, "insert_text": f"again {payload}\n"}
    for call in (create, insert, create | {"path": path}):
        tool.execute(agent.store, call, writer)
    _words(agent, payload)
    run = _conversation(agent, payload, path, mara)
    slug = agent.store.slug
    drafts.keep_new(mara.pk, agent.store, path[:1024], payload, mark="")
    file = MemoryEntry.objects.get(store=agent.store, path=FILE)
    return {
        **{
            kind: reverse(place.route, kwargs={"slug": slug, "path": "notes.md"}) + place.query
            for kind, place in PLACES.items()
        },
        "edit": reverse("memories:edit", args=[file.uuid]),
        "new-file": reverse("memories:new-file", args=[slug]),
        "folder": reverse("memories:files", kwargs={"slug": slug}),
        "run": reverse("agents:run", args=[run.uuid]),
        "settings": reverse("agents:settings", args=[agent.slug]),
    }


def _words(agent: Agent, payload: str) -> None:
    """Label the file with the payload, note it there, and delete another file that holds it, for that reason."""
    person, path, gone = Actor(ActorKind.PERSON, payload), MemoryPath(FILE), MemoryPath("/memories/gone.md")
    if label := as_label(payload[:40]):
        store.apply(agent.store_id, Label(path, add=(label,)), actor=person)
    store.apply(agent.store_id, Note(path, payload), actor=person)
    store.apply(agent.store_id, Create(gone, payload), actor=person)
    store.apply(agent.store_id, Delete(gone), actor=replace(person, reason=payload))


def _conversation(agent: Agent, payload: str, path: str, mara: User) -> Run:
    """Return a run in which a person, the agent and the tool have said the payload, as a worker would write it down."""
    run = runs.start(agent, payload, attachments=[runs.Attachment(payload, payload)], user=mara)
    inputs = [
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": payload},
        {"command": "str_replace", "path": FILE, "old_str": payload, "new_str": payload},
    ]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": payload}]
    results = []
    for number, given in enumerate(inputs):
        use = f"toolu_{number}"
        blocks.append({"type": "tool_use", "id": use, "name": "memory", "input": given})
        answer = tool.execute(
            agent.store, given, Actor(ActorKind.AGENT, payload, run_id=run.uuid, turn=1, tool_use_id=use)
        )
        results.append({"type": "tool_result", "tool_use_id": use, "content": answer.content})
        ToolCall.objects.create(
            run=run,
            tool_use_id=use,
            turn=1,
            position=number + 1,
            name="memory",
            input=given,
            content=answer.content,
            is_error=answer.is_error,
            path=path[:1024],
            created_at=timezone.now(),
        )
    said = [("assistant", blocks), ("user", results), ("assistant", [{"type": "text", "text": f"Done: {payload}"}])]
    for seq, (role, content) in enumerate(said, 2):
        Message.objects.create(run=run, seq=seq, role=role, content=content, turn=1, created_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(
        state=RunState.FAILED, reason="api", detail=payload, last_seq=4, turns=2, ended_at=timezone.now()
    )
    return run
