"""All hostile payloads at once, as programs elsewhere, editors and notes bring them, on as few pages as hold them."""

from typing import Final

from django.contrib.auth.models import User
from django.urls import reverse

from agents.making import create_agent
from agents.models import Agent, ApiToken, Place, Run, Scope
from agents.runs import outside
from agents.tokens import Reason, make_token
from agents.tokens.use import record_refusal
from agents.views.outside import CALLS
from memories import store
from memories.actors import Actor, ActorKind
from memories.commands import Create, Insert
from memories.models import ChangeSet, Draft, MemoryEntry, MemoryVersion
from memories.paths import MemoryPath

FILE: Final = MemoryPath("/memories/notes.md")
SESSION: Final = "all at once"
PAGES: Final = 5
"""Pages of a list that are opened; all payloads stand on them."""


def seed(payloads: list[str], mara: User) -> list[str]:
    """Bring every payload in as a session, a cause, a name, a source from outside, a note, a reason and a draft.

    Return the addresses of the pages that show them.
    """
    agent = create_agent(name="Everything at once", place=Place.API)
    token = _token(agent, payloads[0], mara)
    for number, payload in enumerate(payloads, 1):
        _call(token, payload, payload, number)
        _call(token, SESSION, payload, number)
    entry = MemoryEntry.objects.get(store=agent.store, path=FILE.text)
    _edit(agent, entry, payloads, mara)
    run = Run.objects.get(agent=agent, session=SESSION)
    return [
        *(f"{reverse('agents:run', args=[run.uuid])}?until={call}" for call in range(2 * len(payloads), 0, -CALLS)),
        *(f"{reverse('agents:agent-runs', args=[agent.slug])}?page={page}" for page in range(1, PAGES + 1)),
        *_pages_of_file(agent, entry),
        *_pages_of_acts(entry, run),
        *_pages_of_tokens(agent, payloads, mara),
        # The last one: it would not be left with an unsaved draft.
        reverse("memories:edit", args=[entry.uuid]),
    ]


def _token(agent: Agent, name: str, mara: User) -> ApiToken:
    token, _ = make_token(agent, agent.store, name[:255], Scope.WRITE, user=mara, expires_at=None)
    return token


def _call(token: ApiToken, session: str, payload: str, turn: int) -> None:
    view = {"command": "view", "path": FILE.text}
    write = {"command": "insert", "path": FILE.text, "insert_line": 0, "insert_text": payload}
    if not MemoryEntry.objects.filter(store=token.store, path=FILE.text).exists():
        write = {"command": "create", "path": FILE.text, "file_text": f"{payload}\n"}
    for given in (view, write):
        outside.answer(
            token,
            outside.Call(
                given,
                session=session,
                turn=turn,
                cause=payload,
                agent=payload,
                external=(payload, f"https://{payload}"),
            ),
        )


def _edit(agent: Agent, entry: MemoryEntry, payloads: list[str], mara: User) -> None:
    person = Actor(ActorKind.PERSON, "mara", user_id=mara.pk)
    for payload in payloads:
        reasoned = Actor(ActorKind.PERSON, payload[:255], user_id=mara.pk, reason=payload)
        store.apply(agent.store_id, Insert(FILE, 0, payload), actor=reasoned)
    store.apply(agent.store_id, Create(MemoryPath("/memories/other.md"), "\n".join(payloads)), actor=person)
    for version, payload in zip(MemoryVersion.objects.filter(entry=entry).order_by("-number"), payloads, strict=False):
        MemoryVersion.objects.filter(pk=version.pk).update(note=payload)
    entry.refresh_from_db()
    Draft.objects.create(
        user=mara,
        store=agent.store,
        entry=entry,
        path=entry.path,
        text="\n".join(payloads),
        base_version=entry.version,
        saved_at=entry.updated_at,
    )


def _pages_of_tokens(agent: Agent, payloads: list[str], mara: User) -> list[str]:
    """Name a token after every payload, and return the pages of tokens and of one that nobody used."""
    tokens = [_token(agent, payload, mara) for payload in payloads]
    ApiToken.objects.filter(agent=agent).update(used_from="<img src=x onerror=__xss(0)>", revoked_by=payloads[0][:255])
    record_refusal(agent.store, status=401, reason=Reason.UNKNOWN, address="<svg onload=__xss(0)>", ending="<b>x")
    return [
        *(f"{reverse('agents:tokens')}?page={page}" for page in range(1, PAGES + 1)),
        *(reverse("agents:revoke-token", args=[token.uuid]) for token in tokens[:PAGES]),
        reverse("agents:refused-calls"),
        reverse("agents:connection", args=[agent.slug]),
    ]


def _pages_of_file(agent: Agent, entry: MemoryEntry) -> list[str]:
    page = reverse("memories:files", args=[agent.store.slug, FILE.relative])
    history = reverse("memories:history", args=[agent.store.slug, FILE.relative])
    other = MemoryEntry.objects.get(store=agent.store, path="/memories/other.md")
    return [
        *(f"{page}?view={view}" for view in ("blame", "raw", "rendered")),
        f"{page}?view=blame&line=3",
        f"{page}?view=readers&line=3",
        *(f"{history}?before={number}" for number in range(entry.version, 0, -60)),
        *(f"{history}?v={other.version}&layout={layout}&file={other.uuid}" for layout in ("split", "unified")),
        reverse("memories:agent-view", args=[agent.store.slug, other.path.removeprefix("/memories/")]),
        reverse("memories:rename-file", args=[entry.uuid]),
    ]


def _pages_of_acts(entry: MemoryEntry, run: Run) -> list[str]:
    newest = ChangeSet.objects.latest("pk").pk
    return [
        *(f"{reverse('memories:activity')}?before={newest - 25 * page}" for page in range(PAGES)),
        reverse("agents:undo-run", args=[run.uuid]),
    ]
