"""What people set about a store: its own row, its members, notes on its versions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from memdash.web.formats import filesize
from memories.models import Member, MemoryEntry, MemoryStore, MemoryVersion, Role, State
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.settings.kinds import EXISTS, Change, Group, Kind, Plain, Right, RowKind, Thing

holders: Final[list[Callable[[MemoryStore], str]]] = []
"""Who else needs a store: each says in words what would lose it, or nothing."""


class StoreKind(RowKind):
    """A store. One whose making is undone stays as a row, out of everybody's reach."""

    name = "store"
    model = MemoryStore
    labels: ClassVar = {
        "name": "Name",
        "description": "Description",
        "create_overwrites": "What create may overwrite",
        "max_file_bytes": "Largest file",
        "max_files": "Files at most",
        "max_bytes": "Size of all files at most",
        EXISTS: "The store",
    }
    briefly: ClassVar = {
        "create_overwrites": "rules",
        "max_file_bytes": "limits",
        "max_files": "limits",
        "max_bytes": "limits",
    }

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        changed: dict[str, Any] = dict(values)
        if EXISTS in changed:
            is_there = changed.pop(EXISTS)
            if not is_there:
                _keep_what_is_needed(self.rows(thing).get())
            changed["archived_at"] = None if is_there else timezone.now()
        # The counters beside these fields belong to the write path.
        self.rows(thing).update(**changed)

    def url(self, thing: Thing) -> str:
        return reverse("memories:store-settings", args=[thing.key])

    def shown(self, field: str, value: Plain) -> str:
        if isinstance(value, int) and field in ("max_file_bytes", "max_bytes"):
            return filesize(value)
        return super().shown(field, value)

    def values_of(self, row: MemoryStore) -> Mapping[str, Plain]:
        return {**super().values_of(row), EXISTS: row.archived_at is None}


class MemberKind(Kind):
    """A person's role in a store, by the id of the person; empty for no member."""

    name = "member"
    group = Group.MEMBERS
    labels: ClassVar = {"role": "Role"}

    def called(self, thing: Thing) -> str:
        user = User.objects.filter(pk=thing.key).first()
        return user.get_username() if user else "Somebody"

    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        assert thing.store
        # Two owners that leave at once would leave none; the store's row makes one of them wait.
        MemoryStore.objects.select_for_update().filter(pk=thing.store.pk).first()
        if not User.objects.filter(pk=thing.key, is_active=True).exists():
            return None
        members = Member.objects.filter(store=thing.store, user=int(thing.key))
        return {"role": members.values_list("role", flat=True).first() or ""}

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        role = values["role"]
        members = Member.objects.filter(store=thing.store)
        owners = members.filter(role=Role.OWNER, user__is_active=True).exclude(user=int(thing.key))
        if role != Role.OWNER and not owners.exists():
            said = (
                "A store keeps at least one owner" if members.exists() else "The first member of a store is its owner"
            )
            raise Refused(f"{said}. Nothing was changed.")
        if role:
            Member.objects.update_or_create(store=thing.store, user_id=int(thing.key), defaults={"role": role})
        else:
            members.filter(user=int(thing.key)).delete()

    def url(self, thing: Thing) -> str:
        assert thing.store
        return f"{reverse('memories:store-settings', args=[thing.store.slug])}#members"

    def said(self, changes: Sequence[Change]) -> tuple[str, str]:
        (change,) = changes
        if not change.after:
            return "removed", f"who was {change.before}"
        return ("made", str(change.after)) if change.before else ("added", f"as {change.after}")


class NoteKind(Kind):
    """A person's words about a version; the key is what :func:`note_key` makes of it."""

    name = "note"
    group = Group.NOTES
    right = Right.WRITE
    labels: ClassVar = {"note": "Note"}

    def called(self, thing: Thing) -> str:
        _, number, path = thing.key.split("/", 2)
        return f"{path}, version {number}"

    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        version = _versions(thing).select_for_update().first()
        return {"note": version.note} if version else None

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        _versions(thing).update(note=values["note"])

    def url(self, thing: Thing) -> str:
        assert thing.store
        _, number, path = thing.key.split("/", 2)
        return f"{reverse('memories:history', args=[thing.store.slug, path])}?v={number}"

    def said(self, changes: Sequence[Change]) -> tuple[str, str]:
        (change,) = changes
        verb = "wrote" if not change.before else "changed" if change.after else "removed"
        return f"{verb} the note on", ""


def note_key(entry: MemoryEntry, number: int) -> str:
    """Return the key of the note on a version of a file, with the path at which people find it."""
    return f"{entry.pk}/{number}/{MemoryPath(entry.path).relative}"


def _versions(thing: Thing) -> "QuerySet[MemoryVersion]":
    entry, number, _ = thing.key.split("/", 2)
    versions = MemoryVersion.objects.filter(store=thing.store, entry=int(entry), number=int(number))
    return versions.exclude(entry__state=State.PURGED)


def _keep_what_is_needed(store: MemoryStore) -> None:
    """Raise Refused for a store that somebody would miss."""
    if store.seq:
        raise Refused(f"The store {store.name} holds memory, or the history of it, and stays.")
    for holder in holders:
        if words := holder(store):
            raise Refused(words)
