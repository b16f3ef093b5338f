"""Files as agents and people write them, for tests of pages."""

from io import BytesIO
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse
from PIL import Image

from memories import store, tool
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, ImportFile, Overwrite, Rename
from memories.models import MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from tests.support.stores import PERSON


def at(relative: str) -> MemoryPath:
    """Return the path with this name below the root."""
    return MemoryPath(f"/memories/{relative}")


def write(memory: MemoryStore, relative: str, text: str, *, actor: Actor = PERSON) -> MemoryEntry:
    """Write a new file, or put the text in place of what it holds, and return it."""
    path = at(relative)
    entry = MemoryEntry.objects.filter(store=memory, path=path.text, state="live").select_related("blob").first()
    command = Overwrite(path, text, entry.blob.sha256) if entry and entry.blob else Create(path, text)
    store.apply(memory.pk, command, actor=actor)
    return MemoryEntry.objects.get(store=memory, path=path.text, state="live")


def picture(colour: str) -> bytes:
    """Return a small PNG of one colour."""
    data = BytesIO()
    Image.new("RGB", (3, 2), colour).save(data, "PNG")
    return data.getvalue()


def write_image(memory: MemoryStore, relative: str) -> MemoryEntry:
    """Import a small picture and return it."""
    store.apply(memory.pk, ImportFile(at(relative), picture("teal")), actor=Actor(ActorKind.IMPORT, "mia"))
    return MemoryEntry.objects.get(store=memory, path=at(relative).text, state="live")


def move(memory: MemoryStore, old: str, new: str, *, actor: Actor = PERSON) -> None:
    """Rename a file or a directory."""
    store.apply(memory.pk, Rename(at(old), at(new)), actor=actor)


def remove(memory: MemoryStore, relative: str, *, actor: Actor = PERSON) -> None:
    """Delete a file or a directory."""
    store.apply(memory.pk, Delete(at(relative)), actor=actor)


def read_in_run(memory: MemoryStore, relative: str, *, turn: int = 1, run_id: UUID | None = None) -> None:
    """Have an agent view a file in a run."""
    actor = Actor(ActorKind.AGENT, "Support desk", run_id=run_id or uuid4(), turn=turn, tool_use_id="toolu_1")
    tool.execute(memory, {"command": "view", "path": at(relative).text}, actor)
    store.reads.flush()


def url_of(memory: MemoryStore, relative: str = "") -> str:
    """Return the address of a file's or a directory's page."""
    return reverse("memories:files", kwargs={"slug": memory.slug, **({"path": relative} if relative else {})})


def page(client: Client, address: str, *, part: bool = False, status: int = 200) -> str:
    """Return a page's HTML, or with ``part`` what htmx gets of it."""
    answer = client.get(address, headers={"HX-Request": "true"} if part else {})
    assert answer.status_code == status, (answer.status_code, address)
    return answer.content.decode()
