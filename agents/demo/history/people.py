"""Past acts outside runs: what people and programs elsewhere did to a store, and what its viewer has seen of it."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser

from agents.demo.history.acts import Called, Did, Edited, Imported, Opened
from agents.models import Agent
from memories import tool
from memories.actors import Actor, ActorKind
from memories.commands import ImportFile, Overwrite
from memories.models import ChangeSet, FileSeen, MemoryEntry, MemoryStore, StoreSeen
from memories.paths import MemoryPath
from memories.store import Transaction, blobs
from memories.store.notes import set_note

BETWEEN_CALLS = timedelta(seconds=2)


def edit(tx: Transaction, act: Edited, moment: datetime) -> None:
    """Save a person's text over the one that is there, and their note on it."""
    entry = _file(tx.store_id, act.path)
    assert entry.blob, "a live file has content"
    text = blobs.unpack(entry.blob.encoding, entry.blob.data).decode()
    assert act.old in text, f"{act.path} does not say {act.old!r}"
    changed = text.replace(act.old, act.new, 1) if act.old else text + act.new
    command = Overwrite(MemoryPath.parse(act.path), changed, entry.blob.sha256)
    outcome = tx.apply(command, actor=_person(act.by, moment))
    if act.note:
        set_note(entry.pk, outcome.versions[0].number, act.note)


def do(tx: Transaction, act: Did, moment: datetime) -> None:
    """Run a person's command."""
    tx.apply(act.command, actor=_person(act.by, moment))


def call(tx: Transaction, agent: Agent, act: Called, moment: datetime) -> None:
    """Answer the calls of a program elsewhere, a few seconds apart."""
    for number, each in enumerate(act.calls):
        at = moment + number * BETWEEN_CALLS
        actor = Actor(ActorKind.TOKEN, act.label, agent_id=agent.pk, authored_at=at)
        tool.execute_within(tx, each.input, actor)


def bring_in(tx: Transaction, agent: Agent, act: Imported, moment: datetime) -> None:
    """Import files as one act. What comes from the folder of an agent is that agent's writing."""
    actor = Actor(
        ActorKind.IMPORT,
        act.by,
        agent_id=agent.pk,
        change_set=f"import:demo:{moment.isoformat()}",
        reason="import of a folder",
        authored_at=moment,
    )
    for path, text in act.files.items():
        tx.apply(ImportFile(MemoryPath.parse(path), text.encode()), actor=actor)
    ChangeSet.objects.filter(store=tx.store_id, key=actor.change_set).update(authored_at=moment)


def look(tx: Transaction, viewer: AbstractBaseUser) -> None:
    """Let everything in the store so far count as seen by ``viewer``."""
    seq = MemoryStore.objects.values_list("seq", flat=True).get(pk=tx.store_id)
    StoreSeen.objects.create(store_id=tx.store_id, user_id=viewer.pk, seq=seq)


def open_file(tx: Transaction, viewer: AbstractBaseUser, act: Opened, moment: datetime) -> None:
    """Let the newest version of a file count as seen by ``viewer``."""
    entry = _file(tx.store_id, act.path)
    FileSeen.objects.create(entry=entry, user_id=viewer.pk, version=entry.version, seen_at=moment)


def _file(store_id: int, path: str) -> MemoryEntry:
    return MemoryEntry.objects.filter(store=store_id).at(MemoryPath(path)).select_related("blob").get()


def _person(label: str, moment: datetime) -> Actor:
    return Actor(ActorKind.PERSON, label, authored_at=moment)
