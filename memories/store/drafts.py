"""Texts that somebody has not saved yet: of a file, or of one that is to be made. Each open editor keeps its own.

An editor replaces and removes only the draft whose mark it holds: the one that it showed, or kept itself, and that no
other editor has kept since. Without such a one it begins another. They are kept here and not in a browser, and only
their author ever sees them. Whoever writes one waits for a turn, as all writers do; where none comes, that is the
database's OperationalError, which pages answer as they answer any.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
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


def of_file(user_id: int, entry: MemoryEntry) -> QuerySet[Draft]:
    """Return the person's drafts of the file, the last one saved first and discarded ones last."""
    return _listed(Draft.objects.filter(user=user_id, store=entry.store_id, entry=entry))


def of_new_files(user_id: int, store: MemoryStore) -> QuerySet[Draft]:
    """Return the person's drafts of files that the store does not have yet, in the same order."""
    return _listed(Draft.objects.filter(user=user_id, store=store, entry=None))


def _listed(drafts: QuerySet[Draft]) -> QuerySet[Draft]:
    return drafts.order_by(F("discarded_at").desc(nulls_first=True), "-saved_at", "-pk")


def held(drafts: QuerySet[Draft], mark: str) -> Draft | None:
    """Return the one of these drafts that bears the mark; None for any other mark, also one that is no longer right."""
    return next((draft for draft in drafts.filter(discarded_at=None).defer("text") if draft.mark == mark), None)


def keep(
    user_id: int,
    entry: MemoryEntry,
    text: str,
    *,
    mark: str,
    base_version: int,
    base_sha256: str,
    discarded: bool = False,
) -> Draft:
    """Keep a text made of a version of the file, in place of the draft that bears the mark, and return the draft."""
    draft = Draft(
        user_id=user_id,
        store_id=entry.store_id,
        entry=entry,
        path=entry.path,
        text=text,
        base_version=base_version,
        base_sha256=base_sha256,
    )
    return _kept(draft, of_file(user_id, entry), mark, discarded=discarded)


def keep_new(user_id: int, store: MemoryStore, path: str, text: str, *, mark: str, discarded: bool = False) -> Draft:
    """Do the same with the text of a file that is to be made at ``path``, as it was typed."""
    draft = Draft(user_id=user_id, store=store, path=path, text=text)
    return _kept(draft, of_new_files(user_id, store), mark, discarded=discarded)


def _kept(draft: Draft, others: QuerySet[Draft], mark: str, *, discarded: bool) -> Draft:
    draft.saved_at = timezone.now()
    draft.discarded_at = draft.saved_at if discarded else None
    with _turn():
        # Locked, since two editors may hold the same mark: the second one finds it changed.
        others = others.select_for_update()
        before = held(others, mark) or _twin(others, draft)
        draft.pk = before.pk if before else None
        draft.save(force_update=before is not None)
    return draft


def _twin(others: QuerySet[Draft], draft: Draft) -> Draft | None:
    """Return the draft that says the same already, as after a button that was pressed twice."""
    same = others.filter(path=draft.path, text=draft.text, base_sha256=draft.base_sha256)
    return same.filter(discarded_at__isnull=draft.discarded_at is None).defer("text").first()


def forget(draft: Draft | None) -> None:
    """Remove the draft, if there is one: it says no more than the file. One that was kept since then stays."""
    if draft:
        with _turn():
            remove(draft)


def remove(draft: Draft | None) -> None:
    """Do the same in the transaction that saves it, whose turn it is already."""
    if draft:
        Draft.objects.filter(pk=draft.pk, saved_at=draft.saved_at).delete()


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
