"""Changing settings, and the record of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memories import access
from memories.actors import Actor
from memories.models import ChangeSet, MemoryStore, Role
from memories.refusals import Refused
from memories.settings.kinds import Change, Right, Thing, kind_of, plain

ROLES: Final = {
    Right.WRITE: (Role.CURATOR, Role.OWNER),
    Right.OWN: (Role.OWNER,),
    Right.OPERATE: (),
}


class Gone(Refused):
    """What was to be changed is not there any more."""


def change(
    kind: str, key: str, values: Mapping[str, Any], *, store: MemoryStore | None, actor: Actor
) -> ChangeSet | None:
    """Set values of one thing and return the act that is recorded; None where all of it was so already.

    Raises Refused, with nothing changed, where the thing does not allow it.
    """
    known = kind_of(kind)
    with transaction.atomic():
        thing = Thing(store, key, actor)
        name, now = known.called(thing), known.read(thing)
        if now is None:
            raise Gone(f"{name} is gone. Nothing was changed.")
        wanted = {field: plain(value) for field, value in values.items()}
        changes = [
            Change(kind, key, field, now[field], value, name) for field, value in wanted.items() if now[field] != value
        ]
        if not changes:
            return None
        known.put(thing, {each.field: each.after for each in changes})
        return record(changes, store=store, actor=actor)


def record(
    changes: Sequence[Change], *, store: MemoryStore | None, actor: Actor, undoes: UUID | None = None
) -> ChangeSet:
    """Record what an act changed, in the transaction that changed it; the last of it is what the act is named by."""
    return ChangeSet.objects.create(
        store=store,
        settings=[list(each) for each in changes],
        undoes=undoes,
        actor_kind=actor.kind.value,
        actor_label=actor.label[:255],
        user_id=actor.user_id,
        agent_id=actor.agent_id,
        recorded_at=timezone.now(),
    )


def changes_of(act: ChangeSet) -> list[Change]:
    """Return the settings that an act changed; none where it changed files or marks."""
    return [Change(*row) for row in act.settings or ()]


def right_for(act: ChangeSet) -> Right:
    """Return what somebody has to be to take an act on settings back: whatever each of its settings asks."""
    asked = {kind_of(change.kind).right for change in changes_of(act)}
    return next(right for right in (Right.OPERATE, Right.OWN, Right.WRITE) if right in asked)


def may_set(user: User, act: ChangeSet) -> bool:
    """Return whether ``user`` may take an act on settings back, and read what they were."""
    if user.is_superuser or act.store is None:
        return user.is_superuser
    return allows(access.role_of(user, act.store), right_for(act))


def allows(role: Role | None, right: Right) -> bool:
    """Return whether somebody with this role in a store, who is not the operator, has the right."""
    return role is not None and role in ROLES[right]
