"""Texts that somebody has not saved yet: of a file, or of one that is to be made. Each person has one of each.

They are kept here and not in a browser, and only their author ever sees them. Whoever writes one waits for a turn, as
all writers do; where none comes, that is the database's OperationalError, which pages answer as they answer any.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memories.models import Draft, MemoryEntry, MemoryStore
from memories.refusals import Busy
from memories.store.turns import in_turn

DISCARDED: Final = timedelta(days=7)
UNTOUCHED: Final = timedelta(days=30)
"""How long a draft is kept after it was discarded, and after it was last saved."""


@contextmanager
def _turn() -> Iterator[None]:
    try:
        with in_turn(), transaction.atomic():
            yield
    except Busy as busy:
        raise OperationalError(str(busy)) from busy


def of_file(user_id: int, entry: MemoryEntry) -> Draft | None:
    """Return the person's draft of the file, a discarded one too; None when there is none."""
    return Draft.objects.filter(user=user_id, entry=entry).first()


def of_new_files(user_id: int, store: MemoryStore) -> QuerySet[Draft]:
    """Return the person's drafts of files that the store does not have yet, the last one saved first."""
    return Draft.objects.filter(user=user_id, store=store, entry=None).order_by("-saved_at", "-pk")


def keep(
    user_id: int, entry: MemoryEntry, text: str, *, base_version: int, base_sha256: str, discarded: bool = False
) -> Draft:
    """Keep a text made of a version of the file, in place of the person's last one, and return it."""
    now = timezone.now()
    fields = {
        "store_id": entry.store_id,
        "path": entry.path,
        "text": text,
        "base_version": base_version,
        "base_sha256": base_sha256,
        "saved_at": now,
        "discarded_at": now if discarded else None,
    }
    with _turn():
        draft, _ = Draft.objects.update_or_create(user_id=user_id, entry=entry, defaults=fields)
    return draft


def keep_new(
    user_id: int, store: MemoryStore, path: str, text: str, *, known_as: str, discarded: bool = False
) -> Draft:
    """Keep the text of a file that is to be made at ``path``, as it was typed, and return it.

    ``known_as`` is the path it had when it was kept last.
    """
    now = timezone.now()
    fields = {"text": text, "saved_at": now, "discarded_at": now if discarded else None}
    with _turn():
        if known_as != path:
            remove_new(user_id, store, known_as)
        draft, _ = Draft.objects.update_or_create(user_id=user_id, store=store, entry=None, path=path, defaults=fields)
    return draft


def forget(user_id: int, entry: MemoryEntry) -> None:
    """Remove the person's draft of the file, which says the same as the file."""
    with _turn():
        remove(user_id, entry)


def forget_new(user_id: int, store: MemoryStore, path: str) -> None:
    """Remove the person's draft of a file to be made at ``path``, as it was typed."""
    with _turn():
        remove_new(user_id, store, path)


def remove(user_id: int, entry: MemoryEntry) -> None:
    """Remove the draft in the transaction that saves it, whose turn it is already."""
    Draft.objects.filter(user=user_id, entry=entry).delete()


def remove_new(user_id: int, store: MemoryStore, path: str) -> None:
    """Do the same with the draft of a file that is made."""
    Draft.objects.filter(user=user_id, store=store, entry=None, path=path).delete()


def take_up(draft: Draft) -> None:
    """Bring a discarded draft back."""
    with _turn():
        Draft.objects.filter(pk=draft.pk).update(discarded_at=None)


def remove_old() -> int:
    """Remove drafts that were discarded or left alone for too long; return how many."""
    now = timezone.now()
    old = Q(discarded_at__lt=now - DISCARDED) | Q(saved_at__lt=now - UNTOUCHED)
    with _turn():
        return Draft.objects.filter(old).delete()[0]
